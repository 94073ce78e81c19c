#include "ir/verify/verify.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "base/status.h"
#include "ir/verify/graph_checks.h"
#include "types/leaves.h"

namespace sinter {
namespace {

absl::Status VerifyShape(const HloInstruction& i) {
  std::vector<const Shape*> operands;
  for (const HloInstruction* operand : i.operands()) operands.push_back(&operand->shape());
  std::vector<ComputationShape> called;
  for (const HloComputation* c : i.called()) called.push_back(c->shape());
  return InferShape(i.op(), {operands, i.attributes(), called, &i.shape()}).status();
}

absl::Status VerifyParameters(const HloComputation& c) {
  size_t count = 0;
  for (const auto& i : c.instructions()) {
    if (i->op() != HloOpcode::Parameter) continue;
    ++count;
    int64_t n = i->attrs<ParameterAttrs>().number;
    bool listed = 0 <= n && n < static_cast<int64_t>(c.parameters().size()) &&
                  c.parameter(static_cast<size_t>(n)) == i.get();
    if (!listed)
      return verify::At(*i, InvalidArgument("parameter {} is defined twice or out of order", n));
  }
  for (size_t n = 0; n < c.parameters().size(); ++n) {
    if (!c.parameter(n)) return InvalidArgument("{}: there is no parameter {}", c.name(), n);
  }
  RETURN_INTERNAL_IF(count != c.parameters().size(), "{}: the list of parameters is stale",
                     c.name());
  return absl::OkStatus();
}

absl::Status VerifyAliases(const HloModule& m) {
  absl::flat_hash_set<Dims> outputs;
  absl::flat_hash_set<std::pair<int64_t, Dims>> inputs;
  const HloComputation& entry = *m.entry();
  for (const InputOutputAlias& a : m.aliases()) {
    auto text = [&] {
      return Format("input_output_alias {{{}}}: ({}, {{{}}})", Join(a.output_index, ","),
                    a.parameter, Join(a.parameter_index, ","));
    };
    const Shape* output = Subshape(entry.root()->shape(), a.output_index);
    if (!output)
      return InvalidArgument("{}: the result {} has no such element", text(),
                             entry.root()->shape().ToString());
    if (a.parameter < 0 || a.parameter >= static_cast<int64_t>(entry.parameters().size())) {
      return InvalidArgument("{}: there is no such parameter", text());
    }
    const Shape& parameter = entry.parameter(static_cast<size_t>(a.parameter))->shape();
    const Shape* input = Subshape(parameter, a.parameter_index);
    if (!input)
      return InvalidArgument("{}: the parameter {} has no such element", text(),
                             parameter.ToString());
    if (!input->is_array() || !output->is_array() ||
        input->packed_byte_size() != output->packed_byte_size()) {
      return InvalidArgument("{}: the parameter's {} cannot hold the result's {}", text(),
                             input->ToString(), output->ToString());
    }
    if (!outputs.insert(a.output_index).second)
      return InvalidArgument("{}: the output has two aliases", text());
    if (!inputs.insert({a.parameter, a.parameter_index}).second) {
      return InvalidArgument("{}: the parameter has two aliases", text());
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status VerifyModule(const HloModule& m) {
  // Pointers first: what follows relies on them.
  RETURN_IF_ERROR(verify::CheckOwnership(m));
  RETURN_IF_ERROR(verify::CheckUsers(m));
  RETURN_IF_ERROR(verify::CheckNoRecursion(m));
  for (const auto& c : m.computations()) RETURN_IF_ERROR(verify::CheckNoCycle(*c));
  for (const auto& c : m.computations()) RETURN_IF_ERROR(VerifyParameters(*c));
  for (const auto& c : m.computations()) {
    for (const auto& i : c->instructions()) {
      if (absl::Status s = VerifyShape(*i); !s.ok()) return verify::At(*i, s);
    }
  }
  return VerifyAliases(m);
}

}  // namespace sinter
