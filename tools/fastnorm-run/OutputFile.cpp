//===- OutputFile.cpp - Files that are written whole or not at all --------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OutputFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace fastnorm;
using namespace fastnorm::tool;

namespace fs = llvm::sys::fs;

static Error cannotWrite(const std::string &path, const std::string &reason) {
  return Error{"cannot write '" + path + "': " + reason};
}

/// A device or pipe, /dev/null, is written in place.
static bool isSpecial(const std::string &path) {
  fs::file_status status;
  return !fs::status(path, status) && fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

/// Whether a regular file could have that name.
static Status checkRegular(const std::string &path) {
  if (fs::is_directory(path))
    return cannotWrite(path, "it is a directory");
  std::string folder = llvm::sys::path::parent_path(path).str();
  if (folder.empty())
    folder = ".";
  if (!fs::is_directory(folder))
    return cannotWrite(path, "there is no directory '" + folder + "'");
  if (!fs::can_write(folder))
    return cannotWrite(path, "no permission to write in '" + folder + "'");
  if (fs::exists(path) && !fs::can_write(path))
    return cannotWrite(path, "no permission to overwrite it");
  return {};
}

Status tool::checkWritableText(const std::string &path) {
  if (path == "-" || isSpecial(path))
    return {};
  return checkRegular(path);
}

Status tool::checkWritableTensor(const std::string &path) {
  if (path == "-" || isSpecial(path))
    return cannotWrite(path, "it is not a regular file");
  return checkRegular(path);
}

static std::error_code writeTo(const std::string &path, std::string_view contents) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  if (error)
    return error;
  stream << llvm::StringRef(contents.data(), contents.size());
  // Others may still write to stdout.
  if (path == "-")
    stream.flush();
  else
    stream.close();
  error = stream.error();
  // A stream with an error that was not looked at ends the process.
  stream.clear_error();
  return error;
}

Status tool::writeFile(const std::string &path, std::string_view contents) {
  if (path == "-" || isSpecial(path)) {
    if (std::error_code error = writeTo(path, contents))
      return cannotWrite(path == "-" ? "stdout" : path, error.message());
    return {};
  }
  llvm::SmallString<128> beside;
  std::error_code error = fs::getPotentiallyUniqueFileName(path + ".%%%%%%.partial", beside);
  if (!error)
    error = writeTo(beside.str().str(), contents);
  if (!error)
    error = fs::rename(beside, path);
  if (!error)
    return {};
  fs::remove(beside);
  return cannotWrite(path, error.message());
}
