//===- NpyTest.cpp - .npy files, right and broken -------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/TensorIO/Npy.h"
#include "runtime/TensorIO/NpyHeader.h"

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace fastnorm;

namespace {

class NpyTest : public testing::Test {
protected:
  NpyTest()
      : folder(std::filesystem::temp_directory_path() /
               ("fastnorm-npy-" + std::to_string(getpid()) + "-" +
                testing::UnitTest::GetInstance()->current_test_info()->name())),
        path((folder / "x.npy").string()) {
    std::filesystem::create_directories(folder);
  }
  ~NpyTest() override { std::filesystem::remove_all(folder); }

  void write(const std::string &bytes) { std::ofstream(path, std::ios::binary) << bytes; }

  std::string read() {
    std::ifstream file(path, std::ios::binary);
    std::stringstream bytes;
    bytes << file.rdbuf();
    return bytes.str();
  }

  /// A version 1 file with this dictionary and this many bytes of data.
  static std::string file(std::string dictionary, size_t dataBytes) {
    dictionary += '\n';
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes += static_cast<char>(dictionary.size() & 0xff);
    bytes += static_cast<char>(dictionary.size() >> 8);
    return bytes + dictionary + std::string(dataBytes, '\0');
  }

  static std::string dictionary(const std::string &descr, const std::string &shape) {
    return "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }";
  }

  /// The error of reading these bytes, without the file's name, which must lead it.
  std::string errorOf(const std::string &bytes) {
    write(bytes);
    Result<HostTensor> tensor = readNpy(path);
    EXPECT_FALSE(tensor);
    if (tensor)
      return "";
    EXPECT_EQ(tensor.error().rfind(path + ": ", 0), 0u) << tensor.error();
    return tensor.error().substr(path.size() + 2);
  }

