//===- TuneCommand.cpp - Measures schedules into a table ------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TuneCommand.h"

#include "Interrupt.h"
#include "OutputFile.h"

#include "fastnorm/Target/KnownTargets.h"
#include "fastnorm/Tuning/IsolatedKernel.h"
#include "fastnorm/Tuning/TuningReport.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <thread>

using namespace fastnorm;
using namespace fastnorm::tool;

/// Compiling a schedule takes a core some 50 ms; more of them at once than are timed together gain nothing.
static constexpr unsigned kMostThreads = 16;

static double secondsNow() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Result<TuneCommand> TuneCommand::create(const Options &options, const CompileOptions &compileOptions, Device &device) {
  if (device.info().isEmulator)
    return Error{"expected a GPU to tune on, but got the emulator, which does not model time; pass --device=cuda where "
                 "there is one"};
  TuneCommand command(options, device);
  if (Status writable = checkWritableText(command.path); !writable)
    return writable.takeError();
  std::unique_ptr<mlir::MLIRContext> context = createContext();
  Result<TargetAttr> target = findTarget(context.get(), compileOptions.target);
  if (!target)
    return target.takeError();
  command.table = ScheduleTable{target->getName().str(), target->getChip().str(), {}};
  if (!llvm::sys::fs::is_regular_file(command.path))
    return command;
  Result<ScheduleTable> there = ScheduleTable::read(command.path);
  if (!there)
    return Error{there.error() + "; measurements go to another file, or to this one when it was removed"};
  if (there->target != command.table.target || there->chip != command.table.chip)
    return Error{"'" + command.path + "': expected a table for " + command.table.target + " (" + command.table.chip +
                 "), but it was measured on " + there->target + " (" + there->chip + "); use another file"};
  command.table = std::move(*there);
  return command;
}

/// Writes the table with what another process put into the file meanwhile. What cannot be written goes to stdout.
Status TuneCommand::save() {
  if (llvm::sys::fs::is_regular_file(path))
    if (Result<ScheduleTable> there = ScheduleTable::read(path); there && there->target == table.target)
      table.merge(*there);
  Status written = writeFile(path, table.str());
  if (!written)
    (llvm::outs() << table.str()).flush();
  return written;
}

Status TuneCommand::add(TunedResult result) {
  llvm::outs() << describe(result);
  llvm::outs().flush();
  table.add(result.kernel, result.signature, result.measured, result.servesMore);
  tuned.push_back(std::move(result));
  return save();
}

Status TuneCommand::tune(const Source &source, const CompileOptions &compileOptions, double seconds) {
  double end = secondsNow() + seconds;
  mlir::OwningOpRef<mlir::ModuleOp> copy(source.module().clone());
  Result<IsolatedKernels> isolated = isolateKernels(*copy, compileOptions);
  if (!isolated)
    return isolated.takeError();
  for (const std::string &skipped : isolated->skipped)
    note("not tuned: " + skipped);
  TunerOptions options;
  options.threads = std::min(kMostThreads, std::max(1u, std::thread::hardware_concurrency()));
  options.isStopped = Interrupt::hasCome;
  Status status;
  size_t left = isolated->kernels.size();
  for (const IsolatedKernel &kernel : isolated->kernels) {
    double share = std::max(0.0, end - secondsNow()) / static_cast<double>(left--);
    if (Interrupt::hasCome() || !done.insert({kernel.signature, kernel.rows}).second)
      continue;
    Result<TunedResult> result = Tuner(*device, compileOptions, options, &table).tune(kernel, share);
    if (!result) {
      std::string text =
          "kernel '" + kernel.name + "' at rows = " + std::to_string(kernel.rows) + ": " + result.error();
      if (status)
        status = Error{text};
      else
        note(text);
      continue;
    }
    // Without a place for what is measured nothing more need be.
    if (Status saved = add(std::move(*result)); !saved)
      return saved;
  }
  return status;
}

void TuneCommand::finish() const {
  if (Interrupt::hasCome())
    note("interrupted: what was measured is in '" + path + "'");
  llvm::outs() << "table " << path << ": " << describeRegret(table) << "\n";
  llvm::outs().flush();
}

Exit tool::tuneCommand(const Options &options, const Source &source, const CompileOptions &compileOptions,
                       Device &device) {
  Result<TuneCommand> command = TuneCommand::create(options, compileOptions, device);
  if (!command)
    return failed(command.error());
  Interrupt interrupt;
  Status tuned = command->tune(source, compileOptions, options.tuneSeconds);
  command->finish();
  return tuned ? Exit::Done : failed(tuned.error());
}
