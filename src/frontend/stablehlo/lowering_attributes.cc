#include <algorithm>

#include "frontend/stablehlo/lowering.h"

namespace sinter::stablehlo {

absl::StatusOr<const Attribute*> Lowering::Require(const Operation& op,
                                                   std::string_view key) const {
  const Attribute* a = op.Find(key);
  if (!a) return Invalid(op, "the attribute {} is missing", key);
  return a;
}

absl::StatusOr<int64_t> Lowering::RequireInteger(const Operation& op, std::string_view key) const {
  ASSIGN_OR_RETURN(const Attribute* a, Require(op, key));
  if (a->kind != Attribute::Kind::kInteger) return Invalid(op, "{} must be an integer", key);
  return a->integer;
}

absl::StatusOr<Dims> Lowering::RequireDims(const Operation& op, std::string_view key) const {
  ASSIGN_OR_RETURN(const Attribute* a, Require(op, key));
  return ToDims(op, *a);
}

// array<i64: 1, 2>, [1, 2] or dense<[1, 2]> : tensor<2xi64>
absl::StatusOr<Dims> Lowering::ToDims(const Operation& op, const Attribute& a) const {
  if (a.kind == Attribute::Kind::kIntegers) return a.integers;
  if (a.kind == Attribute::Kind::kArray) {
    Dims dims;
    for (const Attribute& e : a.elements) {
      if (e.kind != Attribute::Kind::kInteger) {
        return source_.Invalid(e.at, "{}: expected an integer", op.name);
      }
      dims.push_back(e.integer);
    }
    return dims;
  }
  constexpr int64_t kMost = 1 << 20;
  if (a.kind == Attribute::Kind::kElements && a.value &&
      a.type->shape.element_type() == ElementType::S64 && a.type->shape.element_count() <= kMost) {
    auto data = a.value->data<int64_t>();
    if (a.splat) return Dims(static_cast<size_t>(a.type->shape.element_count()), data[0]);
    return Dims(data.begin(), data.end());
  }
  return source_.Invalid(a.at, "{}: expected a list of integers", op.name);
}

absl::StatusOr<Dims> Lowering::OptionalDims(const Operation& op, std::string_view key,
                                            Dims otherwise) const {
  const Attribute* a = op.Find(key);
  if (!a) return otherwise;
  if (a->kind != Attribute::Kind::kArray) return ToDims(op, *a);
  Dims dims;
  for (const Attribute& e : a->elements) {
    if (e.kind == Attribute::Kind::kInteger || e.kind == Attribute::Kind::kBool) {
      dims.push_back(e.integer);
    } else {
      ASSIGN_OR_RETURN(Dims row, ToDims(op, e));
      dims.insert(dims.end(), row.begin(), row.end());
    }
  }
  return dims;
}

absl::Status Lowering::ReadPrecisions(const Operation& op, Precision* lhs, Precision* rhs) const {
  const Attribute* config = op.Find("precision_config");
  if (!config) return absl::OkStatus();
  if (config->kind != Attribute::Kind::kArray)
    return Invalid(op, "precision_config must be a list of precisions");
  if (config->elements.size() > 2) {
    return Invalid(op, "precision_config has {} entries for 2 operands", config->elements.size());
  }
  for (size_t i = 0; i < config->elements.size(); ++i) {
    std::string_view word = Word(config->elements[i]);
    Precision p = Precision::kDefault;
    if (word == "HIGH") {
      p = Precision::kHigh;
    } else if (word == "HIGHEST") {
      p = Precision::kHighest;
    } else if (word != "DEFAULT") {
      return Invalid(op, "'{}' is no precision", word);
    }
    Precision& of = i ? *rhs : *lhs;
    of = std::max(of, p);
  }
  return absl::OkStatus();
}

std::string_view Lowering::Word(const Attribute& a) {
  if (a.kind == Attribute::Kind::kKeyword || a.kind == Attribute::Kind::kString) return a.text;
  return a.kind == Attribute::Kind::kDialect ? a.word : std::string_view();
}

}  // namespace sinter::stablehlo
