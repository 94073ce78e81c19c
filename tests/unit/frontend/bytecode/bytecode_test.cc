// Files of bytecode made here, byte by byte: what no writer of MLIR makes.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "base/status.h"
#include "frontend/bytecode/bytecode.h"

namespace sinter {
namespace {

std::string VarInt(uint64_t value) {
  if (value < 128) return std::string(1, static_cast<char>(value << 1 | 1));
  std::string out(1, '\0');
  for (int i = 0; i < 8; ++i) out.push_back(static_cast<char>(value >> (8 * i)));
  return out;
}

std::string Section(int id, const std::string& bytes) {
  return std::string(1, static_cast<char>(id)) + VarInt(bytes.size()) + bytes;
}

// A file of version 6 of the dialect builtin: a module of no operations, whose attributes are the
// attribute `attributes`, at the location `location`.
struct File {
  uint64_t version = 6;
  std::string producer = "test";
  std::vector<std::string> strings = {"builtin", "module", "x.a"};
  std::vector<std::string> attributes, types;
  uint64_t dictionary = 0, location = 0;

  // The number of the attribute.
  uint64_t Add(std::string bytes) {
    attributes.push_back(std::move(bytes));
    return attributes.size() - 1;
  }
  uint64_t Array(const std::vector<uint64_t>& elements) {
    std::string bytes = VarInt(0) + VarInt(elements.size());
    for (uint64_t e : elements) bytes += VarInt(e);
    return Add(std::move(bytes));
  }
  // {x.a = VALUE} becomes the module's.
  void SetAttribute(uint64_t value) {
    const uint64_t name = Add(VarInt(2) + VarInt(2));
    dictionary = Add(VarInt(1) + VarInt(1) + VarInt(name) + VarInt(value));
  }

