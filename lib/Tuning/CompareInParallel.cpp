//===- CompareInParallel.cpp - Large results, on all cores ----------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompareInParallel.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <thread>

using namespace fastnorm;

/// Elements that are worth a thread: some 10 ms.
static constexpr int64_t kElementsOfThread = int64_t(1) << 20;

/// The entries of the first dimension from `first` on.
static HostTensor partOf(const HostTensor &tensor, int64_t first, int64_t count) {
  std::vector<int64_t> shape = tensor.shape();
  size_t bytes = tensor.byteCount() / static_cast<size_t>(shape.front());
  shape.front() = count;
  HostTensor part(tensor.dtype(), shape);
  std::memcpy(part.data(), tensor.data() + static_cast<size_t>(first) * bytes, static_cast<size_t>(count) * bytes);
  return part;
}

Result<Comparison> fastnorm::compareInParallel(const HostTensor &got, const HostTensor &reference,
                                               const std::string &label, std::optional<DType> roundedOnTheWay) {
  int64_t entries = got.shape().empty() ? 1 : got.shape().front();
  int64_t cores = std::max<int64_t>(1, std::thread::hardware_concurrency());
  int64_t parts = std::min({cores, got.elementCount() / kElementsOfThread, entries});
  if (parts < 2 || got.shape().size() < 2 || got.shape() != reference.shape())
    return compare(got, reference, label, {}, roundedOnTheWay);
  std::vector<std::optional<Result<Comparison>>> answers(static_cast<size_t>(parts));
  std::vector<std::thread> threads;
  for (int64_t part = 0; part < parts; ++part)
    threads.emplace_back([&, part] {
      int64_t first = entries * part / parts, count = entries * (part + 1) / parts - first;
      std::vector<int64_t> rows(static_cast<size_t>(count));
      std::iota(rows.begin(), rows.end(), first);
      answers[static_cast<size_t>(part)].emplace(
          compare(partOf(got, first, count), partOf(reference, first, count), label, rows, roundedOnTheWay));
    });
  for (std::thread &thread : threads)
    thread.join();
  std::optional<Result<Comparison>> worst;
  for (std::optional<Result<Comparison>> &answer : answers) {
    if (!*answer || !(*answer)->matches)
      return std::move(*answer);
    if (!worst || (*answer)->maxError > (*worst)->maxError)
      worst = std::move(answer);
  }
  return std::move(*worst);
}
