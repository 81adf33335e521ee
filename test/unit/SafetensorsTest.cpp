//===- SafetensorsTest.cpp - .safetensors files, right and broken ---------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/TensorIO/Safetensors.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace fastnorm;

namespace {

/// A tensor of a header: three f32, unless an argument says otherwise.
std::string entry(const std::string &offsets = "[0,12]", const std::string &shape = "[3]",
                  const std::string &dtype = "\"F32\"") {
  return "{\"dtype\":" + dtype + ",\"shape\":" + shape + ",\"data_offsets\":" + offsets + "}";
}

std::string errorOf(const std::string &text, int64_t dataBytes = 12) {
  Result<std::vector<SafetensorsEntry>> entries = parseSafetensorsHeader(text, dataBytes);
  EXPECT_FALSE(entries) << text;
  return entries ? "" : entries.error();
}

class SafetensorsTest : public testing::Test {
protected:
  SafetensorsTest()
      : folder(std::filesystem::temp_directory_path() /
               ("fastnorm-safetensors-" + std::to_string(getpid()) + "-" +
                testing::UnitTest::GetInstance()->current_test_info()->name())),
        path((folder / "all.safetensors").string()) {
    std::filesystem::create_directories(folder);
  }
  ~SafetensorsTest() override { std::filesystem::remove_all(folder); }

  void write(const std::string &bytes) { std::ofstream(path, std::ios::binary) << bytes; }

  std::string read() {
    std::ifstream file(path, std::ios::binary);
    std::stringstream bytes;
    bytes << file.rdbuf();
    return bytes.str();
  }

  static std::string file(const std::string &header, size_t dataBytes) {
    std::string length(8, '\0');
    length[0] = static_cast<char>(header.size() & 0xff);
    length[1] = static_cast<char>(header.size() >> 8);
    return length + header + std::string(dataBytes, '\0');
  }

  std::string errorOfFile(const std::string &bytes) {
    write(bytes);
    Result<SafetensorsFile> file = SafetensorsFile::open(path);
    EXPECT_FALSE(file);
    if (file)
      return "";
    EXPECT_EQ(file.error().rfind(path + ": ", 0), 0u) << file.error();
    return file.error().substr(path.size() + 2);
  }

