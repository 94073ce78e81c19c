#include "tools/inputs.h"

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <numbers>
#include <optional>

#include "base/status.h"
#include "tools/load.h"
#include "tools/npy.h"
#include "tools/report.h"
#include "types/small_floats.h"

namespace sinter::tools {
namespace {

// splitmix64: a counter through a good mixer.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 0x1234567) {}
  uint64_t Next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  // In [0, 1).
  double Uniform() { return static_cast<double>(Next() >> 11) * 0x1p-53; }
  double Normal() {
    if (spare_) {
      double r = *spare_;
      spare_.reset();
      return r;
    }
    double radius = std::sqrt(-2 * std::log(1 - Uniform()));
    double angle = 2 * std::numbers::pi * Uniform();
    spare_ = radius * std::sin(angle);
    return radius * std::cos(angle);
  }

 private:
  uint64_t state_;
  std::optional<double> spare_;
};

double Draw(const InputSpec& spec, Random& random, int64_t i) {
  switch (spec.distribution) {
    case Distribution::kNormal:
      return random.Normal();
    case Distribution::kUniform:
      return random.Uniform();
    case Distribution::kZeros:
      return 0;
    case Distribution::kOnes:
      return 1;
    case Distribution::kIota:
      return static_cast<double>(i);
    case Distribution::kIntegers:
      return std::floor(spec.low + random.Uniform() * (spec.high - spec.low));
    case Distribution::kConstant:
      return spec.low;
  }
  return 0;
}

template <class T, class Convert>
void Fill(Literal& literal, const InputSpec& spec, Random& random, Convert convert) {
  auto data = literal.data<T>();
  for (size_t i = 0; i < data.size(); ++i) {
    data[i] = convert(Draw(spec, random, static_cast<int64_t>(i)));
  }
}

template <class T>
void FillIntegers(Literal& literal, const InputSpec& spec, Random& random) {
  ElementType type = literal.shape().element_type();
  int width = BitWidth(type);
  Fill<T>(literal, spec, random, [&](double x) {
    if (!(std::fabs(x) < 0x1p62)) x = 0;
    auto bits = static_cast<uint64_t>(static_cast<int64_t>(x));
    if (width < 8) {
      uint64_t mask = (uint64_t{1} << width) - 1;
      bits &= mask;
      if (IsSigned(type) && bits >> (width - 1)) bits |= ~mask;
    }
    return static_cast<T>(bits);
  });
}

std::optional<ElementType> TypeFromNumpyName(const std::string& name) {
  if (name == "bool") return ElementType::PRED;
  if (name == "complex64") return ElementType::C64;
  if (name == "complex128") return ElementType::C128;
  if (name == "bfloat16") return ElementType::BF16;
  size_t digits = name.find_first_of("0123456789");
  if (digits == name.npos) return std::nullopt;
  std::string prefix = name.substr(0, digits), rest = name.substr(digits);
  std::string hlo = prefix == "int" ? "s" : prefix == "uint" ? "u" : prefix == "float" ? "f" : "";
  if (hlo.empty()) return ElementTypeFromName(name);
  for (char c : rest) {
    if (c != '_') hlo += c;
  }
  return ElementTypeFromName(hlo);
}

absl::StatusOr<InputSpec> ParseInputSpec(const nlohmann::json& j) {
  InputSpec spec;
  auto type = TypeFromNumpyName(j.at("type").get<std::string>());
  if (!type) return InvalidArgument("'{}' is no element type", j.at("type").get<std::string>());
  ASSIGN_OR_RETURN(spec.shape, Shape::Make(*type, j.at("shape").get<std::vector<int64_t>>()));
  const nlohmann::json& d = j.at("distribution");
  std::string name = d.is_array() ? d.at(0).get<std::string>() : d.get<std::string>();
  constexpr std::pair<std::string_view, Distribution> kNames[] = {
      {"normal", Distribution::kNormal}, {"uniform", Distribution::kUniform},
      {"zeros", Distribution::kZeros},   {"ones", Distribution::kOnes},
      {"iota", Distribution::kIota},     {"int", Distribution::kIntegers},
      {"const", Distribution::kConstant}};
  bool known = false;
  for (const auto& [text, distribution] : kNames) {
    if (text != name) continue;
    spec.distribution = distribution;
    known = true;
  }
  if (!known) return InvalidArgument("'{}' is no distribution", name);
  if (spec.distribution == Distribution::kConstant ||
      spec.distribution == Distribution::kIntegers) {
    spec.low = d.at(1).is_boolean() ? d.at(1).get<bool>() : d.at(1).get<double>();
  }
  if (spec.distribution == Distribution::kIntegers) spec.high = d.at(2).get<double>();
  return spec;
}

}  // namespace

