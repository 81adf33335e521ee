//===- TensorFile.cpp - Files of tensors, read and written whole ----------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/TensorIO/TensorFile.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <system_error>
#include <utility>

namespace fastnorm {

namespace {

std::string systemError(int number) { return std::generic_category().message(number); }

/// A file that vanishes unless it is renamed to where it belongs.
class PartialFile {
public:
  explicit PartialFile(const std::string &finalPath) : finalPath(finalPath) {
    static std::atomic<unsigned> counter{0};
    path = finalPath + ".partial-" + std::to_string(getpid()) + "-" + std::to_string(counter++);
    descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  }
  PartialFile(const PartialFile &) = delete;
  PartialFile &operator=(const PartialFile &) = delete;
  ~PartialFile() {
    if (descriptor < 0)
      return;
    close(descriptor);
    unlink(path.c_str());
  }

  bool isOpen() const { return descriptor >= 0; }

  /// False leaves the reason in errno.
  bool write(std::string_view bytes) {
    while (!bytes.empty()) {
      ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR)
        continue;
      if (written < 0)
        return false;
      bytes.remove_prefix(static_cast<size_t>(written));
    }
    return true;
  }

  bool keep() {
    if (rename(path.c_str(), finalPath.c_str()) != 0)
      return false;
    bool isWritten = close(descriptor) == 0;
    descriptor = -1;
    return isWritten;
  }

private:
  std::string finalPath;
  std::string path;
  int descriptor = -1;
};

} // namespace

Error aboutFile(const std::string &path, std::string message) { return Error{path + ": " + std::move(message)}; }

Result<TensorFileReader> TensorFileReader::open(const std::string &path, const std::string &kind) {
  struct stat facts;
  if (stat(path.c_str(), &facts) != 0)
    return aboutFile(path, "expected a " + kind + " file, but it can't be opened (" + systemError(errno) + ")");
  if (!S_ISREG(facts.st_mode))
    return aboutFile(path, "expected a " + kind + " file, but this is no regular file");
  TensorFileReader reader;
  reader.filePath = path;
  reader.totalBytes = static_cast<int64_t>(facts.st_size);
  reader.stream.open(path, std::ios::binary);
  if (!reader.stream)
    return aboutFile(path, "expected a " + kind + " file, but it can't be opened (" + systemError(errno) + ")");
  return reader;
}

Status TensorFileReader::seek(int64_t offset) {
  if (stream.seekg(offset))
    return {};
  return aboutFile(filePath, "expected to read from byte " + std::to_string(offset) + ", but the file can't go there");
}

Status TensorFileReader::read(void *target, size_t byteCount, const std::string &what) {
  stream.read(static_cast<char *>(target), static_cast<std::streamsize>(byteCount));
  if (static_cast<size_t>(stream.gcount()) == byteCount)
    return {};
  return aboutFile(filePath,
                   "expected to read " + std::to_string(byteCount) + " bytes of " + what + ", but reading failed");
}

Status writeTensorFile(const std::string &path, const std::string &kind, const std::vector<std::string_view> &parts) {
  struct stat facts;
  if (stat(path.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode))
    return aboutFile(path,
                     "expected to write a " + kind + " file, but something else than a regular file has that name");
  PartialFile file(path);
  if (!file.isOpen())
    return aboutFile(path,
                     "expected to write a " + kind + " file, but its folder takes none (" + systemError(errno) + ")");
  size_t byteCount = 0;
  bool isWritten = true;
  for (std::string_view part : parts) {
    byteCount += part.size();
    isWritten = isWritten && file.write(part);
  }
  if (!isWritten || !file.keep())
    return aboutFile(path, "expected to write " + std::to_string(byteCount) + " bytes, but writing failed (" +
                               systemError(errno) + ")");
  return {};
}

} // namespace fastnorm
