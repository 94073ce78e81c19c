#include "frontend/bytecode/byte_reader.h"

#include <bit>
#include <cstring>

namespace sinter::stablehlo {

void ByteReader::Fail(absl::Status status) {
  if (status_.ok()) status_ = std::move(status);
  p_ = end_;
}

absl::Status ByteReader::Finish(std::string_view what) {
  if (ok() && !AtEnd()) FailInvalid("{} bytes behind {}", left(), what);
  return status_;
}

uint8_t ByteReader::Byte() {
  if (AtEnd()) {
    FailInvalid("the bytes end too early");
    return 0;
  }
  return static_cast<uint8_t>(*p_++);
}

// As many zeros in the lowest bits of the first byte as bytes follow it, then a one; all zeros:
// eight bytes follow, which are the number.
uint64_t ByteReader::VarInt() {
  const uint8_t first = Byte();
  if (first & 1) return first >> 1;
  if (!ok()) return 0;
  const auto more = first == 0 ? size_t{8} : static_cast<size_t>(std::countr_zero(first));
  const std::string_view bytes = Bytes(more);
  uint64_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes[i]);
  if (first == 0) return value;
  return value << (7 - more) | first >> (more + 1);
}

int64_t ByteReader::SignedVarInt() {
  const uint64_t value = VarInt();
  return static_cast<int64_t>((value >> 1) ^ (0 - (value & 1)));
}

uint64_t ByteReader::VarIntWithFlag(bool* flag) {
  const uint64_t value = VarInt();
  *flag = value & 1;
  return value >> 1;
}

size_t ByteReader::CheckCount(uint64_t count) {
  if (count <= left()) return count;
  FailInvalid("{} things in {} bytes", count, left());
  return 0;
}

std::string_view ByteReader::Bytes(uint64_t count) {
  if (count > left()) {
    FailInvalid("expected {} bytes, there are {}", count, left());
    return {};
  }
  const std::string_view bytes(p_, count);
  p_ += count;
  return bytes;
}

std::string_view ByteReader::NullTerminated() {
  const void* zero = AtEnd() ? nullptr : std::memchr(p_, 0, left());
  if (zero == nullptr) {
    FailInvalid("a text without an end");
    return {};
  }
  const std::string_view text(p_, static_cast<size_t>(static_cast<const char*>(zero) - p_));
  p_ += text.size() + 1;
  return text;
}

std::vector<int64_t> ByteReader::SignedVarInts() {
  std::vector<int64_t> values(Count());
  for (int64_t& v : values) v = SignedVarInt();
  return values;
}

void ByteReader::AlignTo(uint64_t alignment) {
  constexpr uint8_t kPadding = 0xCB;
  if (!std::has_single_bit(alignment)) return FailInvalid("an alignment of {} bytes", alignment);
  const auto offset = static_cast<uint64_t>(p_ - source_.begin());
  for (char c : Bytes((0 - offset) & (alignment - 1))) {
    if (static_cast<uint8_t>(c) != kPadding) return FailInvalid("padding that is none");
  }
}

std::string_view ByteReader::Section(uint8_t* id) {
  const uint8_t first = Byte();
  const uint64_t size = VarInt();
  if (first & 0x80) AlignTo(VarInt());
  *id = first & 0x7f;
  return Bytes(size);
}

}  // namespace sinter::stablehlo
