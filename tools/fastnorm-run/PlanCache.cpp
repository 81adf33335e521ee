//===- PlanCache.cpp - Plans that were compiled before --------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanCache.h"

#include "Exit.h"

#include "fastnorm/Plan/PlanJson.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <cstdlib>

using namespace fastnorm;
using namespace fastnorm::tool;

/// $NAME and then `below`; empty where the variable has no absolute path.
static std::string folderIn(const char *name, llvm::ArrayRef<llvm::StringRef> below) {
  const char *value = std::getenv(name);
  if (!value || !llvm::sys::path::is_absolute(value))
    return "";
  llvm::SmallString<256> path(value);
  for (llvm::StringRef part : below)
    llvm::sys::path::append(path, part);
  return path.str().str();
}

PlanCache::PlanCache(const Options &options) : isAsked(!options.cacheFolder.empty()) {
  if (!options.usesCache)
    return;
  folder = options.cacheFolder;
  if (folder.empty())
    folder = folderIn("XDG_CACHE_HOME", {"fastnorm"});
  if (folder.empty())
    folder = folderIn("HOME", {".cache", "fastnorm"});
}

/// What another build of the program differs in.
static std::string identityOfProgram() {
  static int anchor;
  std::string path = llvm::sys::fs::getMainExecutable("fastnorm-run", &anchor);
  llvm::sys::fs::file_status status;
  std::string text = "fastnorm " FASTNORM_VERSION;
  if (!llvm::sys::fs::status(path, status))
    text += " " + std::to_string(status.getSize()) + " " +
            std::to_string(status.getLastModificationTime().time_since_epoch().count());
  return text;
}

/// What a table says, if it is a file: another table in its place makes other plans.
static std::string contentOf(const std::string &path) {
  if (!llvm::sys::fs::is_regular_file(path))
    return "";
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file = llvm::MemoryBuffer::getFile(path);
  return file ? (*file)->getBuffer().str() : "";
}

std::string PlanCache::pathFor(const Source &source, const CompileOptions &options) const {
  std::string key;
  llvm::raw_string_ostream stream(key);
  stream << identityOfProgram() << "\n"
         << options.target << "\n"
         << options.fuse << "\n"
         << options.alignment << "\n"
         << options.rowInvariant << "\n"
         << options.tuned << "\n"
         << contentOf(options.tuned) << "\n";
  for (const auto &[symbol, value] : options.symbols)
    stream << symbol << "=" << value << "\n";
  stream << source.module();
  llvm::SHA256 hash;
  hash.update(key);
  llvm::SmallString<256> path(folder);
  llvm::sys::path::append(path, llvm::toHex(hash.final(), /*LowerCase=*/true) + ".json");
  return path.str().str();
}

/// The plan in a file; nothing where there is none, or none that is whole.
static std::optional<Plan> readKept(const std::string &path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return std::nullopt;
  Result<Plan> plan = readPlanJson(std::string_view((*file)->getBufferStart(), (*file)->getBufferSize()));
  return plan ? std::optional<Plan>(std::move(*plan)) : std::nullopt;
}

Result<Plan> PlanCache::plan(const Source &source, const CompileOptions &options) const {
  if (folder.empty() || !source.isGraph())
    return source.plan(options);
  std::string path = pathFor(source, options);
  auto begin = std::chrono::steady_clock::now();
  if (std::optional<Plan> kept = readKept(path)) {
    std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
    if (options.afterStage)
      options.afterStage("kept plan", taken.count());
    return std::move(*kept);
  }
  Result<Plan> plan = source.plan(options);
  if (plan)
    keep(*plan, path);
  return plan;
}

/// Writes a whole file, or none.
static std::error_code writeByRenaming(llvm::StringRef text, llvm::StringRef folder, const std::string &path) {
  if (std::error_code error = llvm::sys::fs::create_directories(folder))
    return error;
  llvm::SmallString<256> model(folder), temporary;
  llvm::sys::path::append(model, "%%%%%%%%%%%%.part");
  int descriptor = -1;
  if (std::error_code error = llvm::sys::fs::createUniqueFile(model, descriptor, temporary))
    return error;
  llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  stream << text;
  stream.close();
  std::error_code error = stream.error();
  stream.clear_error();
  if (!error)
    error = llvm::sys::fs::rename(temporary, path);
  if (error)
    llvm::sys::fs::remove(temporary);
  return error;
}

void PlanCache::keep(const Plan &plan, const std::string &path) const {
  std::error_code error = writeByRenaming(writePlanJson(plan), folder, path);
  if (error && isAsked)
    note("the plan is not kept in '" + folder + "': " + error.message());
}
