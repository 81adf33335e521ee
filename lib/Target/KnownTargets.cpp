//===- KnownTargets.cpp - GPUs by name -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/Target/KnownTargets.h"

#include "mlir/AsmParser/AsmParser.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace fastnorm;

namespace {
struct KnownTarget {
  llvm::StringLiteral name;
  llvm::StringLiteral chip;
  llvm::StringLiteral attribute;
};
} // namespace

// Registers, threads, CTAs and shared memory per multiprocessor: CUDA C++ Programming Guide 13.0, table of technical
// specifications per compute capability (a CTA may have 1 KiB less shared memory than its multiprocessor).
// Multiprocessors, bandwidth and L2: the card's datasheet or architecture white paper, named behind each.
// ptx: the lowest version that declares the chip, so that older drivers load what is emitted.
// cluster_ctas: 8 is portable (CUDA C++ Programming Guide 13.0, thread block clusters); 16 where the guide says so
// (H100) and for the datacentre chip that follows it. The first card of a chip stands for it.
// timing: of the H200 fitted to its times in benchmarks/results (docs/Schedules.md); the other cards have none of their
// own and are modelled from it (Timing.cpp).
static constexpr KnownTarget kTargets[] = {
    // NVIDIA A100 80GB PCIe/SXM datasheet; A100 white paper (L2 40 MB).
    {"a100", "sm_80",
     R"(#fastnorm.target<name = "a100", chip = "sm_80", ptx = 70, multiprocessors = 108, registers = 65536,
        shared_bytes = 166912, threads = 2048, ctas = 32, bandwidth = 2039, l2_bytes = 41943040>)"},
    // NVIDIA A10 datasheet; GA102 white paper (L2 6 MB).
    {"a10", "sm_86",
     R"(#fastnorm.target<name = "a10", chip = "sm_86", ptx = 71, multiprocessors = 72, registers = 65536,
        shared_bytes = 101376, threads = 1536, ctas = 16, bandwidth = 600, l2_bytes = 6291456>)"},
    // NVIDIA L40S datasheet; Ada white paper (L2 96 MB).
    {"l40s", "sm_89",
     R"(#fastnorm.target<name = "l40s", chip = "sm_89", ptx = 78, multiprocessors = 142, registers = 65536,
        shared_bytes = 101376, threads = 1536, ctas = 24, bandwidth = 864, l2_bytes = 100663296>)"},
    // NVIDIA H200 SXM datasheet (4.8 TB/s); L2 as the driver reports it, 60 MB.
    {"h200", "sm_90",
     R"(#fastnorm.target<name = "h200", chip = "sm_90", ptx = 78, multiprocessors = 132, registers = 65536,
        shared_bytes = 232448, threads = 2048, ctas = 32, bandwidth = 4800, l2_bytes = 62914560, cluster_ctas = 16,
        timing = <read_bandwidth = 4390, write_bandwidth = 3820, l2_bandwidth = 8700, multiprocessor_bandwidth = 114,
        launch_ns = 730, load_ns = 500, l2_load_ns = 300, dependent_ns = 710, round_ns = 300, reduce_ns = 400,
        cluster_ns = 540, measured = true>>)"},
    // NVIDIA H100 SXM datasheet (3.35 TB/s); H100 white paper (L2 50 MB).
    {"h100", "sm_90",
     R"(#fastnorm.target<name = "h100", chip = "sm_90", ptx = 78, multiprocessors = 132, registers = 65536,
        shared_bytes = 232448, threads = 2048, ctas = 32, bandwidth = 3350, l2_bytes = 52428800, cluster_ctas = 16>)"},
    // NVIDIA B200 datasheet (8 TB/s, 148 multiprocessors); L2 126 MB.
    {"b200", "sm_100",
     R"(#fastnorm.target<name = "b200", chip = "sm_100", ptx = 86, multiprocessors = 148, registers = 65536,
        shared_bytes = 232448, threads = 2048, ctas = 32, bandwidth = 8000, l2_bytes = 132120576, cluster_ctas = 16>)"},
    // GeForce RTX 5090; RTX Blackwell white paper (1792 GB/s, L2 96 MB).
    {"rtx5090", "sm_120",
     R"(#fastnorm.target<name = "rtx5090", chip = "sm_120", ptx = 87, multiprocessors = 170, registers = 65536,
        shared_bytes = 101376, threads = 1536, ctas = 24, bandwidth = 1792, l2_bytes = 100663296, cluster_ctas = 8>)"},
};

Result<TargetAttr> fastnorm::findTarget(MLIRContext *context, llvm::StringRef nameOrChip) {
  for (const KnownTarget &target : kTargets)
    if (target.name == nameOrChip || target.chip == nameOrChip)
      return cast<TargetAttr>(parseAttribute(target.attribute, context));
  std::string known;
  for (const KnownTarget &target : kTargets)
    known += (known.empty() ? "" : ", ") + target.name.str() + " (" + target.chip.str() + ")";
  return Error{"expected a known target or chip, but got '" + nameOrChip.str() + "'; known are " + known};
}

llvm::StringRef fastnorm::cardOfChip(llvm::StringRef chip) {
  for (const KnownTarget &target : kTargets)
    if (target.chip == chip)
      return target.name;
  return {};
}
