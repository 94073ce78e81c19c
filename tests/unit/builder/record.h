// What the tests of the builder share. They see public headers only, so that Op is the handle.
#pragma once

#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "sinter/builder.h"

namespace sinter {

inline constexpr ElementType kF32 = ElementType::F32, kS32 = ElementType::S32,
                             kPred = ElementType::PRED, kC64 = ElementType::C64,
                             kU8 = ElementType::U8;

inline Op Param(Builder& b, int64_t number, ElementType type, std::vector<int64_t> dims,
                SourceLocation where = SourceLocation::current()) {
  return Parameter(&b, number, Shape(type, std::move(dims)), std::string(1, "xyzuvw"[number]),
                   where);
}

// The instructions of the entry, one a line without "ENTRY" and parameters: "ROOT add = f32[2]{0}
// add(x, y)".
inline std::string Body(const Computation& c) {
  std::string text = c.ToString(), out;
  size_t at = text.find("ENTRY");
  while (at < text.size()) {
    size_t end = text.find('\n', at);
    if (end == std::string::npos) end = text.size();
    std::string line = text.substr(at, end - at);
    at = end + 1;
    if (line.find(" = ") == std::string::npos || line.find(" parameter(") != std::string::npos)
      continue;
    out += line.substr(line.find_first_not_of(' ')) + "\n";
  }
  if (!out.empty()) out.pop_back();
  return out;
}
inline std::string Body(Builder& b) {
  auto c = b.Build();
  return c.ok() ? Body(*c) : std::string(c.status().message());
}
// The message of the builder's error after the line number.
inline std::string ErrorOf(Builder& b) {
  auto c = b.Build();
  if (c.ok()) return "no error";
  std::string text(c.status().message());
  size_t file = text.find("_test.cc:");
  return file == std::string::npos ? text : text.substr(text.find(": ", file) + 2);
}

}  // namespace sinter
