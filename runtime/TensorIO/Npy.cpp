//===- Npy.cpp - Tensors in .npy files ------------------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/TensorIO/Npy.h"

#include "runtime/TensorIO/NpyHeader.h"
#include "runtime/TensorIO/TensorFile.h"

#include <algorithm>
#include <optional>

namespace fastnorm {

namespace {

/// Reads the header; `headerBytes` becomes its length.
Result<NpyHeader> readHeader(TensorFileReader &file, size_t &headerBytes) {
  std::string header(std::min<size_t>(kNpyPrefixBytes, static_cast<size_t>(file.byteCount())), '\0');
  if (Status status = file.read(header.data(), header.size(), "header"); !status)
    return status.takeError();
  Result<size_t> length = npyHeaderBytes(header);
  if (!length)
    return aboutFile(file.path(), length.error());
  headerBytes = *length;
  size_t start = header.size();
  if (headerBytes > static_cast<size_t>(file.byteCount()))
    return aboutFile(file.path(), "expected a .npy header of " + std::to_string(headerBytes) +
                                      " bytes, but the file ends after " + std::to_string(file.byteCount()));
  header.resize(std::max(headerBytes, start));
  if (headerBytes > start)
    if (Status status = file.read(header.data() + start, headerBytes - start, "header"); !status)
      return status.takeError();
  Result<NpyHeader> parsed = parseNpyHeader(header);
  if (!parsed)
    return aboutFile(file.path(), parsed.error());
  return parsed;
}

} // namespace

Result<HostTensor> readNpy(const std::string &path) {
  Result<TensorFileReader> file = TensorFileReader::open(path, ".npy");
  if (!file)
    return file.takeError();
  size_t headerBytes = 0;
  Result<NpyHeader> header = readHeader(*file, headerBytes);
  if (!header)
    return header.takeError();

  // The size is compared before memory is asked for: a shape of 10^15 elements costs nothing.
  std::optional<int64_t> dataBytes = checkedByteCount(header->dtype, header->shape);
  if (!dataBytes)
    return aboutFile(path, "expected a tensor whose bytes can be counted in 63 bits, but got " +
                               describe(header->dtype, header->shape));
  int64_t availableBytes = file->byteCount() - static_cast<int64_t>(headerBytes);
  if (availableBytes != *dataBytes)
    return aboutFile(path, "expected " + std::to_string(*dataBytes) + " bytes of data for " +
                               describe(header->dtype, header->shape) + ", but the file has " +
                               std::to_string(availableBytes));
  Result<HostTensor> tensor = allocateHostTensor(header->dtype, header->shape);
  if (!tensor)
    return aboutFile(path, tensor.error());
  // What was read of the prefix may lie behind a short header.
  if (Status status = file->seek(static_cast<int64_t>(headerBytes)); !status)
    return status.takeError();
  if (Status status = file->read(tensor->data(), tensor->byteCount(), "data"); !status)
    return status.takeError();
  return tensor;
}

Status writeNpy(const std::string &path, const HostTensor &tensor) {
  std::string header = formatNpyHeader(NpyHeader{tensor.dtype(), tensor.shape()});
  std::string_view data(reinterpret_cast<const char *>(tensor.data()), tensor.byteCount());
  return writeTensorFile(path, ".npy", {header, data});
}

} // namespace fastnorm
