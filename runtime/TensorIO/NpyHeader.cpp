//===- NpyHeader.cpp - The header of a .npy file --------------------------===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The header is a Python dictionary as text:
// {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
//
//===----------------------------------------------------------------------===//

#include "runtime/TensorIO/NpyHeader.h"

#include <cctype>
#include <limits>
#include <optional>

namespace fastnorm {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kVersionBytes = 2;
constexpr size_t kDataAlignment = 64;
/// NumPy itself refuses longer headers when it does not trust a file.
constexpr size_t kMaxTextBytes = 1 << 20;
constexpr size_t kMaxRank = 32;

size_t lengthBytes(unsigned majorVersion) { return majorVersion == 1 ? 2 : 4; }

unsigned byteAt(std::string_view bytes, size_t index) { return static_cast<unsigned char>(bytes[index]); }

/// NumPy's words for our dtypes. The first of a dtype is the one that is written.
constexpr struct {
  DType dtype;
  std::string_view descr;
} kDescriptions[] = {
    {DType::F32, "<f4"},      {DType::BF16, "<V2"},     {DType::BF16, "|V2"},     {DType::BF16, "<u2"},
    {DType::F16, "<f2"},      {DType::F8E4M3FN, "|V1"}, {DType::F8E4M3FN, "<V1"}, {DType::F8E4M3FN, "|u1"},
    {DType::F8E4M3FN, "<u1"}, {DType::I8, "|i1"},       {DType::I8, "<i1"},       {DType::I32, "<i4"},
    {DType::I64, "<i8"},
};

std::string_view descrOf(DType dtype) {
  for (const auto &description : kDescriptions)
    if (description.dtype == dtype)
      return description.descr;
  return "";
}

Error unknownDType(const std::string &descr) {
  std::string known;
  for (DType dtype : kAllDTypes) {
    if (!known.empty())
      known += dtype == DType::I64 ? " or " : ", ";
    known += std::string(name(dtype)) + " ('" + std::string(descrOf(dtype)) + "')";
  }
  bool isBigEndian = !descr.empty() && descr.front() == '>';
  return Error{"expected dtype " + known + ", but got '" + descr + "'" + (isBigEndian ? ", which is big-endian" : "")};
}

Result<DType> parseDescr(const std::string &descr) {
  for (const auto &description : kDescriptions)
    if (description.descr == descr)
      return description.dtype;
  return unknownDType(descr);
}

/// Reads the dictionary from left to right. Every function leaves the cursor after what it read.
class DictionaryParser {
public:
  explicit DictionaryParser(std::string_view text) : text(text) {}

  Result<NpyHeader> parse();

private:
  void skipSpace();
  bool accept(char letter);
  Status expect(char letter);
  Result<std::string> string();
  Result<int64_t> integer();
  Result<std::string> word();
  Result<std::vector<int64_t>> tuple();
  Status entry();
  Error malformed(const std::string &what);

  std::string_view text;
  size_t cursor = 0;
  std::optional<DType> dtype;
  std::optional<std::vector<int64_t>> shape;
  bool sawOrder = false;
};

Error DictionaryParser::malformed(const std::string &what) {
  skipSpace();
  std::string came = cursor < text.size() ? "'" + std::string(text.substr(cursor, 1)) + "'" : "its end";
  if (cursor < text.size() && std::isprint(static_cast<unsigned char>(text[cursor])) == 0)
    came = "a control character";
  return Error{"expected " + what + " at byte " + std::to_string(cursor) + " of the header's text, but got " + came};
}

void DictionaryParser::skipSpace() {
  while (cursor < text.size() && (text[cursor] == ' ' || text[cursor] == '\n' || text[cursor] == '\t'))
    ++cursor;
}

bool DictionaryParser::accept(char letter) {
  skipSpace();
  if (cursor >= text.size() || text[cursor] != letter)
    return false;
  ++cursor;
  return true;
}

Status DictionaryParser::expect(char letter) {
  if (accept(letter))
    return {};
  return malformed(std::string("'") + letter + "'");
}

Result<std::string> DictionaryParser::string() {
  skipSpace();
  char quote = cursor < text.size() ? text[cursor] : '\0';
  size_t end = quote == '\'' || quote == '"' ? text.find(quote, cursor + 1) : std::string_view::npos;
  if (end == std::string_view::npos)
    return malformed("a quoted string");
  std::string value(text.substr(cursor + 1, end - cursor - 1));
  cursor = end + 1;
  return value;
}

Result<std::string> DictionaryParser::word() {
  skipSpace();
  size_t begin = cursor;
  while (cursor < text.size() && std::isalpha(static_cast<unsigned char>(text[cursor])))
    ++cursor;
  if (cursor == begin)
    return malformed("True or False");
  return std::string(text.substr(begin, cursor - begin));
}

Result<int64_t> DictionaryParser::integer() {
  skipSpace();
  size_t begin = cursor;
  int64_t value = 0;
  for (; cursor < text.size() && std::isdigit(static_cast<unsigned char>(text[cursor])); ++cursor)
    if (__builtin_mul_overflow(value, int64_t(10), &value) ||
        __builtin_add_overflow(value, int64_t(text[cursor] - '0'), &value))
      return Error{"expected extents of 63 bits in the shape, but got a larger one"};
  if (cursor == begin)
    return malformed("an extent that is not negative");
  accept('L');
  return value;
}

Result<std::vector<int64_t>> DictionaryParser::tuple() {
  if (Status status = expect('('); !status)
    return status.takeError();
  std::vector<int64_t> values;
  while (!accept(')')) {
    Result<int64_t> value = integer();
    if (!value)
      return value.takeError();
    values.push_back(*value);
    if (values.size() > kMaxRank)
      return Error{"expected at most " + std::to_string(kMaxRank) + " dimensions in the shape, but got more"};
    if (accept(')'))
      break;
    if (Status status = expect(','); !status)
      return status.takeError();
  }
  return values;
}

Status DictionaryParser::entry() {
  Result<std::string> key = string();
  if (!key)
    return key.takeError();
  if (Status status = expect(':'); !status)
    return status;
  if (*key == "descr") {
    if (accept('['))
      return Error{"expected one dtype for all elements, but the file holds records of fields"};
    Result<std::string> descr = string();
    if (!descr)
      return descr.takeError();
    Result<DType> parsed = parseDescr(*descr);
    if (!parsed)
      return parsed.takeError();
    dtype = *parsed;
    return {};
  }
  if (*key == "fortran_order") {
    Result<std::string> value = word();
    if (!value)
      return value.takeError();
    if (*value == "True")
      return Error{"expected row-major data, but the file is in Fortran order; save numpy.ascontiguousarray of it"};
    if (*value != "False")
      return Error{"expected fortran_order to be True or False, but got '" + *value + "'"};
    sawOrder = true;
    return {};
  }
  if (*key == "shape") {
    Result<std::vector<int64_t>> extents = tuple();
    if (!extents)
      return extents.takeError();
    shape = std::move(*extents);
    return {};
  }
  return Error{"expected the keys descr, fortran_order and shape, but got '" + *key + "'"};
}

Result<NpyHeader> DictionaryParser::parse() {
  if (Status status = expect('{'); !status)
    return status.takeError();
  while (!accept('}')) {
    if (Status status = entry(); !status)
      return status.takeError();
    if (accept('}'))
      break;
    if (Status status = expect(','); !status)
      return status.takeError();
  }
  skipSpace();
  if (cursor != text.size())
    return malformed("the end of the header");
  if (!dtype || !shape || !sawOrder)
    return Error{std::string("expected the keys descr, fortran_order and shape, but ") +
                 (!dtype   ? "descr"
                  : !shape ? "shape"
                           : "fortran_order") +
                 " is missing"};
  return NpyHeader{*dtype, std::move(*shape)};
}

} // namespace

