#include "sinter/custom_call.h"

#include <catch2/catch.hpp>

#include <stdexcept>

#include "base/status.h"
#include "custom_call/call.h"

namespace sinter {
namespace {

template <class T>
T Attribute(std::string_view text, std::string_view name) {
  auto attributes = CustomCallAttributes::Parse(text);
  REQUIRE(attributes.ok());
  auto value = attributes->Get<T>(name);
  CAPTURE(MessageOf(value.status()));
  REQUIRE(value.ok());
  return *value;
}
std::string ParseError(std::string_view text) {
  absl::Status s = CustomCallAttributes::Parse(text).status();
  REQUIRE(s.code() == absl::StatusCode::kInvalidArgument);
  return MessageOf(s);
}

TEST_CASE("attributes are a dictionary in MLIR's form") {
  constexpr std::string_view kText =
      R"({n = -3 : i64, by = 2.5 : f32, "quoted name" = true, off = false, t = "a \"b\"\n",
          whole = 7 : f64, dims = array<i64: 1, -2>, reals = [1.5, 2], none = [],
          eps = 1e-5, empty = array<f32>})";
  REQUIRE(Attribute<int64_t>(kText, "n") == -3);
  REQUIRE(Attribute<int8_t>(kText, "n") == -3);
  REQUIRE(Attribute<float>(kText, "by") == 2.5f);
  REQUIRE(Attribute<bool>(kText, "quoted name"));
  REQUIRE_FALSE(Attribute<bool>(kText, "off"));
  REQUIRE(Attribute<std::string>(kText, "t") == "a \"b\"\n");
  REQUIRE(Attribute<double>(kText, "whole") == 7);
  REQUIRE(Attribute<std::vector<int64_t>>(kText, "dims") == std::vector<int64_t>{1, -2});
  REQUIRE(Attribute<std::vector<double>>(kText, "dims") == std::vector<double>{1, -2});
  REQUIRE(Attribute<std::vector<double>>(kText, "reals") == std::vector<double>{1.5, 2});
  REQUIRE(Attribute<std::vector<int64_t>>(kText, "none").empty());
  REQUIRE(Attribute<double>(kText, "eps") == 1e-5);
  REQUIRE(Attribute<std::vector<double>>(kText, "empty").empty());
  REQUIRE(CustomCallAttributes::Parse("").ok());
  REQUIRE(CustomCallAttributes::Parse(" { } ").ok());
}

TEST_CASE("what is no dictionary, and attributes of another kind") {
  REQUIRE(ParseError("abc") == "attributes, character 1: expected '{'");
  REQUIRE(ParseError("{a}") == "attributes, character 3: expected '='");
  REQUIRE(ParseError("{a = }").ends_with("a string or a list"));
  REQUIRE(ParseError("{a = 1, a = 2}").ends_with("a a second time"));
  REQUIRE(ParseError("{a = \"x}").ends_with("a string does not end"));
  REQUIRE(ParseError("{a = 1.5 : i32}").ends_with("a fraction of type i32"));
  REQUIRE(ParseError("{a = 1} x").ends_with("text after the dictionary"));
  auto a = *CustomCallAttributes::Parse("{n = 300, s = \"x\", m = -1}");
  REQUIRE(MessageOf(a.Get<int8_t>("n").status()) == "attribute n: expected an integer of 8 bits");
  REQUIRE(MessageOf(a.Get<uint64_t>("m").status()) ==
          "attribute m: expected an integer of 64 bits");
  REQUIRE(MessageOf(a.Get<int>("s").status()) == "attribute s: expected an integer");
  REQUIRE(MessageOf(a.Get<bool>("n").status()) == "attribute n: expected true or false");
  REQUIRE(MessageOf(a.Get<float>("x").status()) == "there is no attribute x");
}

const Shape kVector(ElementType::F32, {3});

