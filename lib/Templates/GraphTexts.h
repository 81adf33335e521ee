//===- GraphTexts.h - The templates as data ---------------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_TEMPLATES_GRAPHTEXTS_H
#define FASTNORM_LIB_TEMPLATES_GRAPHTEXTS_H

#include "TemplateText.h"

#include <string>
#include <vector>

namespace fastnorm {

struct TemplateKey {
  const char *name;
  /// The values it may have, apart by "|": a word stands for itself, N for a whole number from 1, X for a number.
  const char *values;
  const char *fallback; ///< may hold the hole of an earlier key
  const char *needs;    ///< a key that must not be "no" where this one is set; empty: none
};

struct GraphTemplate {
  const char *name;
  const char *summary;
  std::vector<TemplateKey> keys;
  const char *text;
};

const std::vector<GraphTemplate> &graphTemplates();

/// Texts that several templates share: the types of tensors, and how elements are widened and rounded.
const TemplateTexts &templateWords();

} // namespace fastnorm

#endif // FASTNORM_LIB_TEMPLATES_GRAPHTEXTS_H
