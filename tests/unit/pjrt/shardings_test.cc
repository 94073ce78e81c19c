#include "pjrt/shardings.h"

#include <catch2/catch.hpp>

#include "base/status.h"
#include "pjrt/wire.h"

namespace sinter::pjrt {
namespace {

std::string Hex(std::string_view text) {
  auto written = WriteSharding(text);
  if (!written.ok()) return MessageOf(written.status());
  std::string out;
  for (char c : *written) out += Format("{:02x}", static_cast<uint8_t>(c));
  return out;
}

// As jaxlib 0.12 serializes xla.OpSharding.
TEST_CASE("shardings are OpShardings") {
  CHECK(Hex("{replicated}") == "");
  CHECK(Hex("{manual}") == "0804");
  CHECK(Hex("{maximal device=3}") == "08011a0101220103");
  CHECK(Hex("{devices=[2,2]<=[4]}") == "08031a020202220400010203");
  CHECK(Hex("{devices=[2,1,2]<=[4] last_tile_dim_replicate}") == "08031a030201022204000102033001");
  CHECK(Hex("{devices=[1,2,2]<=[4] last_tile_dims={manual, replicated}}") ==
        "08031a0301020222040001020342020400");
  CHECK(Hex("{{replicated}}") == "sharding {{replicated}}: of a tuple");
}

TEST_CASE("compile options say what may be cut") {
  std::string build, options;
  WriteBytes(12, std::string("\1\0", 2), build);
  WriteInteger(18, 1, build);
  WriteBytes(3, build, options);
  CompileOptions read;
  REQUIRE(ReadPropagation(options, read).ok());
  CHECK(read.cut_results == std::vector<bool>{true, false});
  CHECK(read.cut_parameters == std::vector<bool>{true});
}

}  // namespace
}  // namespace sinter::pjrt