TEST_CASE("a factory makes the function of each place that calls") {
  auto registry = std::make_shared<CustomCallRegistry>();
  CHECK(registry->RegisterFactory("count", "Host", {}).code() ==
        absl::StatusCode::kInvalidArgument);
  REQUIRE(
      registry
          ->RegisterFactory("count", "Host",
                            [](const CustomCallSite& site) -> absl::StatusOr<CustomCallFunction> {
                              if (site.opaque == "throws") throw std::runtime_error("no");
                              if (site.opaque == "nothing") return CustomCallFunction();
                              ASSIGN_OR_RETURN(auto from, site.attributes->Get<int>("from"));
                              auto count = std::make_shared<int>(from);
                              const int64_t size = site.results[0].element_count();
                              return CustomCallFunction([=](const CustomCallFrame& frame) {
                                static_cast<float*>(frame.results[0].data)[size - 1] =
                                    static_cast<float>((*count)++);
                                return absl::OkStatus();
                              });
                            })
          .ok());
  CHECK(registry
            ->Register("count", "CPU", WrapCustomCall(CustomCallFunction([](const auto&) {
                         return absl::OkStatus();
                       })))
            .code() == absl::StatusCode::kInvalidArgument);
  CHECK(registry->Find("count", "Host") == nullptr);
  CHECK(registry->FindFactory("count", "Host") != nullptr);
  CHECK(registry->FindFactory("count", "CUDA") == nullptr);
  auto make = [&](const char* opaque) {
    return ReadyCustomCall::Make({{}, registry}, "count", "Host", opaque, {}, {kVector}, false);
  };
  auto a = make("{from = 0}"), b = make("{from = 10}");
  REQUIRE(a.ok());
  REQUIRE(b.ok());
  float y[3] = {};
  void* pointers[] = {y};
  for (float expected : {0.0f, 1.0f}) {
    REQUIRE(a->Call(pointers, nullptr, {}).ok());
    CHECK(y[2] == expected);
  }
  REQUIRE(b->Call(pointers, nullptr, {}).ok());
  CHECK(y[2] == 10);
  CHECK(MessageOf(make("{}").status()) == "custom call to \"count\": there is no attribute from");
  CHECK(MessageOf(make("throws").status()) == "custom call to \"count\": it throws no");
  CHECK(MessageOf(make("nothing").status()) ==
        "custom call to \"count\": its factory makes no function");
}

absl::StatusOr<std::vector<float>> Run(CustomCallFunction f, const std::string& opaque,
                                       bool tuple = false, const Shape& result = kVector) {
  auto registry = std::make_shared<CustomCallRegistry>();
  REQUIRE(registry->Register("f", "Host", std::move(f)).ok());
  ASSIGN_OR_RETURN(ReadyCustomCall call, ReadyCustomCall::Make({{}, registry}, "f", "Host", opaque,
                                                               {kVector}, {result}, tuple));
  float x[3] = {1, 2, 3}, y[3] = {};
  void* pointers[] = {x, y};
  RETURN_IF_ERROR(call.Call(pointers, nullptr, {}));
  return std::vector<float>(y, y + 3);
}

absl::Status Scale(CustomCallBuffer<const float> x, CustomCallBuffer<float> y, float by) {
  if (by == 0) return absl::OutOfRangeError("zero");
  for (int64_t i = 0; i < x.size(); ++i) y.data[i] = by * x.data[i];
  return absl::OkStatus();
}
auto Bound() {
  return BindCustomCall().Operand<float>().Result<float>().Attribute<float>("by").To(Scale);
}