  std::filesystem::path folder;
  std::string path;
};

TEST_F(SafetensorsTest, EveryDTypeSurvivesTheRoundTrip) {
  std::map<std::string, HostTensor> tensors;
  for (DType dtype : kAllDTypes) {
    HostTensor tensor(dtype, {2, 3});
    for (int64_t index = 0; index < 6; ++index)
      tensor.set(index, static_cast<double>(index) - 2.0);
    tensors.emplace("a " + std::string(name(dtype)), tensor);
  }
  tensors.emplace("empty", HostTensor(DType::F32, {0, 7}));
  tensors.emplace("scalar", HostTensor(DType::F32, {}));
  Status written = writeSafetensors(path, tensors);
  ASSERT_TRUE(written) << written.error();
  Result<SafetensorsFile> file = SafetensorsFile::open(path);
  ASSERT_TRUE(file) << file.error();
  ASSERT_EQ(file->entries().size(), tensors.size());
  for (const SafetensorsEntry &entry : file->entries()) {
    Result<HostTensor> back = file->read(entry);
    ASSERT_TRUE(back) << back.error();
    const HostTensor &expected = tensors.at(entry.name);
    EXPECT_EQ(back->dtype(), expected.dtype()) << entry.name;
    EXPECT_EQ(back->shape(), expected.shape()) << entry.name;
    EXPECT_EQ(std::memcmp(back->data(), expected.data(), expected.byteCount()), 0) << entry.name;
    EXPECT_EQ(entry.begin % byteWidth(entry.dtype), 0) << entry.name;
  }
}

TEST_F(SafetensorsTest, WritesTheFormatsBytes) {
  HostTensor x(DType::F32, {1});
  x.set(0, 1.0);
  HostTensor q(DType::F8E4M3FN, {2});
  q.set(1, 1.0);
  ASSERT_TRUE(writeSafetensors(path, {{"q", q}, {"x", x}}));
  std::string header = "{\"q\":{\"data_offsets\":[4,6],\"dtype\":\"F8_E4M3\",\"shape\":[2]},"
                       "\"x\":{\"data_offsets\":[0,4],\"dtype\":\"F32\",\"shape\":[1]}}";
  std::string padded = header + std::string((8 - header.size() % 8) % 8, ' ');
  EXPECT_EQ(read(), file(padded, 0) + std::string("\x00\x00\x80\x3f\x00\x38", 6));
}

TEST_F(SafetensorsTest, MetadataIsPassedOver) {
  Result<std::vector<SafetensorsEntry>> entries =
      parseSafetensorsHeader("{\"__metadata__\":{\"format\":\"pt\"},\"x\":" + entry() + "}  ", 12);
  ASSERT_TRUE(entries) << entries.error();
  ASSERT_EQ(entries->size(), 1u);
  EXPECT_EQ(entries->front().name, "x");
  EXPECT_EQ(errorOf("{\"__metadata__\":{\"format\":1},\"x\":" + entry() + "}"),
            "expected __metadata__ to be an object of strings, but it is something else");
}

TEST_F(SafetensorsTest, LengthsThatCanNotBe) {
  EXPECT_EQ(errorOfFile(""),
            "expected a .safetensors file, but it ends after 0 bytes, within the length of its header");
  EXPECT_EQ(errorOfFile("1234567"),
            "expected a .safetensors file, but it ends after 7 bytes, within the length of its header");
  EXPECT_EQ(errorOfFile(std::string("\x01\xe1\xf5\x05\0\0\0\0", 8)),
            "expected a .safetensors header of at most 100000000 bytes, but it claims 100000001");
  EXPECT_EQ(errorOfFile(std::string(8, '\xff')),
            "expected a .safetensors header of at most 100000000 bytes, but it claims 18446744073709551615");
  EXPECT_EQ(errorOfFile(std::string("\x10\0\0\0\0\0\0\0{}", 10)),
            "expected a .safetensors header of 16 bytes, but the file has 2 behind its length");
}

TEST_F(SafetensorsTest, TruncatedAnywhere) {
  std::string whole = file("{\"x\":" + entry() + "}", 12);
  for (size_t length = 0; length < whole.size(); ++length)
    EXPECT_NE(errorOfFile(whole.substr(0, length)), "") << length;
  EXPECT_EQ(errorOfFile(whole.substr(0, whole.size() - 1)),
            "expected the data of 'x' at bytes 0 to 12 behind the header, but the file has 11 bytes there");
  EXPECT_EQ(errorOfFile(whole + "z"), "expected the file to end behind its last tensor, but 1 bytes follow");
}

TEST_F(SafetensorsTest, PlacesThatOverlapOrLeaveGaps) {
  EXPECT_EQ(errorOf("{\"x\":" + entry() + ",\"y\":" + entry("[8,20]") + "}", 20),
            "expected the data of each tensor in a place of its own, but that of 'y' at bytes 8 to 20 overlaps that of "
            "'x'");
  EXPECT_EQ(errorOf("{\"x\":" + entry() + ",\"y\":" + entry("[13,25]") + "}", 25),
            "expected data without gaps, but no tensor holds bytes 12 to 13");
  EXPECT_EQ(errorOf("{\"x\":" + entry("[4,16]") + "}", 16),
            "expected data without gaps, but no tensor holds bytes 0 to 4");
}

TEST_F(SafetensorsTest, SizesThatDoNotMatch) {
  EXPECT_EQ(errorOf("{\"x\":" + entry("[0,8]") + "}", 8),
            "expected 12 bytes of data for 'x' (3xf32), but its data_offsets hold 8");
  EXPECT_EQ(errorOf("{\"x\":" + entry("[0,12]", "[4611686018427387904,4]") + "}"),
            "expected a tensor whose bytes can be counted in 63 bits, but 'x' is 4611686018427387904x4xf32");
}

TEST_F(SafetensorsTest, NamesThatStandTwice) {
  EXPECT_EQ(errorOf("{\"x\":" + entry() + ",\"x\":" + entry() + "}"),
            "expected each name once in the header, but 'x' stands twice");
  EXPECT_EQ(errorOf("{\"x\":{\"dtype\":\"F32\",\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,12]}}"),
            "expected each name once in the header, but 'dtype' stands twice");
}

TEST_F(SafetensorsTest, HeadersThatAreNoObjectsOfTensors) {
  EXPECT_EQ(errorOf("{\"x\":"), "expected the header to be JSON, but it is malformed at byte 6");
  EXPECT_EQ(errorOf("[1]"), "expected the header to be an object of tensors, but it is something else");
  EXPECT_EQ(errorOf("{\"x\":[[[[[1]]]]]}"), "expected the header to be an object of tensors, but it is something else");
  EXPECT_EQ(errorOf(std::string(100000, '[') + std::string(100000, ']')),
            "expected the header to be an object of tensors, but it is something else");
  EXPECT_EQ(errorOf("{\"x\":{\"dtype\":\"F32\"}}"),
            "expected 'x' to have dtype, shape and data_offsets and nothing else, but the header says otherwise");
  EXPECT_EQ(errorOf("{\"x\":" + entry("[0,12]", "[3]", "\"F64\"") + "}"),
            "expected the dtype of 'x' to be one of F32, BF16, F16, F8_E4M3, I8, I32, I64, but got 'F64'");
  EXPECT_EQ(errorOf("{\"x\":" + entry("[0,12]", "[3]", "7") + "}"),
            "expected the dtype of 'x' to be one of F32, BF16, F16, F8_E4M3, I8, I32, I64, but got no string");
  EXPECT_EQ(errorOf("{\"x\":" + entry("[0,12]", "[-3]") + "}"),
            "expected the shape of 'x' to be at most 32 extents of 63 bits, but the header says otherwise");
  EXPECT_EQ(errorOf("{\"x\":" + entry("[12,0]") + "}"),
            "expected the data_offsets of 'x' to be two ascending numbers of 63 bits, but the header says otherwise");
  EXPECT_EQ(errorOf("{\"a\\nb\":" + entry("[12,0]") + "}").find('\n'), std::string::npos);
}

TEST_F(SafetensorsTest, NoByteChangedCrashes) {
  std::string whole = file("{\"x\":" + entry() + "}", 12);
  for (size_t byte = 0; byte < whole.size(); ++byte)
    for (char value : {'\0', '"', '{', '9', '\xff'}) {
      std::string changed = whole;
      changed[byte] = value;
      write(changed);
      (void)SafetensorsFile::open(path);
    }
}

TEST_F(SafetensorsTest, FailedWriteLeavesNothing) {
  std::string inside = (folder / "missing" / "all.safetensors").string();
  Status status = writeSafetensors(inside, {{"x", HostTensor(DType::F32, {1})}});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error(), inside + ": expected to write a .safetensors file, but its folder takes none (No such file "
                                     "or directory)");
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

} // namespace
