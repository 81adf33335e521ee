/*===- check.c - The C interface, used rightly and wrongly -----------------===*\
|*                                                                            *|
|* Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.      *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* usage: fastnorm-c-check SCENARIO PLAN.json                                 *|
|*                                                                            *|
|* Compiled as C99. The plan is a norm over x (rows x 40, f32) with a weight, *|
|* compiled from the test beside this file. Prints what each call came to.    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "fastnorm-c/fastnorm.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 5, HIDDEN = 40, STRIDE = 48 };

/* x = 1 .. in rows that lie STRIDE apart, a weight of 2, and the result. */
typedef struct operands {
  float x[ROWS * STRIDE];
  float weight[HIDDEN];
  float y[ROWS * HIDDEN];
  int64_t x_shape[2];
  int64_t x_strides[2];
  int64_t weight_shape[1];
  int64_t y_shape[2];
  fastnorm_tensor arguments[2];
  fastnorm_tensor results[1];
} operands;

static void set_up(operands *o) {
  memset(o, 0, sizeof(*o));
  for (int row = 0; row < ROWS; ++row)
    for (int column = 0; column < STRIDE; ++column)
      o->x[row * STRIDE + column] = column < HIDDEN ? (float)(row + column % 3 + 1) : 1e30f;
  for (int column = 0; column < HIDDEN; ++column)
    o->weight[column] = 2.0f;
  o->x_shape[0] = o->y_shape[0] = ROWS;
  o->x_shape[1] = o->y_shape[1] = o->weight_shape[0] = HIDDEN;
  o->x_strides[0] = STRIDE;
  o->x_strides[1] = 1;
  o->arguments[0].data = o->x;
  o->arguments[0].rank = 2;
  o->arguments[0].shape = o->x_shape;
  o->arguments[0].strides = o->x_strides;
  o->arguments[1].data = o->weight;
  o->arguments[1].rank = 1;
  o->arguments[1].shape = o->weight_shape;
  o->results[0].data = o->y;
  o->results[0].rank = 2;
  o->results[0].shape = o->y_shape;
}

/* Rows of y that are not x / sqrt(mean(x * x) + 1e-6) * 2. */
static int wrong_rows(const operands *o) {
  int wrong = 0;
  for (int row = 0; row < ROWS; ++row) {
    double sum = 0.0;
    int matches = 1;
    for (int column = 0; column < HIDDEN; ++column)
      sum += (double)o->x[row * STRIDE + column] * o->x[row * STRIDE + column];
    for (int column = 0; column < HIDDEN; ++column) {
      double expected = o->x[row * STRIDE + column] / sqrt(sum / HIDDEN + 1e-6) * 2.0;
      matches &= fabs(o->y[row * HIDDEN + column] - expected) < 1e-4;
    }
    wrong += !matches;
  }
  return wrong;
}

static fastnorm_status run(const fastnorm_plan *plan, operands *o) {
  return fastnorm_plan_run(plan, o->arguments, 2, o->results, 1, NULL, 0, NULL);
}

/* "label: FASTNORM_ERROR_TENSOR: sentence". */
static void report(const char *label, fastnorm_status status) {
  printf("%s: %s%s%s\n", label, fastnorm_status_name(status), status ? ": " : "", status ? fastnorm_last_error() : "");
}