TEST_CASE("typed targets get what they name") {
  REQUIRE(*Run(Bound(), "{by = 2.0 : f32}") == std::vector<float>{2, 4, 6});
  absl::Status s = Run(Bound(), "{by = 0}").status();
  REQUIRE(s.code() == absl::StatusCode::kOutOfRange);
  REQUIRE(MessageOf(s) == "custom call to \"f\": zero");
  REQUIRE(MessageOf(Run(Bound(), "").status()) == "custom call to \"f\": there is no attribute by");
  REQUIRE(MessageOf(Run(Bound(), "by=2").status()) ==
          "custom call to \"f\": the attributes are no dictionary: by=2");
  REQUIRE(MessageOf(Run(BindCustomCall().Operand<float>().To(
                            [](CustomCallBuffer<const float>) { return absl::OkStatus(); }),
                        "")
                        .status()) ==
          "custom call to \"f\": 1 operands and 1 results, expected 1 and 0");
  auto doubles = BindCustomCall().Operand<double>().Result<float>().To(
      [](CustomCallBuffer<const double>, CustomCallBuffer<float>) { return absl::OkStatus(); });
  REQUIRE(MessageOf(Run(doubles, "").status()).find("operand 0 is f32[3]") != std::string::npos);
}

void AddOne(void* out, const void** in) {
  for (int i = 0; i < 3; ++i) static_cast<float*>(out)[i] = static_cast<const float*>(in[0])[i] + 1;
}
void AddOneToTuple(void* out, const void** in) { AddOne(static_cast<void**>(out)[0], in); }

TEST_CASE("the classic host signature") {
  REQUIRE(*Run(WrapCustomCall(AddOne), "") == std::vector<float>{2, 3, 4});
  REQUIRE(*Run(WrapCustomCall(AddOneToTuple), "", true) == std::vector<float>{2, 3, 4});
}

TEST_CASE("targets that throw, and layouts") {
  auto thrower = [](const CustomCallFrame&) -> absl::Status { throw std::runtime_error("ouch"); };
  absl::Status s = Run(thrower, "").status();
  REQUIRE(s.code() == absl::StatusCode::kInternal);
  REQUIRE(MessageOf(s) == "custom call to \"f\": it throws ouch");
  Shape columns(ElementType::F32, {1, 3});
  columns.set_minor_to_major({0, 1});
  REQUIRE(Run(WrapCustomCall(AddOne), "", false, columns).status().code() ==
          absl::StatusCode::kUnimplemented);
}

TEST_CASE("a registry") {
  CustomCallRegistry registry;
  REQUIRE(registry.Register("f", "Host", WrapCustomCall(AddOne)).ok());
  REQUIRE(registry.Register("f", "CUDA", WrapCustomCall(AddOne)).ok());
  REQUIRE(MessageOf(registry.Register("f", "cpu", WrapCustomCall(AddOne))) ==
          "custom call \"f\" is registered for cpu already");
  REQUIRE(registry.Register("f", "ROCM", WrapCustomCall(AddOne)).code() ==
          absl::StatusCode::kInvalidArgument);
  REQUIRE(registry.Find("f", "Host"));
  REQUIRE_FALSE(registry.Find("g", "Host"));
}

TEST_CASE("a registration that nobody can be told of fails the call") {
  auto registry = std::make_shared<CustomCallRegistry>();
  REQUIRE(registry->RegisterOrNoteError("f", "Host", WrapCustomCall(AddOne)));
  REQUIRE(registry->status().ok());
  REQUIRE_FALSE(registry->RegisterOrNoteError("f", "Host", WrapCustomCall(AddOne)));
  REQUIRE_FALSE(registry->RegisterOrNoteError("g", "Hots", WrapCustomCall(AddOne)));
  REQUIRE(MessageOf(registry->status()) == "custom call \"f\" is registered for Host already");
  REQUIRE(MessageOf(registry->status("g")) == "custom call \"g\": unknown platform \"Hots\"");
  REQUIRE(registry->status("h").ok());
  CustomCallTargets targets;
  targets.registry = registry;
  for (const char* target : {"f", "g"}) {
    absl::Status s =
        ReadyCustomCall::Make(targets, target, "Host", "", {}, {Shape(ElementType::F32)}, false)
            .status();
    REQUIRE(s.code() == absl::StatusCode::kInvalidArgument);
    REQUIRE(MessageOf(s) == MessageOf(registry->status(target)));
  }
}

}  // namespace
}  // namespace sinter
