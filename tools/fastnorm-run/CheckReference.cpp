//===- CheckReference.cpp - Results against the reference -----------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckReference.h"

#include "fastnorm/Reference/Interpreter.h"
#include "runtime/TensorIO/Compare.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace fastnorm;

Status tool::checkReference(mlir::func::FuncOp graph, const Plan &plan, const NamedTensors &inputs,
                            const NamedTensors &outputs) {
  std::vector<HostTensor> arguments;
  for (const TensorSpec &spec : plan.arguments)
    arguments.push_back(inputs.at(spec.name));
  Result<std::vector<HostTensor>> references = interpret(graph, arguments);
  if (!references)
    return Error{"the reference could not evaluate the graph: " + references.error()};
  Status status;
  for (auto [spec, reference] : llvm::zip(plan.results, *references)) {
    Result<Comparison> comparison = compare(outputs.at(spec.name), reference, "result '" + spec.name + "'");
    if (!comparison)
      return comparison.takeError();
    llvm::outs() << comparison->sentence << "\n";
    if (!comparison->matches && status)
      status = Error{comparison->sentence};
  }
  return status;
}
