// What the tests of the importer share.
#pragma once

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/status.h"
#include "eval/eval.h"
#include "frontend/stablehlo_text/stablehlo.h"
#include "ir/verify/verify.h"

namespace sinter {

inline std::unique_ptr<HloModule> Parse(const std::string& text, std::string_view entry = "main") {
  auto module = ParseStablehlo(text, "t.mlir", {.entry = entry});
  INFO(text);
  INFO(MessageOf(module.status()));
  REQUIRE(module.ok());
  absl::Status verified = VerifyModule(**module);
  INFO(MessageOf(verified));
  REQUIRE(verified.ok());
  return std::move(*module);
}

// Each `what` in the text replaced.
inline std::string Replaced(std::string text, std::string_view what, std::string_view with) {
  for (size_t at = 0; (at = text.find(what, at)) != text.npos; at += with.size())
    text.replace(at, what.size(), with);
  return text;
}

// What a program computes.
inline Literal RunOn(const std::string& text, const std::vector<Literal>& arguments) {
  auto module = Parse(text);
  auto result = Evaluate(*module, arguments);
  INFO(text << MessageOf(result.status()));
  REQUIRE(result.ok());
  return *result;
}

// A computation as text: a line an instruction, operands by their position.
inline std::string Dump(const HloComputation& c) {
  std::string out;
  absl::flat_hash_map<const HloInstruction*, int> position;
  for (const HloInstruction* i : c.PostOrder()) {
    int n = static_cast<int>(position.size());
    position[i] = n;
    out += Format("{} {}", Name(i->op()), i->shape().ToString());
    for (const HloInstruction* o : i->operands()) out += Format(" {}", position[o]);
    if (i == c.root()) out += " ROOT";
    for (const HloComputation* called : i->called()) out += " {\n" + Dump(*called) + "}";
    out += "\n";
  }
  return out;
}
inline std::string Dump(const HloModule& m) { return Dump(*m.entry()); }

inline bool SameGraph(const HloComputation& a, const HloComputation& b) {
  if (Dump(a) != Dump(b)) return false;
  auto x = a.PostOrder(), y = b.PostOrder();
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i]->attributes() != y[i]->attributes()) return false;
    for (size_t k = 0; k < x[i]->called().size(); ++k) {
      if (!SameGraph(*x[i]->called(k), *y[i]->called(k))) return false;
    }
  }
  return true;
}

// The message of the error that the text gives, and its code.
inline std::string Error(const std::string& text,
                         absl::StatusCode code = absl::StatusCode::kInvalidArgument) {
  auto module = ParseStablehlo(text, "t.mlir");
  INFO(text);
  REQUIRE(!module.ok());
  CHECK(module.status().code() == code);
  return MessageOf(module.status());
}
inline std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

// The root of a program of one operation.
inline const HloInstruction* Root(const HloModule& m) { return m.entry()->root(); }

}  // namespace sinter
