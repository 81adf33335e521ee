/*===- fastnorm-c/fastnorm.h - Run compiled plans ------------------*- C -*-===*\
|*                                                                            *|
|* Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.      *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* The C interface of libfastnorm: load a plan that the compiler wrote,       *|
|* prepare it on a device, and run it on the caller's buffers and stream.     *|
|*                                                                            *|
|*   fastnorm_plan *plan;                                                     *|
|*   fastnorm_plan_load_file("norm.json", &plan);                             *|
|*   fastnorm_plan_prepare(plan, 0);                                          *|
|*   fastnorm_plan_workspace_size(plan, symbols, count, &bytes);              *|
|*   fastnorm_plan_run(plan, arguments, 2, results, 1, workspace, bytes,      *|
|*                     stream);                                               *|
|*   fastnorm_plan_destroy(plan);                                             *|
|*                                                                            *|
|* Errors: every function that can fail returns a fastnorm_status, and leaves *|
|* a sentence for fastnorm_last_error. What it would have given is unchanged. *|
|*                                                                            *|
|* Threads: any number of threads may run one plan at the same time, on any   *|
|* streams, with a workspace each. Load, prepare and describe may be called   *|
|* from any thread; destroy only when no other call on the plan is under way. *|
|*                                                                            *|
|* Units: shapes and strides count elements, sizes count bytes.               *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef FASTNORM_C_FASTNORM_H
#define FASTNORM_C_FASTNORM_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define FASTNORM_API __attribute__((visibility("default")))
#else
#define FASTNORM_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What a call came to. */
typedef enum fastnorm_status {
  FASTNORM_OK = 0,
  FASTNORM_ERROR_ARGUMENT = 1,     /* a null pointer, a wrong count or index, a struct of another size */
  FASTNORM_ERROR_FILE = 2,         /* the file can't be read */
  FASTNORM_ERROR_PLAN = 3,         /* not a plan, a plan of another format version, or one that was changed */
  FASTNORM_ERROR_DEVICE = 4,       /* no driver, no such device, or a device that the plan is not for */
  FASTNORM_ERROR_DRIVER = 5,       /* the driver is older than the plan's code needs */
  FASTNORM_ERROR_LOAD = 6,         /* the device refuses the plan's code */
  FASTNORM_ERROR_NOT_PREPARED = 7, /* run before prepare */
  FASTNORM_ERROR_TENSOR = 8,       /* dtype, rank, shape, strides, alignment, ties or overlap of a tensor */
  FASTNORM_ERROR_MEMORY = 9,       /* an address that kernels on this device can't use */
  FASTNORM_ERROR_WORKSPACE = 10,   /* a workspace that is too small, not aligned, null, or over a tensor */
  FASTNORM_ERROR_STREAM = 11,      /* a stream of another context */
  FASTNORM_ERROR_LAUNCH = 12,      /* the driver refuses a launch; on the emulator, what a kernel did wrong */
  FASTNORM_ERROR_OUT_OF_MEMORY = 13,
  FASTNORM_ERROR_INTERNAL = 14 /* a mistake of the library */
} fastnorm_status;

/* Element types. */
typedef enum fastnorm_dtype {
  FASTNORM_F32 = 0,
  FASTNORM_BF16 = 1,
  FASTNORM_F16 = 2,
  FASTNORM_F8E4M3FN = 3,
  FASTNORM_I8 = 4,
  FASTNORM_I32 = 5,
  FASTNORM_I64 = 6
} fastnorm_dtype;

/* The most dimensions of a tensor. */
#define FASTNORM_MAX_RANK 4
/* What the address of a workspace must be a multiple of, in bytes. */
#define FASTNORM_WORKSPACE_ALIGNMENT 256
/* In place of the number of a CUDA device: the emulator, which executes the plan's PTX on the CPU. */
#define FASTNORM_EMULATOR (-1)

/* A loaded plan. */
typedef struct fastnorm_plan fastnorm_plan;

/* A buffer of the caller's, for the time of a call. */
typedef struct fastnorm_tensor {
  void *data; /* of the first element: device memory, or host memory on the emulator; null if there is none */
  fastnorm_dtype dtype;
  int32_t rank;           /* 1 to FASTNORM_MAX_RANK */
  const int64_t *shape;   /* rank extents; 0 is allowed */
  const int64_t *strides; /* rank strides in elements, the last one 1; null: dense, row-major */
} fastnorm_tensor;

/* What a plan is. The strings live as long as the plan. */
typedef struct fastnorm_plan_info {
  size_t struct_size;       /* set by the caller: sizeof(fastnorm_plan_info) */
  const char *function;     /* the graph's name */
  const char *producer;     /* "fastnorm 0.1.0" */
  const char *target;       /* the GPU it was compiled for: "h200" */
  const char *chip;         /* "sm_90"; it runs on this and on newer ones */
  const char *content_hash; /* 16 hexadecimal digits, different for plans that differ */
  size_t symbol_count;
  size_t argument_count;
  size_t result_count;
} fastnorm_plan_info;

