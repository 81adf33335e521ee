//===- ScheduleChooser.cpp - A measured schedule, else the modelled one ---===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fastnorm/CostModel/ScheduleChooser.h"

#include "fastnorm/CostModel/BestSchedule.h"
#include "fastnorm/CostModel/KernelSignature.h"
#include "fastnorm/CostModel/ScheduleSpace.h"

#include "mlir/AsmParser/AsmParser.h"

using namespace mlir;
using namespace fastnorm;

Result<TableChoice> TableChoice::open(StringRef text, MLIRContext &context) {
  TableChoice choice;
  choice.usesShipped = text == "shipped";
  if (text == "shipped" || text == "none")
    return choice;
  choice.path = text.str();
  Result<ScheduleTable> table = ScheduleTable::read(choice.path);
  if (!table)
    return table.takeError();
  if (Status known = table->checkSchedules(context); !known)
    return Error{"'" + choice.path + "': " + known.error()};
  choice.table = std::make_shared<const ScheduleTable>(std::move(*table));
  return choice;
}

Result<const ScheduleTable *> TableChoice::tableFor(TargetAttr target) const {
  const ScheduleTable *found = usesShipped ? ScheduleTable::shipped(target.getName()) : table.get();
  if (!found || (found->target == target.getName() && found->chip == target.getChip()))
    return found;
  if (usesShipped)
    return nullptr;
  return Error{"'" + path + "': expected a table for " + target.getName().str() + " (" + target.getChip().str() +
               "), but it was measured on " + found->target + " (" + found->chip + ")"};
}

ScheduleChooser::ScheduleChooser(const AccessPattern &pattern, TargetAttr target, const ScheduleTable *table)
    : pattern(pattern), target(target) {
  if (table && pattern.unsupported.empty())
    kernel = table->find(kernelSignature(pattern));
}

ChosenSchedule ScheduleChooser::choose(std::optional<int64_t> rows) const {
  ChosenSchedule chosen;
  if (const TunedSchedule *tuned = kernel ? findTuned(*kernel, rows) : nullptr) {
    MLIRContext *context = target.getContext();
    ScopedDiagnosticHandler quiet(context, [](Diagnostic &) { return success(); });
    auto schedule = dyn_cast_or_null<ScheduleAttr>(parseAttribute(tuned->schedule, context));
    std::optional<std::string> reason =
        schedule ? whyIllegal(pattern, schedule, target) : "is not one of this compiler";
    if (!reason) {
      chosen.schedule = schedule;
      chosen.tuned = tuned;
      return chosen;
    }
    chosen.refusal = *reason;
  }
  chosen.schedule = bestSchedule(pattern, target, rows);
  return chosen;
}

SmallVector<int64_t> ScheduleChooser::tableStarts() const {
  SmallVector<int64_t> starts;
  if (!kernel)
    return starts;
  for (const TunedSchedule &tuned : kernel->schedules) {
    if (starts.empty() || starts.back() != tuned.low)
      starts.push_back(tuned.low);
    if (tuned.high != INT64_MAX)
      starts.push_back(tuned.high + 1);
  }
  return starts;
}