static void describe(const fastnorm_plan *plan) {
  fastnorm_plan_info info;
  fastnorm_tensor_info tensor;
  const char *symbol = "";
  int64_t symbols[2] = {ROWS, STRIDE};
  size_t bytes = 77;
  info.struct_size = sizeof(info);
  tensor.struct_size = sizeof(tensor);
  report("describe", fastnorm_plan_describe(plan, &info));
  printf("%s for %s (%s): %d symbols, %d arguments, %d results, hash of %d digits\n", info.function, info.target,
         info.chip, (int)info.symbol_count, (int)info.argument_count, (int)info.result_count,
         (int)strlen(info.content_hash));
  for (size_t index = 0; index < info.symbol_count; ++index) {
    fastnorm_plan_symbol(plan, index, &symbol);
    printf("symbol %d: %s\n", (int)index, symbol);
  }
  report("argument", fastnorm_plan_argument(plan, 0, &tensor));
  printf("%s: dtype %d, rank %d, shape %d (symbol %d) x %d, dense %d, stride symbol %d, tied to %d\n", tensor.name,
         (int)tensor.dtype, (int)tensor.rank, (int)tensor.shape[0], (int)tensor.shape_symbols[0], (int)tensor.shape[1],
         (int)tensor.is_dense, (int)tensor.stride_symbols[0], (int)tensor.tied_result);
  report("workspace size", fastnorm_plan_workspace_size(plan, symbols, info.symbol_count, &bytes));
  printf("workspace of %d bytes\n", (int)bytes);
  report("no such argument", fastnorm_plan_argument(plan, 2, &tensor));
  report("no such symbol", fastnorm_plan_symbol(plan, 9, &symbol));
  tensor.struct_size = 8;
  report("other struct", fastnorm_plan_result(plan, 0, &tensor));
  report("no plan", fastnorm_plan_describe(NULL, &info));
  report("no struct", fastnorm_plan_describe(plan, NULL));
  symbols[0] = -1;
  report("negative rows", fastnorm_plan_workspace_size(plan, symbols, info.symbol_count, &bytes));
  report("too few symbols", fastnorm_plan_workspace_size(plan, symbols, 0, &bytes));
}

static void misuse(fastnorm_plan *plan) {
  static operands o;
  set_up(&o);
  report("unprepared", run(plan, &o));
  report("no such device", fastnorm_plan_prepare(plan, -7));
  report("prepare", fastnorm_plan_prepare(plan, FASTNORM_EMULATOR));
  report("prepare again", fastnorm_plan_prepare(plan, FASTNORM_EMULATOR));
  report("other device", fastnorm_plan_prepare(plan, 0));
  report("prepare nothing", fastnorm_plan_prepare(NULL, 0));
  report("run nothing", run(NULL, &o));
  report("limit nothing", fastnorm_plan_set_sm_limit(NULL, 1));
  report("fewer than no SMs", fastnorm_plan_set_sm_limit(plan, -1));
  report("one SM", fastnorm_plan_set_sm_limit(plan, 1));
  report("no arguments", fastnorm_plan_run(plan, NULL, 2, o.results, 1, NULL, 0, NULL));
  report("too few arguments", fastnorm_plan_run(plan, o.arguments, 1, o.results, 1, NULL, 0, NULL));
  report("a stream", fastnorm_plan_run(plan, o.arguments, 2, o.results, 1, NULL, 0, &o));
  o.arguments[0].data = NULL;
  report("no data", run(plan, &o));
  set_up(&o);
  o.arguments[0].dtype = (fastnorm_dtype)99;
  report("no dtype", run(plan, &o));
  o.arguments[0].dtype = FASTNORM_BF16;
  report("other dtype", run(plan, &o));
  set_up(&o);
  o.arguments[0].rank = 5;
  report("five dimensions", run(plan, &o));
  o.arguments[0].rank = 1;
  report("one dimension", run(plan, &o));
  set_up(&o);
  o.arguments[0].shape = NULL;
  report("no shape", run(plan, &o));
  set_up(&o);
  o.x_shape[1] = 41;
  report("other hidden", run(plan, &o));
  set_up(&o);
  o.y_shape[0] = ROWS - 1;
  report("other rows", run(plan, &o));
  set_up(&o);
  o.x_strides[1] = 2;
  report("last stride", run(plan, &o));
  set_up(&o);
  o.x_strides[0] = -STRIDE;
  report("negative stride", run(plan, &o));
  set_up(&o);
  o.results[0].data = o.x + 4;
  report("overlap", run(plan, &o));
  set_up(&o);
  o.arguments[0].data = (char *)o.x + 1;
  report("odd address", run(plan, &o));
  set_up(&o);
  report("right at last", run(plan, &o));
  printf("wrong rows: %d\n", wrong_rows(&o));
  o.x_shape[0] = o.y_shape[0] = 0;
  report("no rows", run(plan, &o));
}

static void *run_often(void *plan) {
  static const int64_t kTimes = 20;
  int64_t wrong = 0;
  operands *o = malloc(sizeof(*o));
  for (int64_t time = 0; time < kTimes; ++time) {
    set_up(o);
    wrong += run(plan, o) != FASTNORM_OK || wrong_rows(o) != 0;
    /* An error of this thread is not the other's. */
    o->x_shape[1] = 41;
    wrong += run(plan, o) != FASTNORM_ERROR_TENSOR || !strstr(fastnorm_last_error(), "41");
  }
  free(o);
  return (void *)(intptr_t)wrong;
}

