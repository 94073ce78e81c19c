#include "ir/sharding/sharding.h"

#include <catch2/catch.hpp>

#include "base/status.h"
#include "ir/sharding/mesh.h"
#include "ir/sharding/sdy.h"

namespace sinter {
namespace {

std::string Again(std::string_view text) {
  auto s = ParseSharding(text);
  return s.ok() ? ToText(*s) : MessageOf(s.status());
}

TEST_CASE("HLO's shardings are read and written") {
  for (const char* text :
       {"{replicated}", "{manual}", "{unknown}", "{maximal device=3}", "{devices=[2,1]<=[2]}",
        "{devices=[2,2]0,2,1,3}", "{devices=[2,1,2]<=[4] last_tile_dim_replicate}",
        "{devices=[1,2,2]<=[4] last_tile_dims={manual, replicated}}",
        "{{replicated}, {devices=[2]<=[2]}}", "{}"})
    CHECK(Again(text) == text);
  CHECK(Again("{devices=[2,2]<=[2,2]T(1,0)}") == "{devices=[2,2]0,2,1,3}");
  CHECK(Again("{devices=[8]<=[2,4]T(1,0)}") == "{devices=[8]0,4,1,5,2,6,3,7}");
  CHECK(Again("{devices=[2,1]<=[2] metadata={op_name=\"a}\"}}") == "{devices=[2,1]<=[2]}");
  CHECK(Again("{{replicated}, /*index=1*/{manual}}") == "{{replicated}, {manual}}");
}

TEST_CASE("what is no sharding is told") {
  CHECK(Again("{devices=[2,2]<=[3]}") == "sharding {devices=[2,2]<=[3]}: 3 devices for 4 parts");
  CHECK(Again("{devices=[2]<=[2]T(1)}") ==
        "sharding {devices=[2]<=[2]T(1)}: T(...) is no permutation");
  CHECK(Again("{devices=[2]1,1}") == "sharding {devices=[2]1,1}: a device twice");
  CHECK(Again("{devices=[0]<=[0]}") == "sharding {devices=[0]<=[0]}: a number of parts that is 0");
  CHECK(Again("{replicated") == "sharding {replicated: expected a word at ''");
  CHECK(ParseSharding("{shard_as 1}").status().code() == absl::StatusCode::kUnimplemented);
  CHECK(ParseSharding("{devices=[9999999,9999999]<=[1]}").status().code() ==
        absl::StatusCode::kResourceExhausted);
}

SdyMeshes Meshes() {
  SdyMeshes meshes;
  meshes["mesh"] = ParseSdyMesh("<[\"x\"=2, \"y\"=4]>").value();
  meshes["reversed"] = ParseSdyMesh("<[\"x\"=4], device_ids=[3, 2, 1, 0]>").value();
  meshes["one"] = ParseSdyMesh("<[], device_ids=[5]>").value();
  return meshes;
}

std::string FromSdy(std::string_view text) {
  auto s = ParseSdySharding(text, Meshes());
  return s.ok() ? ToText(*s) : MessageOf(s.status());
}

TEST_CASE("Shardy's shardings are read") {
  CHECK(FromSdy("#sdy.sharding<@mesh, [{\"x\"}, {\"y\"}]>") == "{devices=[2,4]<=[8]}");
  CHECK(FromSdy("<@mesh, [{}, {\"x\"}]>") == "{devices=[1,2,4]<=[8] last_tile_dim_replicate}");
  CHECK(FromSdy("<@mesh, [{\"y\", \"x\"}]>") == "{devices=[8]0,4,1,5,2,6,3,7}");
  CHECK(FromSdy("<@mesh, [{\"y\":(1)2}, {\"y\":(2)2}]>") ==
        "{devices=[2,2,2]0,4,1,5,2,6,3,7 last_tile_dim_replicate}");
  CHECK(FromSdy("<@mesh, [{\"y\":(2)2}]>") ==
        "{devices=[2,4]0,2,4,6,1,3,5,7 last_tile_dim_replicate}");
  CHECK(FromSdy("<@reversed, [{\"x\"}]>") == "{devices=[4]3,2,1,0}");
  CHECK(FromSdy("<@one, []>") == "{maximal device=5}");
  CHECK(FromSdy("<mesh<[]>, []>") == "{replicated}");
  CHECK(FromSdy("<mesh<[\"a\"=2]>, [{\"a\"}]>") == "{devices=[2]<=[2]}");
  auto s = ParseSdySharding("<@mesh, [{\"x\", ?}p1, {}], replicated={\"y\"}>", Meshes());
  REQUIRE(s.ok());
  CHECK(s->IsOpen(0));
  CHECK_FALSE(s->IsOpen(1));
  CHECK(s->Priority(0) == 1);
  CHECK(FromSdy("<@none, [{}]>") == "sharding <@none, [{}]>: there is no mesh @none");
  CHECK(FromSdy("<@mesh, [{\"z\"}]>") == "sharding <@mesh, [{\"z\"}]>: the mesh has no axis \"z\"");
  CHECK(FromSdy("<@mesh, [{\"x\"}, {\"x\"}]>") ==
        "sharding <@mesh, [{\"x\"}, {\"x\"}]>: an axis is used twice");
  auto several =
      ParseSdyShardings("#sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{\"x\"}]>]>", Meshes());
  REQUIRE(several.ok());
  CHECK(several->size() == 2);
}

TEST_CASE("a mesh has axes of prime sizes that express what is stated") {
  auto tiled = [](std::string_view text) { return ParseSharding(text).value(); };
  const std::vector<Sharding> stated{tiled("{devices=[2,4]<=[8]}"),
                                     tiled("{devices=[4,2]<=[2,4]T(1,0)}")};
  const Mesh mesh = ChooseMesh(8, stated);
  CHECK(mesh.axis_count() == 3);
  CHECK(mesh.Express(stated[0], 2) == AxesOfDims{{0}, {1, 2}});
  CHECK(mesh.Express(stated[1], 2) == AxesOfDims{{1, 2}, {0}});
  CHECK(ToText(mesh.ToSharding({{1, 2}, {0}})) == ToText(stated[1]));
  CHECK(ToText(mesh.ToSharding({{}, {0}})) == "{devices=[1,2,4]<=[8] last_tile_dim_replicate}");
  CHECK(ToText(mesh.ToSharding({{}, {}})) == "{replicated}");
  // Sizes 2 and 3 in the order that is stated.
  const Mesh six = ChooseMesh(6, std::vector<Sharding>{tiled("{devices=[3,2]<=[6]}")});
  CHECK(six.Express(tiled("{devices=[3,2]<=[6]}"), 2).has_value());
  CHECK_FALSE(six.Express(tiled("{devices=[2,3]<=[6]}"), 2).has_value());
  // Devices in another order.
  const Mesh other = ChooseMesh(4, std::vector<Sharding>{tiled("{devices=[4]0,1,3,2}")});
  CHECK(other.devices() == Dims{0, 1, 3, 2});
  CHECK(mesh.ManualAxes(tiled("{devices=[1,2,4]<=[8] last_tile_dims={manual, replicated}}")) == 1);
}

}  // namespace
}  // namespace sinter
