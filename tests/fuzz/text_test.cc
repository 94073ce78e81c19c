// Mutated programs as text: whatever a file says, reading it returns. SINTER_FUZZ_COUNT=N reads N
// texts, SINTER_FUZZ_SEED=N the one of that number; SINTER_FUZZ_CORPUS names a folder of further
// *.mlir and *.hlo files.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "files.h"
#include "fuzz/apart.h"
#include "fuzz/random.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/verify/verify.h"
#include "sinter/client.h"
#include "sinter/import.h"

namespace sinter::fuzz {
namespace {

namespace fs = std::filesystem;

using testing::ReadFile;

// The programs in a source file's raw strings.
void AddRawStrings(const std::string& source, std::vector<std::string>& out) {
  for (size_t at = 0; (at = source.find("R\"", at)) != source.npos;) {
    const size_t open = source.find('(', at);
    if (open == source.npos || open - at > 18) {
      at += 2;
      continue;
    }
    const std::string end = ")" + source.substr(at + 2, open - at - 2) + "\"";
    const size_t close = source.find(end, open);
    if (close == source.npos) return;
    std::string text = source.substr(open + 1, close - open - 1);
    if (text.find("stablehlo") != text.npos || text.find("HloModule") != text.npos ||
        text.find("func.func") != text.npos)
      out.push_back(std::move(text));
    at = close;
  }
}

void AddModules(const std::string& text, std::vector<std::string>& out) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find("\n// ---", at), text.size());
    if (end - at < 20000) out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
}

const std::vector<std::string>& Corpus() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> texts;
    std::vector<fs::path> files;
    std::vector<fs::path> roots = {fs::path(SINTER_SOURCE_DIR) / "tests",
                                   fs::path(SINTER_SOURCE_DIR) / "examples"};
    if (const char* more = std::getenv("SINTER_FUZZ_CORPUS")) roots.emplace_back(more);
    for (const fs::path& root : roots) {
      for (const auto& entry : fs::recursive_directory_iterator(root))
        if (entry.is_regular_file()) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());  // the same text for the same number
    for (const fs::path& path : files) {
      const std::string kind = path.extension();
      if (kind == ".hlo" || kind == ".mlir") AddModules(ReadFile(path), texts);
      if (kind == ".cc" || kind == ".h") AddRawStrings(ReadFile(path), texts);
    }
    return texts;
  }();
  return all;
}

bool IsWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-';
}

// The bounds of the token at or after a random place.
std::pair<size_t, size_t> Token(const std::string& text, Random& random) {
  if (text.empty()) return {0, 0};
  auto begin = static_cast<size_t>(random.Below(static_cast<int64_t>(text.size())));
  while (begin < text.size() && text[begin] == ' ') ++begin;
  if (begin == text.size()) return {0, 0};
  while (begin > 0 && IsWord(text[begin]) && IsWord(text[begin - 1])) --begin;
  size_t end = begin + 1;
  while (end < text.size() && IsWord(text[begin]) && IsWord(text[end])) ++end;
  return {begin, end};
}

std::string Take(const std::string& text, std::pair<size_t, size_t> part) {
  return text.substr(part.first, part.second - part.first);
}

std::string Repeat(std::string_view what, int64_t times) {
  std::string out;
  for (int64_t i = 0; i < times; ++i) out += what;
  return out;
}

std::string Piece(Random& random) {
  static const char* const kPieces[] = {"0",
                                        "-1",
                                        "1",
                                        "2",
                                        "9223372036854775807",
                                        "-9223372036854775808",
                                        "18446744073709551616",
                                        "99999999999999999999999999",
                                        "4294967296",
                                        "1e999",
                                        "-0",
                                        "nan",
                                        "inf",
                                        "0x7fc00000",
                                        "0x",
                                        "(",
                                        ")",
                                        "{",
                                        "}",
                                        "[",
                                        "]",
                                        "<",
                                        ">",
                                        ",",
                                        ":",
                                        "=",
                                        "->",
                                        "%",
                                        "@",
                                        "#",
                                        "!",
                                        "\"",
                                        "//",
                                        "/*",
                                        "*/",
                                        "?",
                                        "x",
                                        "\\",
                                        "\n",
                                        "\t",
                                        "tensor<",
                                        "tensor<?xf32>",
                                        "tensor<0xf32>",
                                        "tensor<9223372036854775807x9223372036854775807xf32>",
                                        "f32[]",
                                        "f32[9223372036854775807]",
                                        "s4[3]",
                                        "token[]",
                                        "()",
                                        "pred[]",
                                        "c128[2]",
                                        "f8e4m3fn[4]",
                                        "{0,1,2,3,4,5,6,7,8,9}",
                                        "dimensions={0}",
                                        "to_apply=",
                                        "metadata={",
                                        "dense<",
                                        "array<i64: 0>",
                                        "loc(",
                                        "ROOT",
                                        "ENTRY",
                                        "HloModule",
                                        "parameter(0)",
                                        "constant(",
                                        "while",
                                        "tuple(",
                                        "get-tuple-element(",
                                        "func.func",
                                        "stablehlo.",
                                        "return",
                                        "module",
                                        "i1",
                                        "complex<f32>",
                                        "true",
                                        "\0"};
  if (random.Chance(10)) {
    return Repeat(random.Of({"(", "[", "{", "<", "((", "tuple<", "f32[", "{{", "\"", "loc(", "["}),
                  random.Of({2, 30, 200, 5000}));
  }
  return kPieces[random.Below(std::size(kPieces))];
}

