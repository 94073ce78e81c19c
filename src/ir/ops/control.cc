// Shape rules of ops that call computations for the flow of control.

#include "ir/ops/dynamic.h"
#include "ir/ops/rule.h"

namespace sinter::infer {
namespace {

std::string Signature(const ComputationShape& c) {
  std::string out = "(";
  for (size_t i = 0; i < c.parameters.size(); ++i)
    out += (i ? ", " : "") + c.parameters[i].ToString();
  return out + ") -> " + c.result.ToString();
}

// Whether the parameter takes values of the shape.
bool Takes(const Shape& parameter, const Shape& value) {
  return Agree(parameter, value) && TakesDynamic(parameter, value);
}

}  // namespace

absl::StatusOr<Shape> Call(const InferInput& in) {
  const ComputationShape& c = in.called[0];
  REQUIRE(c.parameters.size() == in.operands.size(),
          "the computation takes {} parameters, got {} operands", c.parameters.size(),
          in.operands.size());
  for (size_t i = 0; i < c.parameters.size(); ++i) {
    REQUIRE(Takes(c.parameters[i], in.operand(i)),
            "parameter {} of the computation is {}, operand {} is {}", i,
            c.parameters[i].ToString(), i, in.operand(i).ToString());
  }
  return c.result;
}

absl::StatusOr<Shape> Map(const InferInput& in) {
  const ComputationShape& c = in.called[0];
  REQUIRE(!in.operands.empty() && in.operands.size() == c.parameters.size(),
          "(C2) the computation takes {} parameters, got {} operands", c.parameters.size(),
          in.operands.size());
  const Shape& first = in.operand(0);
  for (size_t i = 0; i < in.operands.size(); ++i) {
    REQUIRE(in.operand(i).is_array() && in.operand(i).SameDimensions(first),
            "(C1) the operands must have the same dimensions");
    REQUIRE(
        c.parameters[i].is_scalar() &&
            c.parameters[i].element_type() == in.operand(i).element_type(),
        "(C4) the computation must take and give scalars of the operands' element types, it is {}",
        Signature(c));
  }
  REQUIRE(c.result.is_scalar(), "(C4) the computation must take and give scalars, it is {}",
          Signature(c));
  // HLO text may leave the dimensions out.
  const Dims& dims = in.as<DimensionsAttrs>().dimensions;
  bool all = dims.empty() || static_cast<int64_t>(dims.size()) == first.rank();
  for (size_t i = 0; all && i < dims.size(); ++i) all = dims[i] == static_cast<int64_t>(i);
  REQUIRE(all, "(C3) dimensions={} must be all dimensions in order", Text(dims));
  return WithElementType(first, c.result.element_type());
}

absl::StatusOr<Shape> While(const InferInput& in) {
  const Shape& state = in.operand(0);
  const ComputationShape &cond = in.called[0], &body = in.called[1];
  REQUIRE(cond.parameters.size() == 1 && Takes(cond.parameters[0], state) &&
              cond.result.is_scalar() && IsPredicate(cond.result.element_type()),
          "(C1) the condition must be ({}) -> pred[], it is {}", state.ToString(), Signature(cond));
  REQUIRE(body.parameters.size() == 1 && Takes(body.parameters[0], state) &&
              Takes(body.parameters[0], body.result) && Takes(cond.parameters[0], body.result),
          "(C2) the body must be ({}) -> {}, it is {}", state.ToString(), state.ToString(),
          Signature(body));
  return WithDynamicOf(state, body.parameters[0]);
}

absl::StatusOr<Shape> Conditional(const InferInput& in) {
  REQUIRE(!in.called.empty(), "(C1) needs a branch");
  REQUIRE(in.operands.size() == in.called.size() + 1,
          "{} branches take the index and an operand each, got {} operands", in.called.size(),
          in.operands.size());
  const Shape& index = in.operand(0);
  bool predicate = index.is_scalar() && IsPredicate(index.element_type());
  REQUIRE(predicate || (index.is_scalar() && index.element_type() == ElementType::S32),
          "the index must be pred[] or s32[]");
  REQUIRE(!predicate || in.called.size() == 2, "a predicate chooses between two branches, got {}",
          in.called.size());
  for (size_t i = 0; i < in.called.size(); ++i) {
    const ComputationShape& branch = in.called[i];
    REQUIRE(branch.parameters.size() == 1 && Takes(branch.parameters[0], in.operand(i + 1)),
            "(C2) branch {} must take operand {}, it is {}", i, i + 1, Signature(branch));
    REQUIRE(Agree(branch.result, in.called[0].result),
            "(C3) the branches' results differ: branch 0 gives {}, "
            "branch {} gives {}",
            in.called[0].result.ToString(), i, branch.result.ToString());
  }
  Shape result = in.called[0].result;
  for (const ComputationShape& branch : in.called)
    result = WithDynamicOf(std::move(result), branch.result);
  return result;
}

// Each operand's element, the slice without the scanned dimension, is a parameter, then the
// carries; the result's elements, stacked along that dimension, then the last carries. A tuple
// where the computation gives one.
absl::StatusOr<Shape> Scan(const InferInput& in) {
  const auto& a = in.as<ScanAttrs>();
  const ComputationShape& c = in.called[0];
  const auto operands = static_cast<int64_t>(in.operands.size());
  REQUIRE(0 <= a.num_carries && a.num_carries <= operands, "num_carries={} of {} operands",
          a.num_carries, operands);
  REQUIRE(a.dimensions.size() == 1, "dimensions={} must be exactly one dimension",
          Text(a.dimensions));
  const int64_t d = a.dimensions[0], inputs = operands - a.num_carries;
  REQUIRE(inputs > 0, "needs an input besides {} carries", a.num_carries);
  std::vector<Shape> parameters;
  for (int64_t k = 0; k < operands; ++k) {
    Shape x = in.operand(static_cast<size_t>(k));
    REQUIRE(x.is_array(), "operand {} must be an array", k);
    if (k < inputs) {
      REQUIRE(0 <= d && d < x.rank(), "dimensions={} must be a dimension of input {}",
              Text(a.dimensions), k);
      REQUIRE(x.dimension(d) == in.operand(0).dimension(d),
              "dimension {} of input {} is {}, of input 0 it is {}", d, k, x.dimension(d),
              in.operand(0).dimension(d));
      Dims sizes = x.dimensions();
      sizes.erase(sizes.begin() + d);
      Shape element(x.element_type(), std::move(sizes));
      for (int64_t e = 0; e < element.rank(); ++e)
        element.set_dynamic(e, x.is_dynamic(e < d ? e : e + 1));
      x = std::move(element);
    }
    parameters.push_back(std::move(x));
  }
  bool agree = c.parameters.size() == parameters.size();
  for (size_t k = 0; agree && k < parameters.size(); ++k)
    agree = Takes(c.parameters[k], parameters[k]);
  REQUIRE(agree, "the computation must take {}, it is {}",
          Signature({std::move(parameters), c.result}), Signature(c));

  std::vector<Shape> results{c.result};
  if (c.result.is_tuple()) results = c.result.tuple_shapes();
  const int64_t outputs = static_cast<int64_t>(results.size()) - a.num_carries;
  REQUIRE(outputs >= 0, "the computation must give {} carries, it is {}", a.num_carries,
          Signature(c));
  for (int64_t k = 0; k < a.num_carries; ++k) {
    const Shape& carry = c.parameters[static_cast<size_t>(inputs + k)];
    REQUIRE(Takes(carry, results[static_cast<size_t>(outputs + k)]),
            "carry {} begins as {}, but the computation gives {}", k,
            in.operand(static_cast<size_t>(inputs + k)).ToString(),
            results[static_cast<size_t>(outputs + k)].ToString());
  }
  for (int64_t k = 0; k < outputs; ++k) {
    Shape& x = results[static_cast<size_t>(k)];
    REQUIRE(x.is_array() && d <= x.rank(),
            "output {} must be an array with {} dimensions before the scanned one, not {}", k, d,
            x.ToString());
    Dims sizes = x.dimensions();
    sizes.insert(sizes.begin() + d, in.operand(0).dimension(d));
    ASSIGN_OR_RETURN(Shape stacked, MakeResult(x.element_type(), sizes));
    for (int64_t e = 0; e < x.rank(); ++e) stacked.set_dynamic(e < d ? e : e + 1, x.is_dynamic(e));
    x = std::move(stacked);
  }
  for (int64_t k = 0; k < a.num_carries; ++k) {
    Shape& carry = results[static_cast<size_t>(outputs + k)];
    carry = WithDynamicOf(std::move(carry), c.parameters[static_cast<size_t>(inputs + k)]);
  }
  return c.result.is_tuple() ? Shape::Tuple(std::move(results)) : results[0];
}

}  // namespace sinter::infer