Result<size_t> npyHeaderBytes(std::string_view prefix) {
  if (prefix.size() < kMagic.size() || prefix.substr(0, kMagic.size()) != kMagic)
    return Error{"expected a .npy file, but it does not start with the bytes of one"};
  if (prefix.size() < kMagic.size() + kVersionBytes + 2)
    return Error{"expected a .npy header, but the file ends within it"};
  unsigned majorVersion = byteAt(prefix, kMagic.size());
  if (majorVersion < 1 || majorVersion > 3)
    return Error{"expected .npy version 1, 2 or 3, but got " + std::to_string(majorVersion)};
  size_t start = kMagic.size() + kVersionBytes;
  size_t textStart = start + lengthBytes(majorVersion);
  if (prefix.size() < textStart)
    return Error{"expected a .npy header, but the file ends within it"};
  size_t textBytes = 0;
  for (size_t index = lengthBytes(majorVersion); index-- > 0;)
    textBytes = textBytes << 8 | byteAt(prefix, start + index);
  if (textBytes > kMaxTextBytes)
    return Error{"expected a .npy header of at most " + std::to_string(kMaxTextBytes) + " bytes, but it claims " +
                 std::to_string(textBytes)};
  return textStart + textBytes;
}

Result<NpyHeader> parseNpyHeader(std::string_view header) {
  Result<size_t> headerBytes = npyHeaderBytes(header.substr(0, kNpyPrefixBytes));
  if (!headerBytes)
    return headerBytes.takeError();
  if (header.size() < *headerBytes)
    return Error{"expected a .npy header of " + std::to_string(*headerBytes) + " bytes, but the file ends after " +
                 std::to_string(header.size())};
  size_t textStart = kMagic.size() + kVersionBytes + lengthBytes(byteAt(header, kMagic.size()));
  return DictionaryParser(header.substr(textStart, *headerBytes - textStart)).parse();
}

std::string formatNpyHeader(const NpyHeader &header) {
  std::string text = "{'descr': '" + std::string(descrOf(header.dtype)) + "', 'fortran_order': False, 'shape': (";
  for (int64_t extent : header.shape)
    text += std::to_string(extent) + ", ";
  // Python writes (3,) for one dimension and (3, 4) for more.
  if (header.shape.size() > 1)
    text.resize(text.size() - 2);
  else if (header.shape.size() == 1)
    text.pop_back();
  text += "), }";
  size_t prefixBytes = kMagic.size() + kVersionBytes + lengthBytes(1);
  size_t total = (prefixBytes + text.size() + 1 + kDataAlignment - 1) / kDataAlignment * kDataAlignment;
  text.append(total - prefixBytes - text.size() - 1, ' ');
  text += '\n';
  std::string bytes(kMagic);
  bytes += '\x01';
  bytes += '\x00';
  bytes += static_cast<char>(text.size() & 0xff);
  bytes += static_cast<char>(text.size() >> 8);
  return bytes + text;
}

} // namespace fastnorm
