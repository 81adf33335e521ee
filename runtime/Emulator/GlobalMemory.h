//===- GlobalMemory.h - Device memory with its checks -----------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers at addresses that are never reused, with guard space between them.
// Knows of every byte whether it was written, and, within a launch, by which CTA.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_EMULATOR_GLOBALMEMORY_H
#define FASTNORM_RUNTIME_EMULATOR_GLOBALMEMORY_H

#include "fastnorm/Support/Result.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace fastnorm::emulator {

struct FreeDeleter {
  void operator()(void *memory) const { std::free(memory); }
};
template <typename T> using ZeroedArray = std::unique_ptr<T[], FreeDeleter>;

/// One buffer. Its checks are called from several host threads at once.
class Allocation {
public:
  uint64_t address = 0;
  uint64_t byteCount = 0;
  std::string label;
  bool freed = false;

  bool contains(uint64_t first, uint64_t bytes) const {
    return !freed && first >= address && bytes <= byteCount && first - address <= byteCount - bytes;
  }
  std::byte *at(uint64_t where) const { return data.get() + (where - address); }

  void markWritten(uint64_t offset, uint64_t bytes);
  bool isWritten(uint64_t offset, uint64_t bytes) const;

  /// Notes that a CTA stores bytes, and says whether another CTA of the same launch stored something else there.
  /// Call it before the bytes are changed.
  bool noteStore(uint64_t offset, uint64_t bytes, const std::byte *value, uint32_t launchTag, uint32_t cta);
  /// True if a CTA other than this one (`anyCta`: or this one) stored there in this launch.
  bool isStoredByOther(uint64_t offset, uint64_t bytes, uint32_t launchTag, uint32_t cta, bool anyCta) const;
  /// True if a launch with a tag of `first` up to but not including `end` stored there last.
  bool isStoredSince(uint64_t offset, uint64_t bytes, uint32_t first, uint32_t end) const;
  /// The last CTA that stored at an offset.
  uint32_t storingCta(uint64_t offset) const;

private:
  friend class GlobalMemory;
  ZeroedArray<std::byte> data;
  ZeroedArray<uint64_t> written; ///< a bit a byte
  ZeroedArray<uint32_t> writers; ///< per two bytes: launch tag (8 bits), CTA (24 bits)
  uint32_t lastStoreTag = 0;
};

class GlobalMemory {
public:
  explicit GlobalMemory(uint64_t limitBytes) : limitBytes(limitBytes) {}

  Result<uint64_t> allocate(uint64_t byteCount, std::string label);
  void release(uint64_t address);
  /// The buffer nearest to an address: the one it lies in, or in whose guard space it lies; null for wild addresses.
  Allocation *find(uint64_t address) const {
    uint64_t page = address >> pageShift;
    return page < pages.size() ? pages[page] : nullptr;
  }
  /// Where an address lies, for messages: "byte 12 of argument 'x', which has 8192 bytes".
  std::string describe(uint64_t address) const;
  /// An error says why a host copy of these bytes is not possible; `what` is "upload" or the like.
  Result<Allocation *> checkHostRange(uint64_t address, uint64_t byteCount, const char *what) const;
  /// A tag for the next launch, 1 to 255.
  uint32_t nextLaunchTag();

private:
  static constexpr unsigned pageShift = 32;

  uint64_t limitBytes;
  uint64_t usedBytes = 0;
  uint32_t launchTag = 0;
  std::vector<std::unique_ptr<Allocation>> allocations;
  std::vector<Allocation *> pages;
};

} // namespace fastnorm::emulator

#endif // FASTNORM_RUNTIME_EMULATOR_GLOBALMEMORY_H