static void share(fastnorm_plan *plan) {
  pthread_t threads[2];
  void *wrong[2] = {NULL, NULL};
  report("prepare", fastnorm_plan_prepare(plan, FASTNORM_EMULATOR));
  for (int index = 0; index < 2; ++index)
    pthread_create(&threads[index], NULL, run_often, plan);
  for (int index = 0; index < 2; ++index)
    pthread_join(threads[index], &wrong[index]);
  printf("runs that went wrong: %d, %d\n", (int)(intptr_t)wrong[0], (int)(intptr_t)wrong[1]);
  printf("last error of this thread: '%s'\n", fastnorm_last_error());
}

/* On the stand-in for the driver that the tests have: functions of its own say what it shall be like. */
static void on_stand_in(fastnorm_plan *plan) {
  static operands o;
  static char memory[512]; /* room for 256 bytes at a multiple of 256 */
  char *workspace = memory + (256 - (uintptr_t)memory % 256) % 256;
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  void (*set_memory)(int, int);
  void (*set_foreign_streams)(int);
  void (*fail)(const char *, int);
  void (*last_launch)(unsigned *, unsigned *, unsigned *, unsigned *);
  unsigned grid = 0, threads = 0, shared = 0, argument = 0;
  *(void **)&set_memory = dlsym(driver, "fakeCudaSetMemory");
  *(void **)&set_foreign_streams = dlsym(driver, "fakeCudaSetForeignStreams");
  *(void **)&fail = dlsym(driver, "fakeCudaFail");
  *(void **)&last_launch = dlsym(driver, "fakeCudaLastLaunch");
  set_up(&o);
  report("no such card", fastnorm_plan_prepare(plan, 5));
  report("prepare", fastnorm_plan_prepare(plan, 0));
  report("run", fastnorm_plan_run(plan, o.arguments, 2, o.results, 1, workspace, 256, NULL));
  last_launch(&grid, &threads, &shared, &argument);
  printf("launched %u x %u, first argument %u\n", grid, threads, argument);
  report("small workspace", fastnorm_plan_run(plan, o.arguments, 2, o.results, 1, workspace, 255, NULL));
  o.arguments[0].data = o.x + STRIDE; /* an address that did not come before */
  o.x_shape[0] = o.y_shape[0] = ROWS - 1;
  set_memory(2, 1);
  report("other memory", fastnorm_plan_run(plan, o.arguments, 2, o.results, 1, workspace, 256, NULL));
  set_memory(2, 0);
  set_up(&o);
  set_foreign_streams(1);
  report("other stream", fastnorm_plan_run(plan, o.arguments, 2, o.results, 1, workspace, 256, &o));
  set_foreign_streams(0);
  fail("cuLaunchKernel", 700);
  report("failed launch", fastnorm_plan_run(plan, o.arguments, 2, o.results, 1, workspace, 256, &o));
}

int main(int count, char **arguments) {
  fastnorm_plan *plan = NULL;
  fastnorm_status status;
  if (count != 3)
    return 2;
  status = fastnorm_plan_load_file(arguments[2], &plan);
  report("load", status);
  if (strcmp(arguments[1], "load") == 0) {
    report("load nothing", fastnorm_plan_load_file(NULL, &plan));
    report("load nowhere", fastnorm_plan_load_file(arguments[2], NULL));
    report("load no text", fastnorm_plan_load_memory("", 0, &plan));
    report("load another text", fastnorm_plan_load_memory("{}", 2, &plan));
  } else if (status == FASTNORM_OK && strcmp(arguments[1], "describe") == 0) {
    printf("version %s\n", fastnorm_version());
    describe(plan);
  } else if (status == FASTNORM_OK && strcmp(arguments[1], "misuse") == 0) {
    misuse(plan);
  } else if (status == FASTNORM_OK && strcmp(arguments[1], "threads") == 0) {
    share(plan);
  } else if (status == FASTNORM_OK && strcmp(arguments[1], "device") == 0) {
    report("prepare", fastnorm_plan_prepare(plan, 0));
  } else if (status == FASTNORM_OK && strcmp(arguments[1], "cuda") == 0) {
    on_stand_in(plan);
  }
  fastnorm_plan_destroy(plan);
  fastnorm_plan_destroy(NULL);
  return 0;
}
