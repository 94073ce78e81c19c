// Attributes and types of a file, decoded when they are asked for.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "frontend/bytecode/byte_reader.h"
#include "frontend/bytecode/container.h"
#include "frontend/stablehlo/ast.h"
#include "frontend/stablehlo/program_builder.h"

namespace sinter::stablehlo {

// As many characters count as one part.
inline constexpr int64_t kPartOfText = 32;

class Entries {
 public:
  // All of these must outlive it.
  Entries(const BytecodeSource& source, const Container& container, ProgramBuilder& builder);

  const Container& container() const { return container_; }

  // What an attribute or a type is, and of how many parts: those it has inside and its text.
  struct DecodedAttribute {
    Attribute value;
    int64_t parts = 1;
  };
  struct DecodedType {
    std::shared_ptr<const Type> value;
    int64_t parts = 1;
  };
  // Errors of the index are those of what stands at `at`.
  absl::StatusOr<const DecodedAttribute*> AttributeAt(const char* at, uint64_t index);
  absl::StatusOr<const DecodedType*> TypeAt(const char* at, uint64_t index);
  absl::StatusOr<LocationId> LocationAt(const char* at, uint64_t index);

  // Counts parts that are copied: what is shared many times over is ResourceExhausted, as what
  // unfolds to more than the file's size allows for.
  absl::Status Spend(const char* at, int64_t parts);

 private:
  enum class State : uint8_t { kUnread, kBeingRead, kRead };
  template <class T>
  struct Slot {
    State state = State::kUnread;
    std::unique_ptr<T> decoded;
  };

  // The slot's value; where it has not been read yet, what `decode` makes of the entry. `what` is
  // for errors.
  template <class T, class Decode>
  absl::StatusOr<const T*> Read(const char* at, std::string_view what, uint64_t index,
                                std::vector<Slot<T>>& slots, const Decode& decode);
  absl::StatusOr<Attribute> DecodeAttribute(const Container::Entry& entry, int64_t* parts);
  absl::StatusOr<Type> DecodeType(const Container::Entry& entry, int64_t* parts);
  // A location whose children, where they are not read yet, are in `missing` instead.
  absl::StatusOr<LocationId> DecodeLocation(const Container::Entry& entry,
                                            std::vector<uint64_t>* missing);

  const BytecodeSource& source_;
  const Container& container_;
  ProgramBuilder& builder_;
  std::vector<Slot<DecodedAttribute>> attributes_;
  std::vector<Slot<DecodedType>> types_;
  std::vector<LocationId> locations_;  // by attribute; kNoLocation where there is none yet
  int depth_ = 0;
  int64_t budget_;
};

// Reads what stands in attributes, types and operations: a ByteReader that also knows the strings,
// attributes and types that numbers stand for.
class EntryReader : public ByteReader {
 public:
  EntryReader(const BytecodeSource& source, Entries& entries, std::string_view bytes)
      : ByteReader(source, bytes), entries_(entries) {}

  Entries& entries() { return entries_; }
  // How many parts have been read so far, of which the reader has made copies.
  int64_t parts() const { return parts_; }

  std::string_view ReadString();
  Attribute ReadAttribute() { return AttributeOf(VarInt()); }
  std::optional<Attribute> ReadOptionalAttribute();  // the number has a flag
  std::vector<Attribute> ReadAttributes();
  std::shared_ptr<const Type> ReadType() { return TypeOf(VarInt()); }
  std::vector<Type> ReadTypes();
  Type ReadTypeValue();
  // An integer of so many bits, none or 1 to 64 of them, as its lowest.
  uint64_t ReadBits(int width);
  double ReadDouble();

  Attribute AttributeOf(uint64_t index);
  std::shared_ptr<const Type> TypeOf(uint64_t index);
  void Spend(int64_t parts);

 private:
  Entries& entries_;
  int64_t parts_ = 1;
};

}  // namespace sinter::stablehlo
