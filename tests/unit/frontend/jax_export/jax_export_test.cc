#include "frontend/jax_export/jax_export.h"

#include <catch2/catch.hpp>

#include "base/status.h"
#include "frontend/jax_export/exported_generated.h"

namespace sinter {
namespace {

using Catch::Matchers::Contains;
using Values = std::vector<std::vector<std::string>>;

// What a file says; the members are as far as it says them.
struct File {
  Values in, out, unique;
  std::vector<uint32_t> in_numbers, out_numbers;
  std::vector<uint16_t> kept;
  std::vector<std::string> effects;
  uint16_t convention = 9;
  uint32_t devices = 1;
  int16_t devices_short = 0;
  std::string module = "module";

  std::string Bytes() const {
    flatbuffers::FlatBufferBuilder b;
    auto values = [&](const Values& all) {
      std::vector<flatbuffers::Offset<jax_export::AbstractValue>> offsets;
      for (const auto& dims : all) {
        const auto texts = b.CreateVectorOfStrings(dims);
        offsets.push_back(jax_export::CreateAbstractValue(b, texts.o));
      }
      return b.CreateVector(offsets);
    };
    const auto in_avals = values(in), out_avals = values(out), unique_avals = values(unique);
    std::vector<flatbuffers::Offset<jax_export::Effect>> all;
    for (const std::string& e : effects)
      all.push_back(jax_export::CreateEffect(b, b.CreateString(e)));
    const auto unordered = b.CreateVector(all);
    const auto platforms = b.CreateVectorOfStrings({"cpu", "rocm"});
    const auto bytes =
        b.CreateVector(reinterpret_cast<const uint8_t*>(module.data()), module.size());
    const auto kept_numbers = b.CreateVector(kept);
    const auto in_idxs = b.CreateVector(in_numbers), out_idxs = b.CreateVector(out_numbers);
    const auto name = b.CreateString("f");
    jax_export::ExportedBuilder e(b);
    e.add_function_name(name);
    e.add_in_avals(in_avals);
    e.add_out_avals(out_avals);
    e.add_unique_avals(unique_avals);
    e.add_in_avals_idxs(in_idxs);
    e.add_out_avals_idxs(out_idxs);
    e.add_module_kept_var_idx(kept_numbers);
    e.add_unordered_effects(unordered);
    e.add_platforms(platforms);
    e.add_calling_convention_version(convention);
    e.add_nr_devices(devices);
    e.add_nr_devices_short(devices_short);
    e.add_mlir_module_serialized(bytes);
    b.Finish(e.Finish());
    return std::string(reinterpret_cast<const char*>(b.GetBufferPointer()), b.GetSize());
  }
};

std::string ErrorOf(const File& file) {
  const auto read = ReadJaxExport(file.Bytes(), "f");
  REQUIRE(!read.ok());
  return read.status().ToString();
}

TEST_CASE("values stand in the file one by one, or as numbers of those that differ") {
  File file{.in = {{"a", "2*b"}, {}, {"3"}}, .out = {{"a"}}, .kept = {0, 2}};
  std::string bytes = file.Bytes();
  auto read = ReadJaxExport(bytes, "f");
  REQUIRE(read.ok());
  CHECK(read->function_name == "f");
  CHECK(read->arguments == file.in);
  CHECK(read->results == file.out);
  CHECK(read->kept == std::vector<int64_t>{0, 2});
  CHECK(read->platforms == std::vector<std::string>{"cpu", "rocm"});
  CHECK(read->module == "module");
  CHECK(read->module.data() >= bytes.data());
  CHECK(read->module.data() < bytes.data() + bytes.size());

  file.unique = {{"7"}, {"x", "y"}};
  file.in_numbers = {1, 0, 1};
  file.out_numbers = {0};
  bytes = file.Bytes();
  read = ReadJaxExport(bytes, "f");
  REQUIRE(read.ok());
  CHECK(read->arguments == Values{{"x", "y"}, {"7"}, {"x", "y"}});
  CHECK(read->results == Values{{"7"}});
  file.in_numbers = {2};
  CHECK_THAT(ErrorOf(file), Contains("INVALID_ARGUMENT: f: there is no value 2"));
}

TEST_CASE("what files of jax.export may not say") {
  CHECK_THAT(ErrorOf({.convention = 8}), Contains("UNIMPLEMENTED: f: calling convention 8"));
  CHECK(ReadJaxExport(File{.convention = 11}.Bytes(), "f").ok());
  CHECK_THAT(ErrorOf({.devices = 2}), Contains("UNIMPLEMENTED: f: the program was exported for 2"));
  CHECK_THAT(ErrorOf({.devices = 0, .devices_short = 4}), Contains("exported for 4 devices"));
  CHECK_THAT(ErrorOf({.effects = {"<class 'm.Bell'>"}}),
             Contains("UNIMPLEMENTED: f: the program has the unordered effect <class 'm.Bell'>"));
  CHECK(ReadJaxExport(File{.effects = {"<class 'jax.ShapeAssertionEffect'>"}}.Bytes(), "f").ok());
  CHECK_THAT(ErrorOf({.in = {{}, {}}, .kept = {2}}), Contains("takes argument 2 of 2"));
  CHECK_THAT(ErrorOf({.in = {{}, {}}, .kept = {1, 1}}), Contains("are not in order"));
  CHECK_THAT(ErrorOf({.module = ""}), Contains("not a file of jax.export"));
}

TEST_CASE("lists that many values share are counted for each") {
  File file{.in = {std::vector<std::string>(65, "a")}};
  CHECK_THAT(ErrorOf(file), Contains("RESOURCE_EXHAUSTED: f: an array of more than 64 dimensions"));
  file = {.unique = {std::vector<std::string>(64, std::string(1000, 'a'))}};
  file.in_numbers.assign(60000, 0);
  CHECK_THAT(ErrorOf(file), Contains("RESOURCE_EXHAUSTED: f: too many dimensions"));
  file.in_numbers.assign(70000, 0);
  CHECK_THAT(ErrorOf(file), Contains("RESOURCE_EXHAUSTED: f: more than 65536 values"));
}

TEST_CASE("files of jax.export that end early, and offsets out of them") {
  const std::string bytes = File{.in = {{"a"}}, .kept = {0}}.Bytes();
  REQUIRE(ReadJaxExport(bytes, "f").ok());
  for (size_t size = 0; size < bytes.size(); ++size) {
    const std::string cut = bytes.substr(0, size);
    const auto read = ReadJaxExport(cut, "f");
    if (!read.ok()) CHECK(absl::IsInvalidArgument(read.status()));
  }
  CHECK_FALSE(ReadJaxExport(bytes.substr(0, bytes.size() / 2), "f").ok());
  std::string wrong = bytes;
  for (size_t at = 0; at < wrong.size(); ++at) {
    wrong[at] = static_cast<char>(0xff);
    const absl::Status s = ReadJaxExport(wrong, "f").status();
    CHECK((s.ok() || absl::IsInvalidArgument(s) || absl::IsUnimplemented(s)));
    wrong[at] = bytes[at];
  }
}

}  // namespace
}  // namespace sinter
