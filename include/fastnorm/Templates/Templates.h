//===- Templates.h - Graphs by name and settings ----------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A template is the text of a graph with holes, and the keys that fill them:
// text goes in, text comes out, and whoever wants a graph parses it.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TEMPLATES_TEMPLATES_H
#define FASTNORM_TEMPLATES_TEMPLATES_H

#include "fastnorm/Support/Result.h"

#include <map>
#include <string>
#include <vector>

namespace fastnorm {

/// "rms_norm", "layer_norm", …
std::vector<std::string> templateNames();

/// The keys of a template, in order. An error names the templates that there are.
Result<std::vector<std::string>> templateKeys(const std::string &name);

/// All templates, each with its keys, their values and defaults; text for people.
std::string describeTemplates();

/// The text of a graph, a function of the template's name. `settings` are values by key; what is not set has its
/// default. An error names the templates, keys or values that there are.
Result<std::string> instantiateTemplate(const std::string &name, const std::map<std::string, std::string> &settings);

} // namespace fastnorm

#endif // FASTNORM_TEMPLATES_TEMPLATES_H
