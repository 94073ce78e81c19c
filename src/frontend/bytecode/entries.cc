#include "frontend/bytecode/entries.h"

#include <bit>

#include "base/status.h"
#include "frontend/bytecode/dialects.h"
#include "frontend/stablehlo_text/text_entry.h"

namespace sinter::stablehlo {
namespace {

// Parts that a file may unfold to: so many, and more for each of its bytes.
constexpr int64_t kMostParts = int64_t{1} << 20, kMostPartsPerByte = 2;
// The number of a location whose children are being read.
constexpr LocationId kWaiting = kNoLocation - 1;

int64_t PartsOf(std::string_view text) { return static_cast<int64_t>(text.size()) / kPartOfText; }

}  // namespace

Entries::Entries(const BytecodeSource& source, const Container& container, ProgramBuilder& builder)
    : source_(source),
      container_(container),
      builder_(builder),
      attributes_(container.attributes.size()),
      types_(container.types.size()),
      locations_(container.attributes.size(), kNoLocation),
      budget_(kMostParts + kMostPartsPerByte * static_cast<int64_t>(source.bytes().size())) {}

absl::Status Entries::Spend(const char* at, int64_t parts) {
  if (parts > budget_)
    return source_.Exhausted(at, "attributes and types that unfold to too many parts");
  budget_ -= parts;
  return absl::OkStatus();
}

template <class T, class Decode>
absl::StatusOr<const T*> Entries::Read(const char* at, std::string_view what, uint64_t index,
                                       std::vector<Slot<T>>& slots, const Decode& decode) {
  if (index >= slots.size()) return source_.Invalid(at, "{} {} of {}", what, index, slots.size());
  Slot<T>& slot = slots[index];
  if (slot.state == State::kRead) return slot.decoded.get();
  if (slot.state == State::kBeingRead)
    return source_.Invalid(at, "{} {} is inside of itself", what, index);
  if (depth_ >= kMaxDepth) return source_.Exhausted(at, "nested deeper than {} levels", kMaxDepth);
  slot.state = State::kBeingRead;
  ++depth_;
  auto decoded = std::make_unique<T>();
  const absl::Status status = decode(decoded.get());
  --depth_;
  RETURN_IF_ERROR(status);
  slot.decoded = std::move(decoded);
  slot.state = State::kRead;
  return slot.decoded.get();
}

absl::StatusOr<const Entries::DecodedAttribute*> Entries::AttributeAt(const char* at,
                                                                      uint64_t index) {
  return Read(at, "attribute", index, attributes_, [&](DecodedAttribute* decoded) -> absl::Status {
    ASSIGN_OR_RETURN(decoded->value,
                     DecodeAttribute(container_.attributes[index], &decoded->parts));
    return absl::OkStatus();
  });
}

absl::StatusOr<const Entries::DecodedType*> Entries::TypeAt(const char* at, uint64_t index) {
  return Read(at, "type", index, types_, [&](DecodedType* decoded) -> absl::Status {
    ASSIGN_OR_RETURN(Type type, DecodeType(container_.types[index], &decoded->parts));
    decoded->value = std::make_shared<const Type>(std::move(type));
    return absl::OkStatus();
  });
}

absl::StatusOr<Attribute> Entries::DecodeAttribute(const Container::Entry& entry, int64_t* parts) {
  EntryReader reader(source_, *this, entry.bytes);
  Attribute a;
  if (entry.encoded) {
    const DialectEncoding* dialect = FindDialect(entry.dialect);
    if (!dialect || !dialect->attribute) {
      return source_.Unsupported(entry.bytes.data(), "attributes of the dialect '{}'",
                                 entry.dialect);
    }
    a = dialect->attribute(reader);
  } else {
    const std::string_view text = reader.NullTerminated();
    reader.Spend(PartsOf(text) * kPartOfText);  // each character may be a part
    RETURN_IF_ERROR(reader.status());
    ASSIGN_OR_RETURN(a, ParseAttributeEntry(text, source_.filename()));
    a.kept = std::string(text);
  }
  RETURN_IF_ERROR(reader.Finish("an attribute"));
  a.at = entry.bytes.data();
  *parts = reader.parts();
  return a;
}

absl::StatusOr<Type> Entries::DecodeType(const Container::Entry& entry, int64_t* parts) {
  EntryReader reader(source_, *this, entry.bytes);
  Type type;
  if (entry.encoded) {
    const DialectEncoding* dialect = FindDialect(entry.dialect);
    if (!dialect || !dialect->type)
      return source_.Unsupported(entry.bytes.data(), "types of the dialect '{}'", entry.dialect);
    type = dialect->type(reader);
  } else {
    const std::string_view text = reader.NullTerminated();
    reader.Spend(PartsOf(text) * kPartOfText);
    RETURN_IF_ERROR(reader.status());
    ASSIGN_OR_RETURN(type, ParseTypeEntry(text, source_.filename()));
  }
  RETURN_IF_ERROR(reader.Finish("a type"));
  *parts = reader.parts();
  return type;
}

// Call sites nest as deep as stacks of calls: children first, without recursion.
absl::StatusOr<LocationId> Entries::LocationAt(const char* at, uint64_t index) {
  std::vector<uint64_t> stack{index}, missing;
  while (!stack.empty()) {
    const uint64_t next = stack.back();
    if (next >= locations_.size())
      return source_.Invalid(at, "attribute {} of {}", next, locations_.size());
    if (locations_[next] >= 0) {
      stack.pop_back();
      continue;
    }
    missing.clear();
    ASSIGN_OR_RETURN(const LocationId id, DecodeLocation(container_.attributes[next], &missing));
    if (missing.empty()) {
      locations_[next] = id;
      stack.pop_back();
      continue;
    }
    // What comes again while it waits for its children waits for itself.
    if (locations_[next] == kWaiting) return source_.Invalid(at, "a location inside of itself");
    locations_[next] = kWaiting;
    stack.insert(stack.end(), missing.rbegin(), missing.rend());
  }
  return locations_[index];
}

absl::StatusOr<LocationId> Entries::DecodeLocation(const Container::Entry& entry,
                                                   std::vector<uint64_t>* missing) {
  EntryReader reader(source_, *this, entry.bytes);
  Location location;
  if (!entry.encoded || entry.dialect != "builtin") {  // of other dialects: nothing known
    return builder_.AddLocation(std::move(location));
  }
  std::vector<uint64_t> children;
  location = ReadLocation(reader, &children);
  RETURN_IF_ERROR(reader.Finish("a location"));
  for (uint64_t child : children) {
    if (child >= locations_.size())
      return source_.Invalid(entry.bytes.data(), "attribute {} of {}", child, locations_.size());
    if (locations_[child] < 0) missing->push_back(child);
    location.children.push_back(locations_[child]);
  }
  return missing->empty() ? builder_.AddLocation(std::move(location)) : kNoLocation;
}

void EntryReader::Spend(int64_t parts) {
  parts_ += parts;
  if (absl::Status s = entries_.Spend(at(), parts); !s.ok()) Fail(std::move(s));
}

std::string_view EntryReader::ReadString() {
  const uint64_t index = VarInt();
  const auto& strings = entries_.container().strings;
  if (index >= strings.size()) {
    FailInvalid("string {} of {}", index, strings.size());
    return {};
  }
  Spend(PartsOf(strings[index]));
  return strings[index];
}

Attribute EntryReader::AttributeOf(uint64_t index) {
  if (!ok()) return {};
  auto found = entries_.AttributeAt(at(), index);
  if (!found.ok()) {
    Fail(found.status());
    return {};
  }
  Spend((*found)->parts);
  return ok() ? (*found)->value : Attribute();
}

std::optional<Attribute> EntryReader::ReadOptionalAttribute() {
  bool is_there = false;
  const uint64_t index = VarIntWithFlag(&is_there);
  if (!is_there) return std::nullopt;
  return AttributeOf(index);
}

std::vector<Attribute> EntryReader::ReadAttributes() {
  std::vector<Attribute> all;
  const size_t count = Count();
  for (size_t i = 0; i < count && ok(); ++i) all.push_back(ReadAttribute());
  return all;
}

std::shared_ptr<const Type> EntryReader::TypeOf(uint64_t index) {
  static const auto* none = new std::shared_ptr<const Type>(std::make_shared<const Type>());
  if (!ok()) return *none;
  auto found = entries_.TypeAt(at(), index);
  if (!found.ok()) {
    Fail(found.status());
    return *none;
  }
  return (*found)->value;
}

Type EntryReader::ReadTypeValue() {
  const uint64_t index = VarInt();
  const std::shared_ptr<const Type> type = TypeOf(index);
  if (!ok()) return {};
  Spend((*entries_.TypeAt(at(), index))->parts);
  return ok() ? *type : Type();
}

std::vector<Type> EntryReader::ReadTypes() {
  std::vector<Type> all;
  const size_t count = Count();
  for (size_t i = 0; i < count && ok(); ++i) all.push_back(ReadTypeValue());
  return all;
}

uint64_t EntryReader::ReadBits(int width) {
  if (width <= 8) return Byte();
  const auto value = static_cast<uint64_t>(SignedVarInt());
  return width == 64 ? value : value & ((uint64_t{1} << width) - 1);
}

double EntryReader::ReadDouble() { return std::bit_cast<double>(ReadBits(64)); }

}  // namespace sinter::stablehlo
