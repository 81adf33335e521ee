//===- GlobalMemory.cpp - Device memory with its checks -------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shadows are written by host threads at once, so every access to them is
// atomic; relaxed is enough, since a kernel without races does not depend on it.
//
//===----------------------------------------------------------------------===//

#include "GlobalMemory.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace fastnorm::emulator {

/// A buffer starts this far before a 4 GiB boundary, so that address arithmetic in 32 bits does not pass unseen.
static constexpr uint64_t bytesBeforeBoundary = 4096;

template <typename T> static T loadRelaxed(const T *where) { return __atomic_load_n(where, __ATOMIC_RELAXED); }
template <typename T> static void storeRelaxed(T *where, T value) { __atomic_store_n(where, value, __ATOMIC_RELAXED); }

/// Bits [first, last) of a 64-bit word.
static uint64_t bitRange(uint64_t first, uint64_t last) {
  uint64_t upTo = last == 64 ? ~uint64_t(0) : (uint64_t(1) << last) - 1;
  return upTo & ~((uint64_t(1) << first) - 1);
}

template <typename F> static void forEachWord(uint64_t offset, uint64_t bytes, F &&visit) {
  for (uint64_t end = offset + bytes; offset < end;) {
    uint64_t first = offset % 64;
    uint64_t last = std::min<uint64_t>(64, first + (end - offset));
    visit(offset / 64, bitRange(first, last));
    offset += last - first;
  }
}

void Allocation::markWritten(uint64_t offset, uint64_t bytes) {
  forEachWord(offset, bytes, [&](uint64_t word, uint64_t bits) {
    if ((loadRelaxed(&written[word]) & bits) == bits)
      return;
    if (bits == ~uint64_t(0))
      storeRelaxed(&written[word], bits);
    else
      __atomic_fetch_or(&written[word], bits, __ATOMIC_RELAXED);
  });
}

bool Allocation::isWritten(uint64_t offset, uint64_t bytes) const {
  bool all = true;
  forEachWord(offset, bytes,
              [&](uint64_t word, uint64_t bits) { all &= (loadRelaxed(&written[word]) & bits) == bits; });
  return all;
}

static uint32_t tagOf(uint32_t launchTag, uint32_t cta) { return launchTag << 24 | (cta & 0xffffff); }

bool Allocation::noteStore(uint64_t offset, uint64_t bytes, const std::byte *value, uint32_t launchTag, uint32_t cta) {
  if (loadRelaxed(&lastStoreTag) != launchTag)
    storeRelaxed(&lastStoreTag, launchTag);
  // Single bytes are below the granule of two.
  if (bytes < 2)
    return false;
  uint32_t mine = tagOf(launchTag, cta);
  bool conflict = false;
  for (uint64_t granule = offset / 2; granule < (offset + bytes) / 2; ++granule) {
    uint32_t last = loadRelaxed(&writers[granule]);
    if (last >> 24 == launchTag && last != mine)
      conflict |= std::memcmp(data.get() + granule * 2, value + (granule * 2 - offset), 2) != 0;
    storeRelaxed(&writers[granule], mine);
  }
  return conflict;
}

bool Allocation::isStoredByOther(uint64_t offset, uint64_t bytes, uint32_t launchTag, uint32_t cta, bool anyCta) const {
  if (loadRelaxed(&lastStoreTag) != launchTag)
    return false;
  uint32_t mine = tagOf(launchTag, cta);
  for (uint64_t granule = offset / 2; granule < (offset + bytes + 1) / 2; ++granule) {
    uint32_t last = loadRelaxed(&writers[granule]);
    if (last >> 24 == launchTag && (anyCta || last != mine))
      return true;
  }
  return false;
}

bool Allocation::isStoredSince(uint64_t offset, uint64_t bytes, uint32_t first, uint32_t end) const {
  for (uint64_t granule = offset / 2; granule < (offset + bytes + 1) / 2; ++granule) {
    uint32_t tag = loadRelaxed(&writers[granule]) >> 24;
    if (tag >= first && tag < end)
      return true;
  }
  return false;
}

uint32_t Allocation::storingCta(uint64_t offset) const { return loadRelaxed(&writers[offset / 2]) & 0xffffff; }

template <typename T> static ZeroedArray<T> zeroed(uint64_t count) {
  // calloc: pages that are never touched cost nothing.
  return ZeroedArray<T>(static_cast<T *>(std::calloc(count + 1, sizeof(T))));
}

Result<uint64_t> GlobalMemory::allocate(uint64_t byteCount, std::string label) {
  std::string wanted = std::to_string(byteCount) + " bytes for " + label;
  if (byteCount > limitBytes - usedBytes)
    return Error{"cannot allocate " + wanted + ": " + std::to_string(limitBytes - usedBytes) + " of " +
                 std::to_string(limitBytes) + " bytes are free on the emulator"};
  auto allocation = std::make_unique<Allocation>();
  allocation->byteCount = byteCount;
  allocation->label = std::move(label);
  allocation->data = zeroed<std::byte>(byteCount);
  allocation->written = zeroed<uint64_t>(byteCount / 64 + 1);
  allocation->writers = zeroed<uint32_t>(byteCount / 2 + 1);
  if (!allocation->data || !allocation->written || !allocation->writers)
    return Error{"cannot allocate " + wanted + ": the host has no memory left"};
  // The first page of each buffer is its own and so is one page past its end.
  uint64_t firstPage = std::max<uint64_t>(pages.size(), 16);
  allocation->address = ((firstPage + 1) << pageShift) - bytesBeforeBoundary;
  uint64_t lastPage = ((allocation->address + byteCount) >> pageShift) + 1;
  pages.resize(firstPage, nullptr);
  pages.resize(lastPage + 1, allocation.get());
  usedBytes += byteCount;
  allocations.push_back(std::move(allocation));
  return allocations.back()->address;
}

void GlobalMemory::release(uint64_t address) {
  Allocation *allocation = find(address);
  usedBytes -= allocation->byteCount;
  allocation->freed = true;
  allocation->data.reset();
  allocation->written.reset();
  allocation->writers.reset();
}

std::string GlobalMemory::describe(uint64_t address) const {
  const Allocation *allocation = find(address);
  if (!allocation) {
    char text[32];
    std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(address));
    return std::string("address ") + text + ", which is in no buffer";
  }
  auto offset = int64_t(address - allocation->address);
  return "byte " + std::to_string(offset) + " of " + (allocation->freed ? "freed " : "") + allocation->label +
         ", which has " + std::to_string(allocation->byteCount) + " bytes";
}

Result<Allocation *> GlobalMemory::checkHostRange(uint64_t address, uint64_t byteCount, const char *what) const {
  Allocation *allocation = find(address);
  if (allocation && allocation->contains(address, byteCount))
    return allocation;
  return Error{std::string(what) + " of " + std::to_string(byteCount) +
               " bytes expects them within one buffer, but starts at " + describe(address)};
}

uint32_t GlobalMemory::nextLaunchTag() {
  if (++launchTag > 255) {
    launchTag = 1;
    for (const std::unique_ptr<Allocation> &allocation : allocations) {
      allocation->lastStoreTag = 0;
      if (!allocation->freed)
        std::fill_n(allocation->writers.get(), allocation->byteCount / 2 + 1, 0u);
    }
  }
  return launchTag;
}

} // namespace fastnorm::emulator
