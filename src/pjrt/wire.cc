#include "pjrt/wire.h"

#include <bit>
#include <cstring>

#include "base/status.h"
#include "pjrt/array.h"

namespace sinter::pjrt {
namespace {

enum WireType { kVarint = 0, kEightBytes = 1, kLength = 2, kFourBytes = 5 };

absl::Status NoProtocolBuffer(std::string_view what) {
  return InvalidArgument("no protocol buffer: {}", what);
}

}  // namespace

absl::Status ReadVarint(std::string_view& rest, uint64_t& value) {
  value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (rest.empty()) return NoProtocolBuffer("a number is cut off");
    const auto byte = static_cast<uint8_t>(rest.front());
    rest.remove_prefix(1);
    value |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return absl::OkStatus();
  }
  return NoProtocolBuffer("a number has more than 64 bits");
}

bool WireReader::Fail(std::string_view what) {
  status_ = NoProtocolBuffer(what);
  return false;
}

bool WireReader::Varint(uint64_t& value) {
  status_ = ReadVarint(rest_, value);
  return status_.ok();
}

bool WireReader::Fixed(size_t size) {
  if (rest_.size() < size) return Fail("a number is cut off");
  for (size_t i = 0; i < size; ++i) bits_ |= uint64_t{static_cast<uint8_t>(rest_[i])} << (8 * i);
  rest_.remove_prefix(size);
  return true;
}

bool WireReader::Next() {
  if (rest_.empty() || !status_.ok()) return false;
  bits_ = 0;
  bytes_ = {};
  uint64_t tag = 0;
  if (!Varint(tag)) return false;
  field_ = static_cast<int64_t>(tag >> 3);
  if (field_ == 0) return Fail("a field has the number 0");
  switch (tag & 7) {
    case kVarint:
      return Varint(bits_);
    case kEightBytes:
      return Fixed(8);
    case kFourBytes:
      return Fixed(4);
    case kLength: {
      uint64_t size = 0;
      if (!Varint(size)) return false;
      if (size > rest_.size()) return Fail("a field is longer than its message");
      bytes_ = rest_.substr(0, size);
      rest_.remove_prefix(size);
      return true;
    }
    default:
      return Fail("a field of an unknown kind");
  }
}

double WireReader::number() const { return std::bit_cast<double>(bits_); }

void WriteVarint(uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(0x80 | (value & 0x7f));
  out += static_cast<char>(value);
}

void WriteInteger(int field, int64_t value, std::string& out) {
  WriteVarint(static_cast<uint64_t>(field) << 3 | kVarint, out);
  WriteVarint(static_cast<uint64_t>(value), out);
}

void WriteBytes(int field, std::string_view value, std::string& out) {
  WriteVarint(static_cast<uint64_t>(field) << 3 | kLength, out);
  WriteVarint(value.size(), out);
  out += value;
}

std::string WriteShape(const Shape& shape) {
  std::string out, dims, layout, order;
  WriteInteger(2, PrimitiveType(shape.element_type()), out);
  for (int64_t d : shape.dimensions()) WriteVarint(static_cast<uint64_t>(d), dims);
  if (!dims.empty()) WriteBytes(3, dims, out);
  for (int64_t d : MinorToMajorOf(shape)) WriteVarint(static_cast<uint64_t>(d), order);
  if (!order.empty()) WriteBytes(1, order, layout);
  WriteBytes(5, layout, out);
  return out;
}

}  // namespace sinter::pjrt
