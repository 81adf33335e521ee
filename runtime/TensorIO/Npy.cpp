//===- Npy.cpp - Tensors in .npy files ------------------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/TensorIO/Npy.h"

#include "runtime/TensorIO/NpyHeader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <system_error>

namespace fastnorm {

namespace {

Error about(const std::string &path, std::string message) { return Error{path + ": " + std::move(message)}; }

std::string systemError(int number) { return std::generic_category().message(number); }

/// What fills a buffer exactly, or says that the file ended.
bool readExactly(std::ifstream &file, char *target, size_t byteCount) {
  file.read(target, static_cast<std::streamsize>(byteCount));
  return static_cast<size_t>(file.gcount()) == byteCount;
}

/// Bytes of a regular file.
Result<int64_t> fileBytes(const std::string &path) {
  struct stat facts;
  if (stat(path.c_str(), &facts) != 0)
    return about(path, "expected a .npy file, but it can't be opened (" + systemError(errno) + ")");
  if (!S_ISREG(facts.st_mode))
    return about(path, "expected a .npy file, but this is no regular file");
  return static_cast<int64_t>(facts.st_size);
}

Result<NpyHeader> readHeader(std::ifstream &file, int64_t totalBytes, size_t &headerBytes) {
  std::string header(std::min<size_t>(kNpyPrefixBytes, static_cast<size_t>(totalBytes)), '\0');
  if (!readExactly(file, header.data(), header.size()))
    return Error{"expected to read " + std::to_string(header.size()) + " bytes, but reading failed"};
  Result<size_t> length = npyHeaderBytes(header);
  if (!length)
    return length.takeError();
  headerBytes = *length;
  size_t start = header.size();
  if (headerBytes > static_cast<size_t>(totalBytes))
    return Error{"expected a .npy header of " + std::to_string(headerBytes) + " bytes, but the file ends after " +
                 std::to_string(totalBytes)};
  header.resize(std::max(headerBytes, start));
  if (headerBytes > start && !readExactly(file, header.data() + start, headerBytes - start))
    return Error{"expected to read " + std::to_string(headerBytes) + " bytes, but reading failed"};
  return parseNpyHeader(header);
}

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
  bool write(const void *bytes, size_t byteCount) {
    const char *next = static_cast<const char *>(bytes);
    while (byteCount != 0) {
      ssize_t written = ::write(descriptor, next, byteCount);
      if (written < 0 && errno == EINTR)
        continue;
      if (written < 0)
        return false;
      next += written;
      byteCount -= static_cast<size_t>(written);
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

Result<HostTensor> readNpy(const std::string &path) {
  Result<int64_t> totalBytes = fileBytes(path);
  if (!totalBytes)
    return totalBytes.takeError();
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return about(path, "expected a .npy file, but it can't be opened (" + systemError(errno) + ")");
  size_t headerBytes = 0;
  Result<NpyHeader> header = readHeader(file, *totalBytes, headerBytes);
  if (!header)
    return about(path, header.error());

  // The size is compared before memory is asked for: a shape of 10^15 elements costs nothing.
  std::optional<int64_t> dataBytes = checkedByteCount(header->dtype, header->shape);
  if (!dataBytes)
    return about(path, "expected a tensor whose bytes can be counted in 63 bits, but got " +
                           describe(header->dtype, header->shape));
  int64_t availableBytes = *totalBytes - static_cast<int64_t>(headerBytes);
  if (availableBytes != *dataBytes)
    return about(path, "expected " + std::to_string(*dataBytes) + " bytes of data for " +
                           describe(header->dtype, header->shape) + ", but the file has " +
                           std::to_string(availableBytes));
  Result<HostTensor> tensor = allocateHostTensor(header->dtype, header->shape);
  if (!tensor)
    return about(path, tensor.error());
  if (!readExactly(file, reinterpret_cast<char *>(tensor->data()), tensor->byteCount()))
    return about(path, "expected to read " + std::to_string(*dataBytes) + " bytes of data, but reading failed");
  return tensor;
}

Status writeNpy(const std::string &path, const HostTensor &tensor) {
  struct stat facts;
  if (stat(path.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode))
    return about(path, "expected to write a .npy file, but something else than a regular file has that name");
  PartialFile file(path);
  if (!file.isOpen())
    return about(path, "expected to write a .npy file, but its folder takes none (" + systemError(errno) + ")");
  std::string header = formatNpyHeader(NpyHeader{tensor.dtype(), tensor.shape()});
  bool isWritten = file.write(header.data(), header.size()) && file.write(tensor.data(), tensor.byteCount());
  if (!isWritten || !file.keep())
    return about(path, "expected to write " + std::to_string(header.size() + tensor.byteCount()) +
                           " bytes, but writing failed (" + systemError(errno) + ")");
  return {};
}

} // namespace fastnorm
