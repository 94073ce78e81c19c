// Files that JAX has written (make.py): their signatures, and their graphs against those of text.
#include <catch2/catch.hpp>

#include "base/status.h"
#include "files.h"
#include "sinter/client.h"
#include "sinter/import.h"

namespace sinter {
namespace {

std::string FileOf(const std::string& name) {
  const std::filesystem::path path = std::filesystem::path(SINTER_JAX_EXPORT_FOLDER) / name;
  REQUIRE(std::filesystem::exists(path));
  return testing::ReadFile(path);
}

Program ProgramOf(const std::string& name) {
  auto program = LoadProgram(FileOf(name + ".jaxexport"), {.name = name});
  INFO(MessageOf(program.status()));
  REQUIRE(program.ok());
  return *program;
}

std::string ErrorOf(const std::string& name) {
  const auto program = LoadProgram(FileOf(name + ".jaxexport"), {.name = name});
  REQUIRE(!program.ok());
  return program.status().ToString();
}

std::string TextOf(const absl::StatusOr<Computation>& c) {
  INFO(MessageOf(c.status()));
  REQUIRE(c.ok());
  auto text = c->ToStablehlo();
  INFO(MessageOf(text.status()));
  REQUIRE(text.ok());
  return *text;
}

Shape F32(std::vector<int64_t> dimensions) {
  return Shape(ElementType::F32, std::move(dimensions));
}

TEST_CASE("files of jax.export become the graphs of their modules' texts") {
  for (const std::string name : {"plain", "dropped", "donated", "convention_9"}) {
    INFO(name);
    const std::string text = FileOf(name + ".mlir"), bytes = FileOf(name + ".jaxexport");
    const std::string expected = TextOf(LoadStablehlo(text));
    CHECK(TextOf(Load(bytes)) == expected);
    CHECK(TextOf(ProgramOf(name).Specialize()) == expected);
    // Wherever the bytes begin.
    for (size_t offset = 1; offset < 8; ++offset) {
      const std::string moved = std::string(offset, 'x') + bytes;
      CHECK(TextOf(Load(std::string_view(moved).substr(offset))) == expected);
    }
  }
}

TEST_CASE("what an exported function takes and gives") {
  const Program plain = ProgramOf("plain");
  REQUIRE(plain.arguments().size() == 2);
  CHECK(plain.name() == "jit__lambda");
  CHECK(plain.arguments()[0].name == "x");
  CHECK(plain.arguments()[1].name == "y");
  CHECK(plain.arguments()[1].shape == F32({3}));
  CHECK(plain.arguments()[1].dimensions == std::vector<std::string>{"3"});
  CHECK_FALSE(plain.arguments()[1].donated);
  REQUIRE(plain.results().size() == 1);
  CHECK(plain.results()[0].name == "result");
  CHECK(plain.results()[0].shape == F32({3}));

  const Program dropped = ProgramOf("dropped");
  REQUIRE(dropped.arguments().size() == 2);
  CHECK(dropped.arguments()[0].source_index == 0);
  CHECK(dropped.arguments()[1].source_index == 2);
  CHECK(dropped.arguments()[1].name == "z");

  const Program donated = ProgramOf("donated");
  REQUIRE(donated.arguments().size() == 2);
  CHECK_FALSE(donated.arguments()[0].donated);
  CHECK(donated.arguments()[1].donated);
}

TEST_CASE("sizes of exported functions are expressions of symbols") {
  const Program p = ProgramOf("symbolic");
  using Texts = std::vector<std::string>;
  REQUIRE(p.arguments().size() == 2);
  CHECK(p.arguments()[0].dimensions == Texts{"a", "2*b"});
  CHECK(p.arguments()[0].shape.dimension(1) == Shape::kUnbounded);
  CHECK(p.arguments()[1].dimensions == Texts{"a"});
  REQUIRE(p.results().size() == 2);
  CHECK(p.results()[0].name == "result[0]");
  CHECK(p.results()[0].dimensions == Texts{"2*a*b"});

  const std::vector<Shape> shapes = {F32({3, 4}), F32({3})};
  CHECK(TextOf(p.Specialize(shapes)) == TextOf(LoadStablehlo(FileOf("symbolic.mlir"), "", shapes)));
  CHECK(p.Specialize(shapes)->GetProgramShape()->result == Shape::Tuple({F32({12}), F32({3})}));

  auto message = [&](std::vector<Shape> s) {
    const absl::Status status = p.Specialize(s).status();
    CHECK(status.code() == absl::StatusCode::kInvalidArgument);
    return std::string(status.message());
  };
  using Catch::Matchers::Contains;
  CHECK_THAT(message({}), Contains("symbolic: argument 0 (arg0) is f32[a, 2*b], its shape must be "
                                   "given"));
  CHECK_THAT(message({F32({3, 4})}),
             Contains("it takes 2 arguments that are not bound, 1 shapes are given"));
  CHECK_THAT(message({F32({3}), F32({3})}), Contains("is f32[3], it takes f32[a, 2*b]"));
  CHECK_THAT(message({Shape(ElementType::S32, {3, 4}), F32({3})}), Contains("is s32[3,4]"));
  CHECK_THAT(message({F32({1, 2}), F32({1})}), Contains("symbolic shape constraint a >= 2"));
  CHECK_THAT(message({F32({2, 6}), F32({2})}), Contains("symbolic shape constraint b <= a"));
  CHECK_THAT(message({F32({3, 5}), F32({3})}), Contains("Division had remainder 1"));
  CHECK_THAT(message({F32({3, 4}), F32({4})}), Contains("args[1].shape[0] (= 4)"));
}

TEST_CASE("code for the platform that is asked for") {
  auto run = [](const ProgramOptions& options) {
    auto program = LoadProgram(FileOf("platforms.jaxexport"), options);
    REQUIRE(program.ok());
    REQUIRE(program->arguments().size() == 2);  // the platform's index is none of them
    CHECK(program->arguments()[1].donated);
    auto c = program->Specialize();
    REQUIRE(c.ok());
    CHECK(c->GetProgramShape()->parameters.size() == 2);
    const Literal x = Literal::R1<float>({1, 2, 3});
    auto client = Client::Interpreter().value();
    return client->Compile(*c)->Evaluate({x, x})->tuple()[0].ToString();
  };
  CHECK(run({}) == "f32[3] {2, 3, 4}");
  CHECK(run({.platform = "cuda"}) == "f32[3] {3, 4, 5}");
  CHECK(ErrorOf("cuda") == "INVALID_ARGUMENT: cuda: exported for cuda, not for cpu");
  CHECK(LoadProgram(FileOf("cuda.jaxexport"), {.platform = "cuda"}).ok());
}

TEST_CASE("effects are refused by name") {
  using Catch::Matchers::Contains;
  CHECK_THAT(ErrorOf("ordered_effect"),
             Contains("the program has the ordered effect") && Contains("OrderedBellEffect"));
  CHECK_THAT(ErrorOf("unordered_effect"),
             Contains("the program has the unordered effect") && Contains("BellEffect"));
}

}  // namespace
}  // namespace sinter