  std::string Bytes() const {
    std::string sizes, texts;
    for (size_t i = strings.size(); i-- > 0;) sizes += VarInt(strings[i].size() + 1);
    for (const std::string& s : strings) texts += s + '\0';
    std::string entries, offsets = VarInt(attributes.size()) + VarInt(types.size());
    for (const auto* all : {&attributes, &types}) {
      if (all->empty()) continue;
      offsets += VarInt(0) + VarInt(all->size());
      for (const std::string& e : *all) {
        offsets += VarInt(e.size() << 1 | 1);
        entries += e;
      }
    }
    const std::string dialects =
        VarInt(1) + VarInt(0) + VarInt(1) + VarInt(0) + VarInt(1) + VarInt(1 << 1 | 1);
    // Attributes and one region, which is isolated and has one block of nothing.
    const std::string region = VarInt(1) + VarInt(0) + VarInt(0);
    const std::string ir = VarInt(1 << 1) + VarInt(0) + std::string(1, '\x11') + VarInt(location) +
                           VarInt(dictionary) + VarInt(1 << 1 | 1) + Section(4, region);
    return "ML\xefR" + VarInt(version) + producer + '\0' +
           Section(0, VarInt(strings.size()) + sizes + texts) + Section(1, dialects) +
           Section(2, entries) + Section(3, offsets) + Section(4, ir);
  }
};

absl::Status Read(const std::string& bytes) {
  return ParseStablehloBytecode(bytes, "file").status();
}
std::string Message(const absl::Status& s) { return std::string(s.message()); }

// A file of which all is well but that it has no function.
bool IsRead(const absl::Status& s) {
  return Message(s) == "file: byte 0: there is no function @main";
}

TEST_CASE("a file that is well but for what it lacks") {
  File file;
  file.location = file.Add(VarInt(15));
  file.SetAttribute(file.Array({}));
  CHECK(IsRead(Read(file.Bytes())));
}

TEST_CASE("every beginning of a file is an error that names a place") {
  File file;
  file.location = file.Add(VarInt(15));
  file.SetAttribute(file.Array({}));
  const std::string bytes = file.Bytes();
  for (size_t size = 0; size < bytes.size(); ++size) {
    const absl::Status s = Read(bytes.substr(0, size));
    INFO(size << ": " << s);
    CHECK(s.code() == absl::StatusCode::kInvalidArgument);
    CHECK(Message(s).find("file: byte ") == 0);
    CHECK_FALSE(IsRead(s));
  }
}

TEST_CASE("versions of the format and of artifacts past the newest known") {
  File file;
  file.location = file.Add(VarInt(15));
  file.SetAttribute(file.Array({}));
  file.version = 7;
  CHECK(
      Read(file.Bytes()) ==
      absl::UnimplementedError("file: byte 0: version 7 of MLIR bytecode, the newest known is 6"));
  file.version = 6;
  file.strings[0] = "vhlo";
  file.producer = "StableHLO_v1.99.0";
  CHECK(
      Read(file.Bytes()) ==
      absl::UnimplementedError("file: byte 0: an artifact of StableHLO 1.99.0, the newest version "
                               "known is 1.22"));
  file.strings[0] = "builtin";
  file.producer = "StableHLO_v1.22.7";  // a patch changes nothing
  CHECK(IsRead(Read(file.Bytes())));
}

TEST_CASE("what is shared over and over unfolds to too much") {
  File file;
  file.location = file.Add(VarInt(15));
  uint64_t last = file.Array({});
  for (int i = 0; i < 60; ++i) last = file.Array({last, last});
  file.SetAttribute(last);
  const absl::Status s = Read(file.Bytes());
  CHECK(s.code() == absl::StatusCode::kResourceExhausted);
  CHECK(Message(s).find("unfold to too many parts") != std::string::npos);
}

TEST_CASE("attributes nest to a limit, and not in circles") {
  File deep;
  deep.location = deep.Add(VarInt(15));
  uint64_t last = deep.Array({});
  for (int i = 0; i < 200; ++i) last = deep.Array({last});
  deep.SetAttribute(last);
  CHECK(Read(deep.Bytes()).code() == absl::StatusCode::kResourceExhausted);

  File circle;
  circle.location = circle.Add(VarInt(15));
  circle.SetAttribute(circle.Array({2}));  // the number that the array itself has not, but its user
  circle.attributes[1] = VarInt(0) + VarInt(1) + VarInt(1);
  const absl::Status s = Read(circle.Bytes());
  CHECK(s.code() == absl::StatusCode::kInvalidArgument);
  CHECK(Message(s).find("is inside of itself") != std::string::npos);
}

TEST_CASE("an attribute that claims more than the file has") {
  File file;
  file.location = file.Add(VarInt(15));
  file.SetAttribute(file.Add(VarInt(0) + VarInt(uint64_t{1} << 60)));
  const absl::Status s = Read(file.Bytes());
  CHECK(s.code() == absl::StatusCode::kInvalidArgument);
  CHECK(Message(s).find("1152921504606846976 things in 0 bytes") != std::string::npos);
}

TEST_CASE("call sites nest as deep as they like, but not in circles") {
  File deep;
  uint64_t last = deep.Add(VarInt(15));
  const uint64_t unknown = last;
  for (int i = 0; i < 100000; ++i) last = deep.Add(VarInt(10) + VarInt(unknown) + VarInt(last));
  deep.location = last;
  deep.SetAttribute(deep.Array({}));
  CHECK(IsRead(Read(deep.Bytes())));

  File circle;
  circle.location = circle.Add(VarInt(10) + VarInt(0) + VarInt(0));
  circle.SetAttribute(circle.Array({}));
  const absl::Status s = Read(circle.Bytes());
  CHECK(s.code() == absl::StatusCode::kInvalidArgument);
  CHECK(Message(s).find("a location inside of itself") != std::string::npos);
}

TEST_CASE("operations, attributes and types that nobody knows are named") {
  File file;
  file.location = file.Add(VarInt(15));
  file.SetAttribute(file.Array({}));
  file.strings = {"other", "thing", "x.a"};
  CHECK(Message(Read(file.Bytes())).find("attributes of the dialect 'other'") != std::string::npos);
  file.strings = {"builtin", "thing", "x.a"};
  const absl::Status s = Read(file.Bytes());
  CHECK(s.code() == absl::StatusCode::kUnimplemented);
  CHECK(Message(s).find("operation 'builtin.thing' outside of functions") != std::string::npos);
  file.strings = {"builtin", "module", "x.a"};
  file.SetAttribute(file.Add(VarInt(77)));
  CHECK(Message(Read(file.Bytes())).find("builtin attributes of the number 77") !=
        std::string::npos);
}

TEST_CASE("an error says the file and line that an operation comes from") {
  File file;
  file.strings.push_back("model.py");
  const uint64_t name = file.Add(VarInt(2) + VarInt(3));
  file.location = file.Add(VarInt(11) + VarInt(name) + VarInt(12) + VarInt(5));
  file.SetAttribute(file.Array({}));
  file.strings[1] = "thing";
  const std::string bytes = file.Bytes();
  CHECK(Message(Read(bytes)).find(" (model.py:12): operation 'builtin.thing'") !=
        std::string::npos);
}

}  // namespace
}  // namespace sinter
