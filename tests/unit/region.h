// Regions for unit tests, written as HLO text.
#pragma once

#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "ir/text/parser.h"

namespace sinter {

// A module whose entry computation has these instructions. `add` and `max` combine f32, `max_s32`
// combines s32.
inline std::unique_ptr<HloModule> Region(const std::string& body) {
  auto module = ParseHloText(
      "HloModule m\n"
      "add {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT r = f32[] add(a, b)\n}\n"
      "max {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
      "  ROOT r = f32[] maximum(a, b)\n}\n"
      "max_s32 {\n  a = s32[] parameter(0)\n  b = s32[] parameter(1)\n"
      "  ROOT r = s32[] maximum(a, b)\n}\nENTRY main {\n" +
          body + "\n}\n",
      "region.hlo");
  INFO(module.status().ToString());
  REQUIRE(module.ok());
  return *std::move(module);
}

}  // namespace sinter