std::string Mutated(uint64_t seed) {
  Random random(seed);
  const std::vector<std::string>& corpus = Corpus();
  std::string text = random.Of(corpus);
  const int64_t times = random.In(1, 4);
  for (int64_t i = 0; i < times; ++i) {
    auto somewhere = [&] {
      return static_cast<size_t>(random.Below(static_cast<int64_t>(text.size()) + 1));
    };
    const std::pair<size_t, size_t> token = Token(text, random);
    switch (random.Below(12)) {
      case 0:  // a token by another piece
      case 1:
        text.replace(token.first, token.second - token.first, Piece(random));
        break;
      case 2:  // by another token of the text
      case 3: {
        const std::string other = Take(text, Token(text, random));
        text.replace(token.first, token.second - token.first, other);
        break;
      }
      case 4: {  // by one of another text
        const std::string& from = random.Of(corpus);
        text.replace(token.first, token.second - token.first, Take(from, Token(from, random)));
        break;
      }
      case 5:
        text.erase(token.first, token.second - token.first);
        break;
      case 6:
        text.insert(somewhere(), Piece(random));
        break;
      case 7: {  // a stretch away
        const size_t at = somewhere();
        text.erase(at, static_cast<size_t>(random.In(1, random.Chance(50) ? 5 : 80)));
        break;
      }
      case 8: {  // a stretch twice
        const size_t at = somewhere();
        const std::string part = text.substr(at, static_cast<size_t>(random.In(1, 100)));
        text.insert(somewhere(), part);
        break;
      }
      case 9:
        if (!text.empty()) text[somewhere() % text.size()] = static_cast<char>(random.Below(256));
        break;
      case 10: {  // a line of another text
        const std::string& from = random.Of(corpus);
        size_t at = static_cast<size_t>(random.Below(static_cast<int64_t>(from.size()) + 1));
        at = std::min(from.find('\n', at), from.size());
        const size_t end = std::min(from.find('\n', at + 1), from.size());
        const size_t to = std::min(text.find('\n', somewhere()), text.size());
        if (at < end) text.insert(to, from.substr(at, end - at));
        break;
      }
      default:
        if (random.Chance(30)) text.resize(somewhere());
        break;
    }
  }
  return text;
}

bool IsUsers(absl::StatusCode code) {
  return code == absl::StatusCode::kInvalidArgument || code == absl::StatusCode::kUnimplemented ||
         code == absl::StatusCode::kResourceExhausted;
}

bool IsSmall(const HloModule& module) {
  for (const auto& c : module.computations()) {
    for (const auto& i : c->instructions()) {
      if (i->shape().byte_size() > 1 << 16) return false;
    }
  }
  return true;
}

// What is wrong with how the text is taken.
std::optional<std::string> Wrong(const std::string& text, bool compile) {
  for (auto load : {LoadHlo, LoadStablehlo, Load}) {
    absl::StatusOr<Computation> read = load(text, "fuzz");
    if (!read.ok()) {
      if (!IsUsers(read.status().code())) return read.status().ToString();
      continue;
    }
    const HloModule& module = *read->module();
    if (absl::Status s = VerifyModule(module); !s.ok())
      return "read, but does not verify: " + s.ToString();
    const std::string printed = Print(module);
    auto again = ParseHloText(printed, "printed");
    if (!again.ok()) return "cannot be read again: " + again.status().ToString() + "\n" + printed;
    if (Print(**again) != printed) return "is another when read again:\n" + printed;
    if (!compile || !IsSmall(module)) continue;
    static const std::shared_ptr<Client> client = *Client::Cpu({.threads = 1, .cache_entries = 1});
    absl::StatusOr<Executable> code = client->Compile(*read);
    if (!code.ok() && !IsUsers(code.status().code()))
      return "does not compile: " + code.status().ToString() + "\n" + printed;
  }
  return std::nullopt;
}

void RunTexts(uint64_t first, uint64_t count) {
  REQUIRE(Corpus().size() > 300);
  RunAllApart([](uint64_t seed) { return Wrong(Mutated(seed), seed % 8 == 0); }, first, count,
              /*batch=*/500, [](uint64_t seed) { return Mutated(seed).substr(0, 4000); });
}

TEST_CASE("reading mutated programs returns") {
  const Numbers asked = NumbersAskedFor(2000);
  RunTexts(asked.first, asked.count);
}

TEST_CASE("reading many mutated programs returns", "[.full]") { RunTexts(100000, 200000); }

}  // namespace
}  // namespace sinter::fuzz
