//===- Safetensors.cpp - Named tensors in one file ------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/TensorIO/Safetensors.h"

#include <algorithm>
#include <string_view>

namespace fastnorm {

Result<SafetensorsFile> SafetensorsFile::open(const std::string &path) {
  Result<TensorFileReader> file = TensorFileReader::open(path, ".safetensors");
  if (!file)
    return file.takeError();
  std::string prefix(std::min<size_t>(kSafetensorsPrefixBytes, static_cast<size_t>(file->byteCount())), '\0');
  if (Status status = file->read(prefix.data(), prefix.size(), "header"); !status)
    return status.takeError();
  Result<int64_t> textBytes = safetensorsHeaderBytes(prefix, file->byteCount());
  if (!textBytes)
    return aboutFile(path, textBytes.error());
  std::string text(static_cast<size_t>(*textBytes), '\0');
  if (Status status = file->read(text.data(), text.size(), "header"); !status)
    return status.takeError();
  int64_t dataStart = static_cast<int64_t>(kSafetensorsPrefixBytes) + *textBytes;
  Result<std::vector<SafetensorsEntry>> entries = parseSafetensorsHeader(text, file->byteCount() - dataStart);
  if (!entries)
    return aboutFile(path, entries.error());
  return SafetensorsFile(std::move(*file), std::move(*entries), dataStart);
}

Result<HostTensor> SafetensorsFile::read(const SafetensorsEntry &entry) {
  Result<HostTensor> tensor = allocateHostTensor(entry.dtype, entry.shape);
  if (!tensor)
    return aboutFile(path(), tensor.error());
  if (Status status = file.seek(dataStart + entry.begin); !status)
    return status.takeError();
  if (Status status = file.read(tensor->data(), tensor->byteCount(), "data"); !status)
    return status.takeError();
  return tensor;
}

Status writeSafetensors(const std::string &path, const std::map<std::string, HostTensor> &tensors) {
  std::vector<SafetensorsEntry> entries;
  for (const auto &[name, tensor] : tensors)
    entries.push_back({name, tensor.dtype(), tensor.shape(), 0, 0});
  // Widest elements first keeps all of them aligned without a gap, which the format does not allow.
  std::sort(entries.begin(), entries.end(), [](const SafetensorsEntry &a, const SafetensorsEntry &b) {
    int64_t widthA = byteWidth(a.dtype), widthB = byteWidth(b.dtype);
    return widthA != widthB ? widthA > widthB : a.name < b.name;
  });
  std::vector<std::string_view> parts(1);
  int64_t offset = 0;
  for (SafetensorsEntry &entry : entries) {
    const HostTensor &tensor = tensors.at(entry.name);
    entry.begin = offset;
    offset += static_cast<int64_t>(tensor.byteCount());
    entry.end = offset;
    parts.emplace_back(reinterpret_cast<const char *>(tensor.data()), tensor.byteCount());
  }
  std::string header = formatSafetensorsHeader(entries);
  parts[0] = header;
  return writeTensorFile(path, ".safetensors", parts);
}

} // namespace fastnorm
