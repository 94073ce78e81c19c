// Numbers and ranges of MLIR bytecode. The first read past the end or of something malformed fails
// the reader: from then on it is empty, reads give zero, and `status` has the error.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "frontend/bytecode/source.h"

namespace sinter::stablehlo {

class ByteReader {
 public:
  // `bytes` is a part of what the source reads.
  ByteReader(const BytecodeSource& source, std::string_view bytes)
      : source_(source), p_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  const BytecodeSource& source() const { return source_; }
  const char* at() const { return p_; }
  size_t left() const { return static_cast<size_t>(end_ - p_); }
  bool AtEnd() const { return p_ == end_; }
  bool ok() const { return status_.ok(); }
  const absl::Status& status() const { return status_; }
  // The error, if any, or InvalidArgument for bytes that nobody has read.
  absl::Status Finish(std::string_view what);
  void Fail(absl::Status status);
  template <class... Args>
  void FailInvalid(fmt::format_string<Args...> f, Args&&... args) {
    Fail(source_.Invalid(p_, f, std::forward<Args>(args)...));
  }

  uint8_t Byte();
  uint64_t VarInt();
  int64_t SignedVarInt();
  // Behind a number, in its lowest bit.
  uint64_t VarIntWithFlag(bool* flag);
  // A number of things of at least one byte each.
  size_t Count() { return CheckCount(VarInt()); }
  size_t CheckCount(uint64_t count);
  std::string_view Bytes(uint64_t count);
  std::string_view Blob() { return Bytes(VarInt()); }
  std::string_view NullTerminated();
  std::vector<int64_t> SignedVarInts();
  // Skips padding up to a multiple of `alignment` bytes from the beginning of the file.
  void AlignTo(uint64_t alignment);
  // The bytes of a section, and its number.
  std::string_view Section(uint8_t* id);

 private:
  const BytecodeSource& source_;
  const char *p_, *end_;
  absl::Status status_;
};

}  // namespace sinter::stablehlo