/* What an argument or result must be like. Strings live as long as the plan. */
typedef struct fastnorm_tensor_info {
  size_t struct_size; /* set by the caller: sizeof(fastnorm_tensor_info) */
  const char *name;
  fastnorm_dtype dtype;
  int32_t rank;
  int64_t shape[FASTNORM_MAX_RANK];          /* extents; -1 where a symbol is one */
  int32_t shape_symbols[FASTNORM_MAX_RANK];  /* numbers of symbols; -1 where the extent is fixed */
  int32_t is_dense;                          /* 1: row-major without gaps, and strides below are those where known */
  int64_t strides[FASTNORM_MAX_RANK];        /* in elements; -1 where a symbol is one, or follows from the shape */
  int32_t stride_symbols[FASTNORM_MAX_RANK]; /* numbers of symbols; -1 where there is none */
  int64_t alignment;                         /* of the address, in bytes, at best; some variant may take less */
  int32_t tied_result;                       /* of an argument: the result that must be the same buffer; -1: none */
} fastnorm_tensor_info;

/* "0.1.0", the version of the library. */
FASTNORM_API const char *fastnorm_version(void);

/* "FASTNORM_ERROR_TENSOR"; "unknown status" for other numbers. */
FASTNORM_API const char *fastnorm_status_name(fastnorm_status status);

/* What the last call of this thread that failed has to say: one sentence, without a full stop; "" before the first.
   Valid until the next call of this thread that fails. */
FASTNORM_API const char *fastnorm_last_error(void);

/* Reads a plan, as `fastnorm-run GRAPH --emit=plan -o FILE` writes it, and checks all of it: format version, content
   hash, and that everything in it refers to something. The plan is the caller's to destroy.
   Errors: ARGUMENT, FILE, PLAN, OUT_OF_MEMORY. */
FASTNORM_API fastnorm_status fastnorm_plan_load_file(const char *path, fastnorm_plan **plan);

/* The same from `byte_count` bytes of memory, which are not needed afterwards. */
FASTNORM_API fastnorm_status fastnorm_plan_load_memory(const void *text, size_t byte_count, fastnorm_plan **plan);

/* Frees the plan and, where it was prepared, its code on the device. Null is allowed. Work that runs on streams must
   have ended. */
FASTNORM_API void fastnorm_plan_destroy(fastnorm_plan *plan);

/* Errors: ARGUMENT. */
FASTNORM_API fastnorm_status fastnorm_plan_describe(const fastnorm_plan *plan, fastnorm_plan_info *info);

/* The name of symbol `index`: a number of rows or a stride that tensors have in common. It lives as long as the plan.
   Errors: ARGUMENT. */
FASTNORM_API fastnorm_status fastnorm_plan_symbol(const fastnorm_plan *plan, size_t index, const char **name);

/* Argument or result `index`. Errors: ARGUMENT. */
FASTNORM_API fastnorm_status fastnorm_plan_argument(const fastnorm_plan *plan, size_t index,
                                                    fastnorm_tensor_info *info);
FASTNORM_API fastnorm_status fastnorm_plan_result(const fastnorm_plan *plan, size_t index, fastnorm_tensor_info *info);

/* Loads the plan's code on a CUDA device, in its primary context (the one of the CUDA runtime and of frameworks), or on
   the emulator. Everything that is slow or could be put off happens here. A plan is prepared on one device; preparing
   it there again does nothing. Errors: ARGUMENT, DEVICE, DRIVER, LOAD, OUT_OF_MEMORY. */
FASTNORM_API fastnorm_status fastnorm_plan_prepare(fastnorm_plan *plan, int32_t device);

/* Bytes of workspace that runs with these values of the symbols need at most; often 0. The plan need not be prepared.
   Errors: ARGUMENT (a wrong count, a negative value, or values that no variant of the plan serves). */
FASTNORM_API fastnorm_status fastnorm_plan_workspace_size(const fastnorm_plan *plan, const int64_t *symbols,
                                                          size_t symbol_count, size_t *byte_count);

/* The SMs that persistent kernels of later runs fill at most, so that others may use the rest; 0, as at the start, or
   more than the device has: all of them. Kernels whose grids follow from the rows alone are not changed, nor is the
   workspace. Any thread may call it at any time; a run takes what holds when it begins.
   Errors: ARGUMENT (a negative number). */
FASTNORM_API fastnorm_status fastnorm_plan_set_sm_limit(fastnorm_plan *plan, int32_t sm_count);

/* Runs the plan once: launches its kernels on the stream and returns. The tensors stand in the plan's order. Values of
   symbols are taken from their shapes and strides. An argument that is tied to a result is the same buffer as that;
   apart from such pairs no result may overlap an argument or another result. Strides that the plan fixes must match; 0
   is for arguments that are only read.

   `stream` is a CUstream (a cudaStream_t) of the device's primary context, null for the default stream. Buffers and
   workspace (null, if none is needed) must stay until the work on the stream has passed them. The call does not
   allocate, load, wait or synchronize, and may be captured into a CUDA graph; only when more than 8 threads are in it
   at once does one more make room for itself. Nothing is launched if anything is wrong with the operands.

   On the emulator data and workspace are host memory, the stream is null, and the work is done when the call returns.

   Errors: ARGUMENT, NOT_PREPARED, TENSOR, MEMORY, WORKSPACE, STREAM, LAUNCH, OUT_OF_MEMORY. */
FASTNORM_API fastnorm_status fastnorm_plan_run(const fastnorm_plan *plan, const fastnorm_tensor *arguments,
                                               size_t argument_count, const fastnorm_tensor *results,
                                               size_t result_count, void *workspace, size_t workspace_byte_count,
                                               void *stream);

#ifdef __cplusplus
}
#endif

#endif /* FASTNORM_C_FASTNORM_H */
