#include "unit/builder/lib/run.h"

#include <cmath>

#include "base/text.h"
#include "eval/eval.h"
#include "sinter/client.h"

namespace sinter {
namespace {

const std::shared_ptr<Client>& Cpu() {
  static const auto& client = *new std::shared_ptr<Client>([] {
    CpuOptions options;
    options.threads = 2;
    auto made = Client::Cpu(options);
    return made.ok() ? *made : nullptr;
  }());
  return client;
}

void CheckArray(const Literal& is, const std::vector<double>& should, const Allowed& allowed) {
  REQUIRE(is.shape().element_count() == static_cast<int64_t>(should.size()));
  double largest = 0;
  for (double x : should) {
    if (std::isfinite(x)) largest = std::max(largest, std::fabs(x));
  }
  for (size_t i = 0; i < should.size(); ++i) {
    const double x = is.GetAsDouble(static_cast<int64_t>(i)), y = should[i];
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    const double scale = std::max(std::fabs(y), allowed.floor * largest);
    INFO("element " << i << " of " << is.shape().ToString() << ": " << Format("{}", x) << ", not "
                    << Format("{}", y) << "; off by " << std::fabs(x - y) / scale);
    CHECK(std::fabs(x - y) <= allowed.tolerance * scale);
  }
}

}  // namespace

std::vector<Computed> RunEverywhere(Builder& b, absl::Span<const Op> results,
                                    const std::vector<Literal>& arguments) {
  Op root = Tuple(&b, results);
  absl::StatusOr<Computation> c = b.Build(root);
  INFO(c.status().message());
  REQUIRE(c.ok());
  std::vector<Computed> computed;
  absl::StatusOr<Literal> evaluated = Evaluate(*c->module(), arguments);
  INFO(evaluated.status().message());
  REQUIRE(evaluated.ok());
  computed.push_back({"eval", *std::move(evaluated)});
  REQUIRE(Cpu() != nullptr);
  absl::StatusOr<Executable> executable = Cpu()->Compile(*c);
  INFO(executable.status().message());
  REQUIRE(executable.ok());
  absl::StatusOr<Literal> ran = executable->Evaluate(arguments);
  INFO(ran.status().message());
  REQUIRE(ran.ok());
  computed.push_back({"cpu", *std::move(ran)});
  return computed;
}

void CheckValues(Builder& b, absl::Span<const Op> results, const std::vector<Literal>& arguments,
                 const std::vector<std::vector<double>>& expected, Allowed allowed) {
  for (const Computed& computed : RunEverywhere(b, results, arguments)) {
    INFO(computed.device);
    REQUIRE(computed.values.tuple().size() == expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      INFO("result " << i);
      CheckArray(computed.values.tuple()[i], expected[i], allowed);
    }
  }
}

std::string ErrorOf(Builder& b) { return std::string(b.first_error().message()); }

Literal LiteralOfValues(ElementType type, std::vector<int64_t> dimensions,
                        const std::vector<double>& values) {
  Literal literal{Shape(type, std::move(dimensions))};
  auto store = [&](auto zero) {
    auto out = literal.data<decltype(zero)>();
    REQUIRE(out.size() == values.size());
    for (size_t i = 0; i < values.size(); ++i) out[i] = static_cast<decltype(zero)>(values[i]);
  };
  switch (type) {
    case ElementType::PRED:
      store(false);
      break;
    case ElementType::S32:
      store(int32_t{});
      break;
    case ElementType::U32:
      store(uint32_t{});
      break;
    case ElementType::S64:
      store(int64_t{});
      break;
    case ElementType::F32:
      store(float{});
      break;
    default:
      REQUIRE(type == ElementType::F64);
      store(double{});
  }
  return literal;
}

Literal IotaLiteral(ElementType type, std::vector<int64_t> dimensions) {
  std::vector<double> values(static_cast<size_t>(Shape(type, dimensions).element_count()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  return LiteralOfValues(type, std::move(dimensions), values);
}

}  // namespace sinter