Literal MakeInput(const InputSpec& spec, uint64_t seed) {
  Literal literal(spec.shape);
  Random random(seed);
  ElementType type = spec.shape.element_type();
  if (type == ElementType::PRED) {
    Fill<bool>(literal, spec, random, [](double x) { return x != 0; });
  } else if (IsInteger(type)) {
    switch (ByteWidth(type)) {
      case 1:
        FillIntegers<uint8_t>(literal, spec, random);
        break;
      case 2:
        FillIntegers<uint16_t>(literal, spec, random);
        break;
      case 4:
        FillIntegers<uint32_t>(literal, spec, random);
        break;
      default:
        FillIntegers<uint64_t>(literal, spec, random);
        break;
    }
  } else if (type == ElementType::F64) {
    Fill<double>(literal, spec, random, [](double x) { return x; });
  } else if (type == ElementType::F32) {
    Fill<float>(literal, spec, random, [](double x) { return static_cast<float>(x); });
  } else if (type == ElementType::C64) {
    Fill<std::complex<float>>(literal, spec, random, [&](double x) {
      return std::complex<float>(static_cast<float>(x), static_cast<float>(Draw(spec, random, 0)));
    });
  } else if (type == ElementType::C128) {
    Fill<std::complex<double>>(literal, spec, random, [&](double x) {
      return std::complex<double>(x, Draw(spec, random, 0));
    });
  } else if (IsFloat(type)) {
    FloatFormat format = *FormatOf(type);
    if (ByteWidth(type) == 1) {
      Fill<uint8_t>(literal, spec, random,
                    [&](double x) { return static_cast<uint8_t>(EncodeFloat(format, x)); });
    } else {
      Fill<uint16_t>(literal, spec, random,
                     [&](double x) { return static_cast<uint16_t>(EncodeFloat(format, x)); });
    }
  }
  return literal;
}

InputSpec DefaultSpec(const Shape& shape) {
  InputSpec spec{.shape = shape};
  // As many elements as there may be.
  for (int64_t d = 0; d < shape.rank(); ++d) spec.shape.set_dynamic(d, false);
  ElementType t = shape.element_type();
  if (IsInteger(t) || IsPredicate(t)) {
    spec.distribution = Distribution::kIntegers;
    int range = IsPredicate(t) ? 2 : 1 << std::min(BitWidth(t) - 1, 4);
    spec.low = IsSigned(t) ? -range : 0;
    spec.high = range;
  }
  return spec;
}

absl::StatusOr<BenchSpec> ParseBenchSpec(const std::string& json) {
  BenchSpec spec;
  try {
    nlohmann::json j = nlohmann::json::parse(json);
    for (const auto& input : j.at("inputs")) {
      ASSIGN_OR_RETURN(InputSpec one, ParseInputSpec(input));
      spec.inputs.push_back(std::move(one));
    }
    if (j.contains("donate")) spec.donate = j["donate"].get<std::vector<int64_t>>();
  } catch (const nlohmann::json::exception& e) {
    return InvalidArgument("not a specification of inputs: {}", e.what());
  }
  return spec;
}

absl::StatusOr<std::vector<std::vector<int64_t>>> SizesOf(absl::Span<const std::string> files) {
  std::vector<std::vector<int64_t>> sizes;
  for (const std::string& file : files) {
    ASSIGN_OR_RETURN(const std::string bytes, ReadFile(file));
    absl::StatusOr<std::vector<int64_t>> of = NpySizes(bytes);
    if (!of.ok()) return AsInputError(InFile(of.status(), file));
    sizes.push_back(*std::move(of));
  }
  return sizes;
}

absl::StatusOr<std::vector<Literal>> MakeInputs(const HloModule& module,
                                                absl::Span<const std::string> files,
                                                uint64_t seed) {
  std::vector<Shape> shapes = FlatParameters(module);
  std::vector<Literal> inputs;
  if (!files.empty() && files.size() != shapes.size()) {
    return InvalidArgument("the program takes {} inputs, {} are given", shapes.size(),
                           files.size());
  }
  for (size_t i = 0; i < shapes.size(); ++i) {
    const Shape& shape = shapes[i];
    if (files.empty()) {
      inputs.push_back(shape.is_array() ? MakeInput(DefaultSpec(shape), seed * 1000003 + i)
                                        : Literal(shape));
      continue;
    }
    ASSIGN_OR_RETURN(std::string bytes, ReadFile(files[i]));
    auto literal = ParseNpy(bytes, shape);
    if (!literal.ok()) {
      return AsInputError(InFile(Annotate(literal.status(), Format("input {}", i)), files[i]));
    }
    inputs.push_back(std::move(*literal));
  }
  return inputs;
}

}  // namespace sinter::tools
