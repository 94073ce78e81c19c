#include "sinter/import.h"

#include "api/client_core.h"
#include "base/status.h"
#include "frontend/stablehlo/stablehlo.h"
#include "ir/text/parser.h"
#include "ir/verify/verify.h"

namespace sinter {
namespace {

// The text after white space and comments: of lines ("//") and of HLO ("/* */").
std::string_view SkipComments(std::string_view text) {
  for (;;) {
    size_t begin = text.find_first_not_of(" \t\r\n\f\v");
    text.remove_prefix(begin == std::string_view::npos ? text.size() : begin);
    std::string_view end;
    if (text.starts_with("//")) {
      end = "\n";
    } else if (text.starts_with("/*")) {
      end = "*/";
    } else {
      return text;
    }
    size_t at = text.find(end, 2);
    text.remove_prefix(at == std::string_view::npos ? text.size() : at + end.size());
  }
}

bool StartsWithWord(std::string_view text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  if (text.empty()) return true;
  char c = text[0];
  return !(('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || c == '_' ||
           c == '.');
}

// A module, possibly with aliases of attributes and types before it, or functions without one.
bool LooksLikeMlir(std::string_view text) {
  for (std::string_view word : {"module", "func.func", "builtin.module"}) {
    if (StartsWithWord(text, word)) return true;
  }
  return text.starts_with('#') || text.starts_with('!') || text.starts_with("\"builtin.module\"") ||
         text.starts_with("\"func.func\"");
}

std::string_view NameOr(std::string_view name, std::string_view otherwise) {
  return name.empty() ? otherwise : name;
}

absl::StatusOr<Computation> Handle(absl::StatusOr<std::unique_ptr<HloModule>> module) {
  if (!module.ok()) return module.status();
  return Computation(std::shared_ptr<const HloModule>(*std::move(module)));
}

}  // namespace

absl::StatusOr<Computation> LoadStablehlo(std::string_view text, std::string_view name) {
  return api::Guarded([&] { return Handle(ParseStablehlo(text, NameOr(name, "stablehlo"))); });
}

absl::StatusOr<Computation> LoadStablehlo(std::string_view text, std::string_view name,
                                          const std::vector<Shape>& arguments) {
  return api::Guarded([&] {
    StablehloOptions options;
    for (const Shape& s : arguments) options.arguments.push_back({.shape = s});
    return Handle(ParseStablehlo(text, NameOr(name, "stablehlo"), options));
  });
}

absl::StatusOr<Computation> LoadHlo(std::string_view text, std::string_view name) {
  return api::Guarded([&]() -> absl::StatusOr<Computation> {
    ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module, ParseHloText(text, NameOr(name, "hlo")));
    // The reader infers shapes as it goes; what concerns the module as a whole is left.
    if (absl::Status s = VerifyModule(*module); !s.ok()) return Annotate(s, NameOr(name, "hlo"));
    return Handle(std::move(module));
  });
}

absl::StatusOr<Computation> Load(std::string_view text, std::string_view name) {
  if (text.starts_with("ML\xefR")) {
    return Unimplemented(
        "{}: MLIR bytecode; its text can be loaded (stablehlo-translate prints it)",
        NameOr(name, "program"));
  }
  std::string_view begin = SkipComments(text);
  if (StartsWithWord(begin, "HloModule")) return LoadHlo(text, name);
  if (LooksLikeMlir(begin)) return LoadStablehlo(text, name);
  return InvalidArgument(
      "{}: neither StableHLO, which begins with \"module\" or \"func.func\", nor HLO text, "
      "which begins with \"HloModule\"",
      NameOr(name, "program"));
}

}  // namespace sinter
