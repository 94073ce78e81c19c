// The wire format of protocol buffers, read and written: as much of it as CompileOptionsProto,
// DeviceAssignmentProto and ShapeProto take. Source: "Encoding", protobuf.dev.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "sinter/shape.h"

namespace sinter::pjrt {

// A caller's bytes; none at null.
inline std::string_view Bytes(const char* data, size_t size) {
  return data == nullptr ? std::string_view() : std::string_view(data, size);
}

// Takes a number of variable length from the front of `rest`.
absl::Status ReadVarint(std::string_view& rest, uint64_t& value);

// The fields of a message, one after another.
//
//   WireReader reader(bytes);
//   while (reader.Next()) switch (reader.field()) { case 4: replicas = reader.integer(); ... }
//   RETURN_IF_ERROR(reader.status());
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  // False at the end and after an error.
  bool Next();
  const absl::Status& status() const { return status_; }

  int64_t field() const { return field_; }
  // Of a varint or a number of 4 or 8 bytes; 0 of others.
  uint64_t bits() const { return bits_; }
  int64_t integer() const { return static_cast<int64_t>(bits_); }
  double number() const;  // of 8 bytes
  // Of text, bytes, a message or packed numbers; empty of others.
  std::string_view bytes() const { return bytes_; }

 private:
  bool Varint(uint64_t& value);
  bool Fixed(size_t size);
  bool Fail(std::string_view what);

  std::string_view rest_, bytes_;
  int64_t field_ = 0;
  uint64_t bits_ = 0;
  absl::Status status_;
};

void WriteVarint(uint64_t value, std::string& out);
void WriteInteger(int field, int64_t value, std::string& out);
void WriteBytes(int field, std::string_view value, std::string& out);

// xla.ShapeProto of an array, with its layout.
std::string WriteShape(const Shape& shape);

}  // namespace sinter::pjrt