  std::filesystem::path folder;
  std::string path;
};

TEST_F(NpyTest, EveryDTypeSurvivesTheRoundTrip) {
  for (DType dtype : kAllDTypes) {
    HostTensor tensor(dtype, {2, 3});
    for (int64_t index = 0; index < 6; ++index)
      tensor.set(index, static_cast<double>(index) - 2.0);
    Status status = writeNpy(path, tensor);
    ASSERT_TRUE(status) << status.error();
    Result<HostTensor> back = readNpy(path);
    ASSERT_TRUE(back) << back.error();
    EXPECT_EQ(back->dtype(), dtype);
    EXPECT_EQ(back->shape(), tensor.shape());
    for (int64_t index = 0; index < 6; ++index)
      EXPECT_EQ(back->at(index), static_cast<double>(index) - 2.0);
  }
}

TEST_F(NpyTest, ShapesOfAnyRankSurvive) {
  for (const std::vector<int64_t> &shape : {std::vector<int64_t>{}, std::vector<int64_t>{5}, std::vector<int64_t>{0, 7},
                                            std::vector<int64_t>{2, 1, 3, 2}}) {
    ASSERT_TRUE(writeNpy(path, HostTensor(DType::F32, shape)));
    Result<HostTensor> back = readNpy(path);
    ASSERT_TRUE(back) << back.error();
    EXPECT_EQ(back->shape(), shape);
  }
}

TEST_F(NpyTest, WritesTheBytesNumpyWrites) {
  // numpy.save of numpy.array([1, 2], dtype='<f4'), byte for byte.
  HostTensor tensor(DType::F32, {2});
  tensor.set(0, 1.0);
  tensor.set(1, 2.0);
  ASSERT_TRUE(writeNpy(path, tensor));
  std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  std::string expected = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + text + std::string(117 - text.size(), ' ') +
                         "\n" + std::string("\x00\x00\x80\x3f\x00\x00\x00\x40", 8);
  EXPECT_EQ(expected.size(), 136u);
  EXPECT_EQ(read(), expected);
}

TEST_F(NpyTest, DataStartsAligned) {
  for (int64_t extent : {1, 1000, 100000}) {
    std::string header = formatNpyHeader(NpyHeader{DType::BF16, {1, extent, 1}});
    EXPECT_EQ(header.size() % 64, 0u);
    EXPECT_EQ(header.back(), '\n');
  }
}

TEST_F(NpyTest, Bf16IsReadAsOpaqueBytesAndAsRawBits) {
  for (const char *descr : {"<V2", "|V2", "<u2"}) {
    write(file(dictionary(descr, "(1,)"), 0) + "\x80\x3f");
    Result<HostTensor> tensor = readNpy(path);
    ASSERT_TRUE(tensor) << tensor.error();
    EXPECT_EQ(tensor->dtype(), DType::BF16);
    EXPECT_EQ(tensor->at(0), 1.0);
  }
}

TEST_F(NpyTest, F8IsReadAsOpaqueBytesAndAsRawBits) {
  for (const char *descr : {"|V1", "<V1", "|u1"}) {
    write(file(dictionary(descr, "(1,)"), 0) + "\x38");
    Result<HostTensor> tensor = readNpy(path);
    ASSERT_TRUE(tensor) << tensor.error();
    EXPECT_EQ(tensor->dtype(), DType::F8E4M3FN);
    EXPECT_EQ(tensor->at(0), 1.0);
  }
}

TEST_F(NpyTest, HalvesAndBytesAreWhatNumpyWrites) {
  write(file(dictionary("<f2", "(1,)"), 0) + std::string("\x00\xc0", 2));
  ASSERT_TRUE(readNpy(path));
  EXPECT_EQ(readNpy(path)->at(0), -2.0);
  write(file(dictionary("|i1", "(1,)"), 0) + "\xfd");
  ASSERT_TRUE(readNpy(path));
  EXPECT_EQ(readNpy(path)->integerAt(0), -3);
}

TEST_F(NpyTest, Versions2And3HaveLongHeaders) {
  for (char version : {'\x02', '\x03'}) {
    std::string text = dictionary("<i4", "(1,)") + "\n";
    std::string bytes("\x93NUMPY", 6);
    bytes += version;
    bytes += std::string("\0", 1);
    bytes += static_cast<char>(text.size());
    bytes += std::string("\0\0\0", 3);
    write(bytes + text + std::string("\x07\0\0\0", 4));
    Result<HostTensor> tensor = readNpy(path);
    ASSERT_TRUE(tensor) << tensor.error();
    EXPECT_EQ(tensor->integerAt(0), 7);
  }
}

TEST_F(NpyTest, KeysInAnyOrderAndPython2Extents) {
  write(file("{\"shape\":(2L,1L),\"fortran_order\":False,\"descr\":\"<f4\"}", 8));
  Result<HostTensor> tensor = readNpy(path);
  ASSERT_TRUE(tensor) << tensor.error();
  EXPECT_EQ(tensor->shape(), (std::vector<int64_t>{2, 1}));
}

TEST_F(NpyTest, ForeignFiles) {
  EXPECT_EQ(errorOf(""), "expected a .npy file, but it does not start with the bytes of one");
  EXPECT_EQ(errorOf("PK\x03\x04 a zip archive"), "expected a .npy file, but it does not start with the bytes of one");
  EXPECT_EQ(errorOf(std::string("\x93NUMPY\x04\x00\x10\x00\x00\x00", 12)),
            "expected .npy version 1, 2 or 3, but got 4");
}

TEST_F(NpyTest, TruncatedAnywhere) {
  std::string whole = file(dictionary("<f4", "(3,)"), 12);
  for (size_t length = 0; length < whole.size(); ++length)
    EXPECT_NE(errorOf(whole.substr(0, length)), "") << length;
  EXPECT_EQ(errorOf(whole.substr(0, whole.size() - 1)), "expected 12 bytes of data for 3xf32, but the file has 11");
}

TEST_F(NpyTest, OversizedData) {
  EXPECT_EQ(errorOf(file(dictionary("<f4", "(3,)"), 13)), "expected 12 bytes of data for 3xf32, but the file has 13");
}

TEST_F(NpyTest, DTypesThatAreNotTaken) {
  EXPECT_EQ(errorOf(file(dictionary(">f4", "(3,)"), 12)),
            "expected dtype f32 ('<f4'), bf16 ('<V2'), f16 ('<f2'), f8E4M3FN ('|V1'), i8 ('|i1'), i32 ('<i4') or i64 "
            "('<i8'), but got '>f4', which is big-endian");
  EXPECT_EQ(errorOf(file(dictionary("<f8", "(3,)"), 24)),
            "expected dtype f32 ('<f4'), bf16 ('<V2'), f16 ('<f2'), f8E4M3FN ('|V1'), i8 ('|i1'), i32 ('<i4') or i64 "
            "('<i8'), but got '<f8'");
  EXPECT_EQ(errorOf(file("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,), }", 12)),
            "expected one dtype for all elements, but the file holds records of fields");
}

TEST_F(NpyTest, FortranOrder) {
  EXPECT_EQ(errorOf(file("{'descr': '<f4', 'fortran_order': True, 'shape': (3, 1), }", 12)),
            "expected row-major data, but the file is in Fortran order; save numpy.ascontiguousarray of it");
}

TEST_F(NpyTest, AbsurdShapesCostNothing) {
  EXPECT_EQ(errorOf(file(dictionary("<f4", "(1000000000000000,)"), 4)),
            "expected 4000000000000000 bytes of data for 1000000000000000xf32, but the file has 4");
  EXPECT_EQ(errorOf(file(dictionary("<f4", "(4611686018427387904, 4)"), 4)),
            "expected a tensor whose bytes can be counted in 63 bits, but got 4611686018427387904x4xf32");
  EXPECT_EQ(errorOf(file(dictionary("<f4", "(99999999999999999999,)"), 4)),
            "expected extents of 63 bits in the shape, but got a larger one");
  EXPECT_NE(errorOf(file(dictionary("<f4", "(-3,)"), 4)), "");
}

TEST_F(NpyTest, BrokenHeaders) {
  EXPECT_EQ(errorOf(file("{'descr': '<f4', 'shape': (1,), }", 4)),
            "expected the keys descr, fortran_order and shape, but fortran_order is missing");
  EXPECT_EQ(errorOf(file("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1}", 4)),
            "expected the keys descr, fortran_order and shape, but got 'x'");
  EXPECT_EQ(errorOf(file("{'descr': '<f4' 'fortran_order': False}", 4)),
            "expected ',' at byte 16 of the header's text, but got '''");
  std::string bytes("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12);
  EXPECT_EQ(errorOf(bytes), "expected a .npy header of at most 1048576 bytes, but it claims 4294967295");
}

TEST_F(NpyTest, NoByteChangedCrashes) {
  std::string whole = file(dictionary("<f4", "(3,)"), 12);
  for (size_t byte = 0; byte < whole.size(); ++byte)
    for (int value : {0, 39, 57}) {
      std::string changed = whole;
      changed[byte] = static_cast<char>(value);
      write(changed);
      (void)readNpy(path);
    }
}

TEST_F(NpyTest, FileThatIsNotThereOrNoFile) {
  Result<HostTensor> tensor = readNpy(path);
  ASSERT_FALSE(tensor);
  EXPECT_EQ(tensor.error(), path + ": expected a .npy file, but it can't be opened (No such file or directory)");
  Result<HostTensor> directory = readNpy(folder.string());
  ASSERT_FALSE(directory);
  EXPECT_EQ(directory.error(), folder.string() + ": expected a .npy file, but this is no regular file");
}

TEST_F(NpyTest, FailedWriteLeavesNothing) {
  std::string inside = (folder / "missing" / "x.npy").string();
  Status status = writeNpy(inside, HostTensor(DType::F32, {1}));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error(),
            inside + ": expected to write a .npy file, but its folder takes none (No such file or directory)");
  Status overFolder = writeNpy(folder.string(), HostTensor(DType::F32, {1}));
  ASSERT_FALSE(overFolder);
  EXPECT_EQ(overFolder.error(), folder.string() + ": expected to write a .npy file, but something else than a regular "
                                                  "file has that name");
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST_F(NpyTest, DiskThatIsFullLeavesTheOldFileAndNoPartialOne) {
  ASSERT_TRUE(writeNpy(path, HostTensor(DType::I64, {1})));
  // A limit on file sizes stands in for a full disk: both make a write fail half way.
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit limited = before;
  limited.rlim_cur = 1000;
  auto *handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limited), 0);
  Status status = writeNpy(path, HostTensor(DType::F32, {1000}));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error(), path + ": expected to write 4128 bytes, but writing failed (File too large)");
  std::filesystem::directory_iterator files(folder);
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
  Result<HostTensor> old = readNpy(path);
  ASSERT_TRUE(old) << old.error();
  EXPECT_EQ(old->dtype(), DType::I64);
}

TEST_F(NpyTest, WriteReplacesWholeFilesAndLeavesNoOther) {
  ASSERT_TRUE(writeNpy(path, HostTensor(DType::F32, {100})));
  ASSERT_TRUE(writeNpy(path, HostTensor(DType::I64, {1})));
  Result<HostTensor> tensor = readNpy(path);
  ASSERT_TRUE(tensor) << tensor.error();
  EXPECT_EQ(tensor->dtype(), DType::I64);
  std::filesystem::directory_iterator files(folder);
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

} // namespace
