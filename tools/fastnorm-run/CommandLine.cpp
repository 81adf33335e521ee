//===- CommandLine.cpp - The flags as they are written --------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace fastnorm;
using namespace fastnorm::tool;

static constexpr char kOverview[] =
    R"(compile a graph of gather, combine, reduce and normalize, run it, check it, time it

  fastnorm-run graph.mlir --fill=seed:1 --dim rows=128 --check=reference
  fastnorm-run graph.mlir --input x=x.npy --output y=y.npy
  fastnorm-run graph.mlir --inputs all.safetensors --outputs results.safetensors
  fastnorm-run graph.mlir --fill=seed:1 --dim rows=4096 --bench --report=html:page.html
  fastnorm-run --compare a.json b.json --fill=seed:1 --dim rows=4096
  fastnorm-run graph.mlir --target=h200 --emit=plan -o graph.json
  fastnorm-run --graph=rms_norm --set hidden=2048,dtype=f16 --fill=seed:1 --dim rows=128 --check=reference

Exit status: 0 done; 1 compiling, running or checking failed; 2 bad use.
)";

/// The first complaint of the parser, as a sentence of ours: lower case, no exclamation, no suggestions.
static std::string sentence(llvm::StringRef complaint, llvm::StringRef program) {
  llvm::StringRef line = complaint.split('\n').first;
  line.consume_front(program);
  line = line.ltrim(": ");
  line = line.split(".  Try:").first.rtrim("!. ");
  std::string text = line.str();
  if (!text.empty())
    text[0] = llvm::toLower(text[0]);
  return text + "; see fastnorm-run --help";
}

static bool isInCategory(const llvm::cl::Option &option, const llvm::cl::OptionCategory &category) {
  return llvm::is_contained(option.Categories, &category);
}

/// A value that is missing or too much is what LLVM's parser complains of by itself, in its own words.
static Status checkValues(llvm::ArrayRef<char *> arguments) {
  auto &options = llvm::cl::getRegisteredOptions();
  for (llvm::StringRef argument : arguments) {
    auto [flag, value] = argument.split('=');
    llvm::StringRef word = flag.ltrim('-');
    auto known = word == flag || flag == argument ? options.end() : options.find(word);
    if (known != options.end() && (llvm::is_contained({"bench", "compare", "hot", "serving", "profile", "explain",
                                                       "row-invariant", "no-cache", "timing"},
                                                      word) ||
                                   known->second->getValueExpectedFlag() == llvm::cl::ValueDisallowed))
      return Error{("expected " + flag + " without a value, but got '" + value + "'").str()};
  }
  llvm::StringRef last = arguments.back();
  llvm::StringRef name = last.ltrim('-');
  auto option = options.find(name);
  if (name == last || option == options.end() || option->second->getValueExpectedFlag() != llvm::cl::ValueRequired)
    return {};
  return Error{("expected a value behind " + last + ", but got none; see fastnorm-run --help").str()};
}

Status CommandLine::parse(int argc, char **argv) {
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &stream) { stream << "fastnorm " FASTNORM_VERSION "\n"; });
  llvm::cl::HideUnrelatedOptions(category);
  if (Status checked = checkValues(llvm::ArrayRef(argv, argc)); !checked)
    return checked;
  std::string complaints;
  llvm::raw_string_ostream stream(complaints);
  if (!llvm::cl::ParseCommandLineOptions(argc, argv, kOverview, &stream))
    return Error{sentence(complaints, llvm::sys::path::filename(argv[0]))};
  for (auto &entry : llvm::cl::getRegisteredOptions()) {
    const llvm::cl::Option &option = *entry.second;
    std::string name = (entry.first.size() == 1 ? "-" : "--") + entry.first.str();
    if (option.getNumOccurrences() && !isInCategory(option, category))
      return Error{"unknown command line argument '" + name + "'; see fastnorm-run --help"};
    bool isRepeatable = llvm::is_contained(
        {"input", "output", "dim", "set", "offset", "against", "report", "results", ""}, entry.first);
    if (option.getNumOccurrences() > 1 && !isRepeatable)
      return Error{"expected " + name + " once, but got it " + std::to_string(option.getNumOccurrences()) + " times"};
  }
  return {};
}
