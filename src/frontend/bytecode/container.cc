#include "frontend/bytecode/container.h"

#include <optional>

#include "base/status.h"
#include "frontend/bytecode/byte_reader.h"

namespace sinter::stablehlo {
namespace {

constexpr std::string_view kMagic = "ML\xefR";
constexpr size_t kLongestName = 256;

enum SectionId : uint8_t {
  kStrings,
  kDialects,
  kEntries,
  kEntryOffsets,
  kIr,
  kResources,
  kResourceOffsets,
  kVersions,
  kProperties,
  kSections,
};
using Sections = std::optional<std::string_view>[kSections];

std::string_view StringAt(ByteReader& reader, const Container& c, uint64_t index) {
  if (index < c.strings.size()) return c.strings[index];
  reader.FailInvalid("string {} of {}", index, c.strings.size());
  return {};
}

std::string_view DialectAt(ByteReader& reader, const Container& c, uint64_t index) {
  if (index < c.dialects.size()) return c.dialects[index];
  reader.FailInvalid("dialect {} of {}", index, c.dialects.size());
  return {};
}

absl::Status ReadSections(ByteReader& reader, Sections& sections) {
  while (!reader.AtEnd()) {
    uint8_t id = 0;
    const char* at = reader.at();
    const std::string_view bytes = reader.Section(&id);
    if (!reader.ok()) break;
    if (id >= kSections) return reader.source().Invalid(at, "a section of the number {}", id);
    if (sections[id]) return reader.source().Invalid(at, "a second section of the number {}", id);
    sections[id] = bytes;
  }
  return reader.status();
}

// Sizes first, those of the last strings before those of the first, then the strings, each with a
// zero.
absl::Status ReadStrings(ByteReader reader, Container* c) {
  c->strings.resize(reader.Count());
  std::vector<uint64_t> sizes(c->strings.size());
  for (size_t i = sizes.size(); i-- > 0;) sizes[i] = reader.VarInt();
  for (size_t i = 0; i < sizes.size() && reader.ok(); ++i) {
    std::string_view text = reader.Bytes(sizes[i]);
    if (text.empty()) {
      reader.FailInvalid("a string without its zero");
    } else {
      c->strings[i] = text.substr(0, text.size() - 1);
    }
  }
  return reader.Finish("the strings");
}

absl::Status ReadDialects(ByteReader reader, Container* c) {
  c->dialects.resize(reader.Count());
  for (std::string_view& dialect : c->dialects) {
    bool versioned = false;
    const uint64_t name =
        c->version < kDialectVersions ? reader.VarInt() : reader.VarIntWithFlag(&versioned);
    dialect = StringAt(reader, *c, name);
    uint8_t id = 0;
    if (versioned) reader.Section(&id);
  }
  if (c->version >= kElidedLocations) reader.VarInt();  // how many operations there are in all
  while (!reader.AtEnd()) {
    const std::string_view dialect = DialectAt(reader, *c, reader.VarInt());
    const size_t count = reader.Count();
    for (size_t i = 0; i < count && reader.ok(); ++i) {
      Container::Operation& op = c->operations.emplace_back();
      const uint64_t name =
          c->version < kNativeProperties ? reader.VarInt() : reader.VarIntWithFlag(&op.registered);
      const std::string_view suffix = StringAt(reader, *c, name);
      // The same long string may be the name of many.
      if (dialect.size() + suffix.size() > kLongestName) {
        reader.FailInvalid("the name of an operation of more than {} characters", kLongestName);
        break;
      }
      op.name = Format("{}.{}", dialect, suffix);
    }
  }
  return reader.Finish("the dialects");
}

absl::Status ReadEntries(std::string_view entries, ByteReader offsets, Container* c) {
  ByteReader data(offsets.source(), entries);
  c->attributes.resize(offsets.Count());
  c->types.resize(offsets.Count());
  for (std::vector<Container::Entry>* all : {&c->attributes, &c->types}) {
    for (size_t next = 0; next < all->size() && offsets.ok();) {
      const std::string_view dialect = DialectAt(offsets, *c, offsets.VarInt());
      const size_t count = offsets.Count();
      if (count > all->size() - next) offsets.FailInvalid("more entries than stated");
      for (size_t i = 0; i < count && offsets.ok(); ++i) {
        Container::Entry& entry = (*all)[next++];
        entry.dialect = dialect;
        entry.bytes = data.Bytes(offsets.VarIntWithFlag(&entry.encoded));
        if (!data.ok()) offsets.Fail(data.status());
      }
    }
  }
  return offsets.Finish("the attributes and types");
}

absl::Status ReadResources(std::string_view resources, ByteReader offsets, Container* c) {
  ByteReader data(offsets.source(), resources);
  auto read_group = [&](bool of_dialect) {
    const size_t count = offsets.Count();
    for (size_t i = 0; i < count && offsets.ok(); ++i) {
      Container::Resource resource;
      resource.key = StringAt(offsets, *c, offsets.VarInt());
      const uint64_t size = offsets.VarInt();
      resource.kind = offsets.Byte();
      resource.bytes = data.Bytes(size);
      if (!data.ok()) offsets.Fail(data.status());
      if (of_dialect) c->resources.push_back(resource);
    }
  };
  const size_t external = offsets.Count();
  for (size_t i = 0; i < external && offsets.ok(); ++i) {
    StringAt(offsets, *c, offsets.VarInt());
    read_group(/*of_dialect=*/false);
  }
  while (!offsets.AtEnd()) {
    DialectAt(offsets, *c, offsets.VarInt());
    read_group(/*of_dialect=*/true);
  }
  return offsets.status();
}

absl::Status ReadProperties(ByteReader reader, Container* c) {
  const size_t count = reader.Count();
  for (size_t i = 0; i < count && reader.ok(); ++i) c->properties.push_back(reader.Blob());
  return reader.Finish("the properties");
}

}  // namespace

absl::StatusOr<Container> ReadContainer(const BytecodeSource& source) {
  Container c;
  ByteReader reader(source, source.bytes());
  if (reader.Bytes(std::min(kMagic.size(), reader.left())) != kMagic)
    return source.Invalid(source.begin(), "no MLIR bytecode");
  c.version = reader.VarInt();
  if (reader.ok() && c.version > kNewestBytecode) {
    return source.Unsupported(source.begin(), "version {} of MLIR bytecode, the newest known is {}",
                              c.version, kNewestBytecode);
  }
  c.producer = reader.NullTerminated();
  Sections sections;
  RETURN_IF_ERROR(ReadSections(reader, sections));
  for (SectionId id : {kStrings, kDialects, kEntries, kEntryOffsets, kIr}) {
    if (!sections[id]) return source.Invalid(reader.at(), "there is no section {}", int{id});
  }
  RETURN_IF_ERROR(ReadStrings(ByteReader(source, *sections[kStrings]), &c));
  RETURN_IF_ERROR(ReadDialects(ByteReader(source, *sections[kDialects]), &c));
  if (sections[kResourceOffsets]) {
    RETURN_IF_ERROR(ReadResources(sections[kResources].value_or(std::string_view()),
                                  ByteReader(source, *sections[kResourceOffsets]), &c));
  }
  RETURN_IF_ERROR(
      ReadEntries(*sections[kEntries], ByteReader(source, *sections[kEntryOffsets]), &c));
  if (sections[kProperties])
    RETURN_IF_ERROR(ReadProperties(ByteReader(source, *sections[kProperties]), &c));
  c.ir = *sections[kIr];
  return c;
}

}  // namespace sinter::stablehlo
