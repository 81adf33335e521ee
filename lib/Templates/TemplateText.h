//===- TemplateText.h - Text with holes -------------------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   ${key}            the value of a key, or the expansion of a word
//   ${key/key}        a quotient of two numbers, the first a multiple
//   $(key:text$)      text where the key's value is not "no"
//   $(key=value:text$) and $(key!=value:text$)
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_LIB_TEMPLATES_TEMPLATETEXT_H
#define FASTNORM_LIB_TEMPLATES_TEMPLATETEXT_H

#include "fastnorm/Support/Result.h"

#include <map>
#include <string>
#include <string_view>

namespace fastnorm {

/// Texts by name. Words may hold holes themselves, and come before keys.
using TemplateTexts = std::map<std::string, std::string, std::less<>>;

/// Fills the holes. An error is a quotient that is no whole number.
Result<std::string> expandTemplate(std::string_view text, const TemplateTexts &values, const TemplateTexts &words);

} // namespace fastnorm

#endif // FASTNORM_LIB_TEMPLATES_TEMPLATETEXT_H
