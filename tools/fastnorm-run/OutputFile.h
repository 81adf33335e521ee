//===- OutputFile.h - Files that are written whole or not at all *- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TOOLS_RUN_OUTPUTFILE_H
#define FASTNORM_TOOLS_RUN_OUTPUTFILE_H

#include "fastnorm/Support/Result.h"

#include <string>
#include <string_view>

namespace fastnorm::tool {

/// Whether a file could be written, found out before work is done for it. Creates nothing. Text may go to stdout, "-",
/// and to a device or pipe; a tensor needs a regular file.
Status checkWritableText(const std::string &path);
Status checkWritableTensor(const std::string &path);

/// Writes a file beside its place and moves it there; "-" is stdout. After an error there is no partial file.
Status writeFile(const std::string &path, std::string_view contents);

} // namespace fastnorm::tool

#endif // FASTNORM_TOOLS_RUN_OUTPUTFILE_H
