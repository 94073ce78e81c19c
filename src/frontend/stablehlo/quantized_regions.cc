// Operations that pass quantized elements to a computation, whose types are the operation's.
// Reductions promote their operands to its types (specification, is_promotable): integers of at
// least as many bits, for the same floats.
#include <algorithm>

#include "frontend/stablehlo/constraint_checks.h"
#include "frontend/stablehlo/constraints.h"
#include "frontend/stablehlo/lowering.h"

namespace sinter::stablehlo {
namespace {

using Form = Promotion::Form;

bool Same(const Quantization* a, const Quantization* b) {
  return (a == nullptr) == (b == nullptr) && (a == nullptr || *a == *b);
}

bool IsPromotable(const Quantization& from, const Quantization& to) {
  return from.expressed == to.expressed && BitWidth(from.storage) <= BitWidth(to.storage);
}

// The operands that belong to result i of n.
std::vector<size_t> OperandsOf(Form form, size_t i, size_t n) {
  if (form == Form::kEach) return {i};
  return {i, n + i + (form == Form::kScatter ? 1 : 0)};
}

}  // namespace

// Checks the types of a reduction's operands, computation and results.
absl::Status Lowering::CheckPromotion(const Operation& op, const OpRow& op_row) const {
  const Promotion& row = *op_row.elements.promotion;
  const size_t n = op.results.size();
  const size_t operands = row.form == Form::kEach      ? n
                          : row.form == Form::kInitial ? 2 * n
                                                       : 2 * n + 1;
  const size_t roots = row.form == Form::kEach && op.Flag("has_dynamic_root") ? 1 : 0;
  if (op.operands.size() != operands + roots || op.regions.size() != 1) return absl::OkStatus();
  const Region& body = op.regions[0];
  const size_t combined = row.form == Form::kEach ? 1 : n;  // at once
  if (body.arguments.size() != 2 * combined || body.returned.size() != combined)
    return absl::OkStatus();
  for (size_t i = 0; i < n; ++i) {
    const size_t k = i % combined;
    const ValueId returned = body.returned[k];
    const Quantization* to = QuantizationOf(returned);
    for (size_t a : {k, combined + k}) {
      if (Same(QuantizationOf(body.arguments[a]), to)) continue;
      return Invalid(op, "{}the computation takes {} and gives {}", row.computation,
                     constraints::Text(*this, body.arguments[a]),
                     constraints::Text(*this, returned));
    }
    if (!Same(QuantizationOf(op.results[i]), to)) {
      return Invalid(op, "{}the computation gives {}, result {} is {}", row.results,
                     constraints::Text(*this, returned), i,
                     constraints::Text(*this, op.results[i]));
    }
    const std::vector<size_t> own = OperandsOf(row.form, i, n);
    const Quantization* from = QuantizationOf(op.operands[own[0]]);
    for (size_t o : own) {
      if (Same(QuantizationOf(op.operands[o]), from)) continue;
      return Invalid(op, "{}operand {} is {}, operand {} is {}", row.operands, own[0],
                     constraints::Text(*this, op.operands[own[0]]), o,
                     constraints::Text(*this, op.operands[o]));
    }
    if ((from == nullptr) != (to == nullptr) || (from && !IsPromotable(*from, *to))) {
      return Invalid(op, "{}operand {} of {} is not promoted to {}", row.computation, own[0],
                     constraints::Text(*this, op.operands[own[0]]),
                     constraints::Text(*this, returned));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<HloInstruction*> Lowering::Promote(const Operation& op, HloInstruction* stored,
                                                  const Quantization& from,
                                                  const Quantization& to) {
  ASSIGN_OR_RETURN(HloInstruction * x, Dequantize(op, stored, from));
  return Quantize(op, x, to);
}

absl::Status Lowering::LowerPromoted(const Operation& op, const OpRow& op_row) {
  RETURN_IF_ERROR(CheckPromotion(op, op_row));
  const Promotion& row = *op_row.elements.promotion;
  struct Given {
    ValueId id;
    HloInstruction* stored;
    const Quantization* to;
  };
  std::vector<Given> given;
  absl::Status status = [&]() -> absl::Status {
    for (size_t i = 0; i < op.results.size(); ++i) {
      const Quantization* to = QuantizationOf(op.results[i]);
      for (size_t o : OperandsOf(row.form, i, op.results.size())) {
        if (o >= op.operands.size()) continue;  // an error of its own
        const ValueId id = op.operands[o];
        const Quantization* from = QuantizationOf(id);
        if (from == nullptr || to == nullptr || *from == *to) continue;
        const auto done =
            std::find_if(given.begin(), given.end(), [&](const Given& g) { return g.id == id; });
        if (done != given.end() && *done->to == *to) continue;
        if (done != given.end()) {
          return Unsupported(op, "an operand of {} promoted to several types",
                             constraints::Text(*this, id));
        }
        given.push_back({id, Get(id), to});
        ASSIGN_OR_RETURN(HloInstruction * x, Promote(op, Get(id), *from, *to));
        Set(id, x);
      }
    }
    return op_row.lower(*this, op, op_row);
  }();
  for (const Given& g : given) Set(g.id, g.stored);
  return status;
}

// --- of those whose computation takes the elements as they are ---

namespace constraints {
namespace {

absl::Status CheckSame(const Lowering& l, const Operation& op, ValueId a, ValueId b,
                       std::string_view label) {
  if (Same(l.QuantizationOf(a), l.QuantizationOf(b))) return absl::OkStatus();
  return l.Invalid(op, "{}one is {}, the other {}", label, Text(l, a), Text(l, b));
}

// So many arguments of a region, from the first, are quantized as the value.
absl::Status CheckArguments(const Lowering& l, const Operation& op, size_t region, ValueId id,
                            size_t first, size_t count, std::string_view label) {
  if (region >= op.regions.size()) return absl::OkStatus();
  const auto& ids = op.regions[region].arguments;
  for (size_t i = first; i < std::min(ids.size(), first + count); ++i)
    RETURN_IF_ERROR(CheckSame(l, op, ids[i], id, label));
  return absl::OkStatus();
}

}  // namespace

absl::Status Sort(const Lowering& l, const Operation& op) {
  for (size_t i = 0; i < std::min(op.operands.size(), op.results.size()); ++i) {
    RETURN_IF_ERROR(CheckSame(l, op, op.operands[i], op.results[i], "(C2) "));
    RETURN_IF_ERROR(CheckArguments(l, op, 0, op.operands[i], 2 * i, 2, "(C5) "));
  }
  return absl::OkStatus();
}

absl::Status Map(const Lowering& l, const Operation& op) {
  for (size_t i = 0; i < op.operands.size(); ++i)
    RETURN_IF_ERROR(CheckArguments(l, op, 0, op.operands[i], i, 1, "(C4) "));
  if (op.results.size() == 1 && op.regions.size() == 1 && op.regions[0].returned.size() == 1)
    return CheckSame(l, op, op.regions[0].returned[0], op.results[0], "(C4) ");
  return absl::OkStatus();
}

absl::Status SelectAndScatter(const Lowering& l, const Operation& op) {
  RETURN_IF_ERROR(CheckPadding(l, op, "C8"));
  if (op.operands.size() != 3 || op.results.size() != 1 || op.regions.size() != 2 ||
      op.regions[1].returned.size() != 1)
    return absl::OkStatus();  // an error of its own
  const ValueId operand = op.operands[0], result = op.results[0];
  RETURN_IF_ERROR(CheckSame(l, op, operand, op.operands[1], "(C1) "));
  RETURN_IF_ERROR(CheckSame(l, op, operand, op.operands[2], "(C3) "));
  RETURN_IF_ERROR(CheckArguments(l, op, 0, operand, 0, 2, "(C9) "));
  RETURN_IF_ERROR(CheckSame(l, op, op.regions[1].returned[0], result, "(C12) "));
  RETURN_IF_ERROR(CheckArguments(l, op, 1, result, 0, 2, "(C10) "));
  const Quantization *from = l.QuantizationOf(operand), *to = l.QuantizationOf(result);
  if (Same(from, to)) return absl::OkStatus();
  if (from == nullptr || to == nullptr || !IsPromotable(*from, *to))
    return CheckSame(l, op, operand, result, "(C10) ");
  return absl::OkStatus();
}

}  // namespace constraints
}  // namespace sinter::stablehlo
