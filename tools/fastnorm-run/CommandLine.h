//===- CommandLine.h - The flags as they are written ------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TOOLS_RUN_COMMANDLINE_H
#define FASTNORM_TOOLS_RUN_COMMANDLINE_H

#include "fastnorm/Support/Result.h"

#include "llvm/Support/CommandLine.h"

#include <string>

namespace fastnorm::tool {

/// Registers the flags while it lives. Everything that has a form of its own is text here; Options reads it.
struct CommandLine {
  llvm::cl::OptionCategory category{"fastnorm-run options"};

  /// Given once; `parse` sees to it.
  struct Flag : llvm::cl::opt<std::string> {
    template <typename... Modifiers>
    Flag(CommandLine &line, llvm::StringRef name, const char *form, const char *description, Modifiers... modifiers)
        : opt(name, llvm::cl::value_desc(form), llvm::cl::desc(description), llvm::cl::ZeroOrMore,
              llvm::cl::cat(line.category), modifiers...) {}
  };
  struct Flags : llvm::cl::list<std::string> {
    Flags(CommandLine &line, llvm::StringRef name, const char *form, const char *description)
        : list(name, llvm::cl::value_desc(form), llvm::cl::desc(description), llvm::cl::cat(line.category)) {}
  };

  llvm::cl::list<std::string> sources{llvm::cl::Positional, llvm::cl::desc("GRAPH.mlir | PLAN.json"),
                                      llvm::cl::cat(category)};
  Flag graph{*this, "graph", "NAME|help", "A built-in graph instead of a file; help lists them with their keys"};
  Flags settings{*this, "set", "KEY=VALUE,...", "The keys of a built-in graph (repeatable)"};
  Flags inputs{*this, "input", "NAME=FILE.npy", "Read an argument from a file (repeatable)"};
  Flags outputs{*this, "output", "NAME=FILE.npy", "Write a result to a file (repeatable)"};
  Flag inputsFile{*this, "inputs", "FILE.safetensors", "Read arguments from a file that names them"};
  Flag outputsFile{*this, "outputs", "FILE.safetensors", "Write all results to a file that names them"};
  Flags dimensions{*this, "dim", "SYMBOL=N", "The value of a dynamic dimension (repeatable)"};
  Flags offsets{*this, "offset", "NAME=ELEMENTS",
                "Place an argument or result so many elements past an aligned address, as a view into a larger buffer "
                "would be; compiles for --alignment=both unless that is written (repeatable)"};
  Flag fill{
      *this, "fill", "seed:N[,NAME=ROLE...]",
      "Fill the arguments that have no file, the same for the same seed. Without a ROLE the graph says what an "
      "argument is; a ROLE is around:MEAN[+DEVIATION], constant:VALUE, gate, and for a row index perm, dup (every "
      "row twice in a line) or drop:SHARE (that share names no row)"};
  Flag device{*this, "device", "auto|cuda[:N]|emulator",
              "Where to run; auto is a CUDA device if there is one, else the emulator", llvm::cl::init("auto")};
  Flag emulatorSeed{*this, "emulator-seed", "N", "Run the emulator's warps in an order drawn from a seed"};
  Flag target{*this, "target", "NAME", "What to compile for, as h200 or sm_90 (default: the device)"};
  Flag fuse{
      *this, "fuse", "auto|always|never|plan:A+B,C",
      "Which kernels to fuse: what the cost model says is fastest, all, none, or those named, groups apart by commas",
      llvm::cl::init("auto")};
  Flag alignment{*this, "alignment", "aligned|any|both",
                 "Compile for operands on multiples of 16 bytes, for any, or for each apart",
                 llvm::cl::init("aligned")};
  llvm::cl::opt<bool> rowInvariant{"row-invariant",
                                   llvm::cl::desc("Compile one schedule for every number of rows: a row's result never "
                                                  "depends on how many rows run with it"),
                                   llvm::cl::ZeroOrMore, llvm::cl::cat(category)};
  llvm::cl::opt<bool> explain{
      "explain",
      llvm::cl::desc(
          "Write how the cost model groups the graph's kernels instead of running it: what each way takes for "
          "--dim rows, what bounds it, which rows get which"),
      llvm::cl::ZeroOrMore, llvm::cl::cat(category)};
  Flag tuned{
      *this, "tuned", "FILE|shipped|none",
      "Take schedules from a table of measured ones, as --tune writes it, before the cost model is asked; shipped is "
      "the one that the compiler brings for the target",
      llvm::cl::init("shipped")};
  Flag cacheFolder{*this, "cache-dir", "DIR",
                   "Keep compiled plans here, and look for them (default: fastnorm in $XDG_CACHE_HOME or ~/.cache)"};
  llvm::cl::opt<bool> noCache{"no-cache", llvm::cl::desc("Compile, whatever was compiled before, and keep nothing"),
                              llvm::cl::ZeroOrMore, llvm::cl::cat(category)};
  Flag check{*this, "check", "reference[:all|:sample]",
             "Compare the results with a naive evaluation of the graph, in all rows or, by default where tensors are "
             "large, in a sample of them; filled arguments are then made on the device"};
  llvm::cl::opt<bool> bench{"bench", llvm::cl::desc("Time the kernels, and a copy to compare them with"),
                            llvm::cl::ZeroOrMore, llvm::cl::cat(category)};
  llvm::cl::opt<bool> hot{"hot", llvm::cl::desc("With --bench: launch on the same buffers again and again, in the L2"),
                          llvm::cl::ZeroOrMore, llvm::cl::cat(category)};
  llvm::cl::opt<bool> serving{
      "serving", llvm::cl::desc("With --bench: what has rows stays in the L2, what all rows share (weights) does not"),
      llvm::cl::ZeroOrMore, llvm::cl::cat(category)};
  Flag seconds{*this, "seconds", "N",
               "With --bench: sample for so long at most, where medians are not known to 1 % before (default: 5); with "
               "--tune: try schedules for so long, in all (default: 60)"};
  Flags against{*this, "against", "NAME=TIME",
                "With --bench: a time from elsewhere to compare with, as torch=392us (ns, us, ms or s; repeatable)"};
  Flags reports{*this, "report", "table|json|csv|html[:FILE]",
                "What to print, or to write into a file: the table, everything with all samples, a line a kernel, or a "
                "page to look at (repeatable)"};
  Flags results{
      *this, "results", "FILE.json",
      "Report what --report=json wrote instead of running anything; of several, how they differ (repeatable)"};
  llvm::cl::opt<bool> compare{"compare", llvm::cl::desc("Time two compiled plans in turns: --compare A.json B.json"),
                              llvm::cl::ZeroOrMore, llvm::cl::cat(category)};
  Flag tune{
      *this, "tune", "FILE",
      "Try schedules for each kernel of the graph, keep the fastest, and put it into this table, which --tuned then "
      "reads; for --dim rows, or all rows of --sweep. Needs a GPU"};
  Flag sweep{
      *this, "sweep", "KEY=VALUE,...",
      "Run, --bench or --tune the graph at every combination of values: keys of --graph, else dynamic dimensions; "
      "a value may be A..B:xF (times F), A..B:+S or a product of earlier keys, as in "
      "rows=1..4096:x4,top_k=4,8,expert_rows=rows*top_k. All results are reported together"};
  Flag sweepFile{
      *this, "sweep-file", "FILE.jsonl",
      "Keep the results of --sweep here, a line a point as it comes; a further run of the same goes on there"};
  llvm::cl::opt<bool> timing{"timing", llvm::cl::desc("Write to stderr how long each stage of compiling takes"),
                             llvm::cl::ZeroOrMore, llvm::cl::cat(category)};
  llvm::cl::opt<bool> profile{
      "profile",
      llvm::cl::desc("Print nothing and let a profiler see one run of the graph, after a warm-up: for nsys profile -c "
                     "cudaProfilerApi and ncu --profile-from-start off, which then see no other launch"),
      llvm::cl::ZeroOrMore, llvm::cl::cat(category)};
  Flag emit{*this, "emit", "mlir|plan|ptx", "Write the graph, its plan or its PTX instead of running it"};
  Flag emitFile{*this, "o", "FILE", "Where to --emit to (default: stdout)", llvm::cl::init("-")};
  Flag dump{*this, "dump", "STAGE",
            "Write the IR after decompose, fuse, schedule, gpu, nvvm or ptx to stdout instead of running"};

  /// Only these flags are known, though the libraries of the compiler register others.
  Status parse(int argc, char **argv);
};

} // namespace fastnorm::tool

#endif // FASTNORM_TOOLS_RUN_COMMANDLINE_H
