//===- Main.cpp - Fuzzing without a fuzzer's library -*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs every input that is kept for a target, then inputs made of them, the
// same for the same seed. An input that ends the process is left in a file.
//
//===----------------------------------------------------------------------===//

#include "Mutator.h"
#include "Targets.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <unistd.h>

using namespace fastnorm::fuzz;

/// Seconds that an input may take.
static constexpr unsigned kMostSeconds = 20;

/// What runs now, for the handler of signals.
static std::string current;
static std::string crashPath;

static void leaveInput(int signal) {
  int file = open(crashPath.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  bool written = file >= 0 && write(file, current.data(), current.size()) == ssize_t(current.size());
  char text[512];
  int length = std::snprintf(text, sizeof(text), "fuzz: error: %s, signal %d; the input is %s%s\n",
                             signal == SIGALRM ? "no end" : "crashed", signal, written ? "in " : "lost, no file ",
                             crashPath.c_str());
  if (write(2, text, size_t(length)) < 0)
    _exit(2);
  _exit(1);
}

/// On a stack of its own: the other one may be what ran out.
static void catchSignals() {
  static char stack[64 << 10];
  stack_t alternative = {};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof(stack);
  sigaltstack(&alternative, nullptr);
  struct sigaction action = {};
  action.sa_handler = leaveInput;
  action.sa_flags = SA_ONSTACK;
  for (int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM})
    sigaction(signal, &action, nullptr);
}

static void run(const Target &target, std::string input) {
  current = std::move(input);
  alarm(kMostSeconds);
  target.run(current);
  alarm(0);
}

static std::vector<std::string> filesIn(const std::string &folder) {
  std::vector<std::filesystem::path> paths;
  std::error_code error;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(folder, error))
    if (entry.is_regular_file())
      paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const std::filesystem::path &path : paths) {
    std::ifstream file(path, std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return texts;
}

static int usage() {
  std::fprintf(stderr, "usage: fastnorm-fuzz TARGET COUNT SEED SECONDS CRASH_FILE FOLDER...\n"
                       "Runs all files in the folders, then COUNT inputs made of them, for SECONDS at most.\n");
  return 2;
}

int main(int argc, char **argv) {
  if (argc < 7)
    return usage();
  std::vector<Target> targets = runtimeTargets();
#ifdef FASTNORM_FUZZ_COMPILER
  for (Target &target : compilerTargets())
    targets.push_back(target);
#endif
  auto target =
      std::find_if(targets.begin(), targets.end(), [&](const Target &known) { return known.name == argv[1]; });
  if (target == targets.end())
    return usage();
  long long count = std::atoll(argv[2]), seconds = std::atoll(argv[4]);
  crashPath = argv[5];
  std::vector<std::string> seeds;
  for (int index = 6; index < argc; ++index)
    for (std::string &text : filesIn(argv[index]))
      seeds.push_back(std::move(text));
  if (seeds.empty()) {
    std::fprintf(stderr, "fuzz: error: expected files in the folders, but there are none\n");
    return 2;
  }
  catchSignals();
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  for (const std::string &seed : seeds)
    run(*target, seed);
  Mutator mutator(seeds, target->isText, std::strtoull(argv[3], nullptr, 10));
  long long done = 0;
  while (done < count && std::chrono::steady_clock::now() < end) {
    run(*target, mutator.next());
    ++done;
  }
  std::printf("%s: %zu files, %lld inputs made, no crash\n", argv[1], seeds.size(), done);
  return 0;
}
