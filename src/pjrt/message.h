// A protocol buffer's message whose fields are asked for by number, in any order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace sinter::pjrt {

// Views into bytes that outlive it. What is inside of nested messages is read when it is asked for.
class Message {
 public:
  // InvalidArgument for what is no message.
  static absl::StatusOr<Message> Read(std::string_view bytes);

  bool Has(int field) const;
  // The last one of that number; 0 and "" where there is none.
  int64_t Integer(int field) const;
  bool Truth(int field) const { return Integer(field) != 0; }
  std::string_view Text(int field) const;
  // Of a repeated field: numbers of variable length, packed or one by one.
  absl::StatusOr<std::vector<int64_t>> Integers(int field) const;
  std::vector<std::string_view> Texts(int field) const;
  absl::StatusOr<Message> One(int field) const { return Read(Text(field)); }
  absl::StatusOr<std::vector<Message>> All(int field) const;
  // Of a number of 4 bytes.
  float Float(int field) const;
  // Numbers of `width` bytes, packed or one by one, as they are in memory; bytes where it is 1.
  std::string Fixed(int field, size_t width) const;

 private:
  struct Field {
    int64_t number = 0;
    uint64_t bits = 0;
    std::string_view bytes;
  };
  const Field* Last(int field) const;

  std::vector<Field> fields_;
};

}  // namespace sinter::pjrt
