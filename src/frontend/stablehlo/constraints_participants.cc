// Constraints of collectives, transfers and custom calls.
#include <algorithm>

#include "frontend/stablehlo/constraint_checks.h"
#include "frontend/stablehlo/constraints.h"

namespace sinter::stablehlo::constraints {
namespace {

// Rows of dense<...> : tensor<MxNxi64>; nothing where the attribute is not that.
absl::StatusOr<std::vector<Dims>> Rows(const Lowering& l, const Operation& op,
                                       std::string_view key) {
  std::vector<Dims> rows;
  const Attribute* a = op.Find(key);
  if (!a || a->kind != Attribute::Kind::kElements || a->type->shape.rank() != 2) return rows;
  if (a->splat && a->type->shape.element_count() > 2) return rows;  // a participant occurs twice
  ASSIGN_OR_RETURN(const Dims all, l.ToDims(op, *a));
  const auto columns = static_cast<size_t>(a->type->shape.dimension(1));
  for (size_t at = 0; columns && at < all.size(); at += columns)
    rows.emplace_back(all.begin() + static_cast<int64_t>(at),
                      all.begin() + static_cast<int64_t>(at + columns));
  return rows;
}

// (C1) and (C2) of broadcasts and reductions to one participant.
absl::Status CheckGroups(const Lowering& l, const Operation& op) {
  ASSIGN_OR_RETURN(const std::vector<Dims> groups, Rows(l, op, "replica_groups"));
  Dims all;
  for (const Dims& group : groups) {
    for (int64_t n : group) {
      if (n < -1) return l.Invalid(op, "(C2) replica_groups has the participant {}", n);
      if (n >= 0) all.push_back(n);
    }
  }
  std::sort(all.begin(), all.end());
  auto twice = std::adjacent_find(all.begin(), all.end());
  if (twice != all.end())
    return l.Invalid(op, "(C1) participant {} is in replica_groups twice", *twice);
  return absl::OkStatus();
}

// The last of the operands says for each of the others whose value it is.
absl::Status CheckRoot(const Lowering& l, const Operation& op, std::string_view label,
                       std::string_view count_label) {
  const size_t n = op.operands.size();
  if (n < 2) return l.Invalid(op, "({}) needs an operand and its root, got {} operands", label, n);
  const Shape& root = l.Declared(op.operands.back());
  if (root.element_type() != ElementType::S32 || root.rank() != 1 ||
      root.dimension(0) != static_cast<int64_t>(n) - 1) {
    return l.Invalid(op, "({}) the roots must be tensor<{}xi32>, not {}", label, n - 1,
                     ToText(root));
  }
  if (op.results.size() != n - 1) {
    return l.Invalid(op, "({}) {} operands and their roots give {} results", count_label, n - 1,
                     op.results.size());
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status AllToAll(const Lowering& l, const Operation& op) {
  ASSIGN_OR_RETURN(const int64_t split, l.RequireInteger(op, "split_dimension"));
  ASSIGN_OR_RETURN(const int64_t concat, l.RequireInteger(op, "concat_dimension"));
  ASSIGN_OR_RETURN(const int64_t count, l.RequireInteger(op, "split_count"));
  if (count < 1) return l.Invalid(op, "(C4) split_count is {}", count);
  for (size_t i = 0; i < std::min(op.operands.size(), op.results.size()); ++i) {
    const Shape &x = l.Declared(op.operands[i]), &r = l.Declared(op.results[i]);
    if (!x.is_array() || split < 0 || split >= x.rank() || concat < 0 || concat >= x.rank())
      continue;  // an error of its own
    bool same = x.element_type() == r.element_type() && x.rank() == r.rank();
    for (int64_t d = 0; same && d < x.rank(); ++d) {
      int64_t size = x.dimension(d);
      if (!Known(size) || !Known(r.dimension(d)) || x.is_dynamic(d) || r.is_dynamic(d)) continue;
      if (split != concat && d == split) size /= count;
      if (split != concat && d == concat && size > INT64_MAX / count) continue;
      if (split != concat && d == concat) size *= count;
      same = size == r.dimension(d);
    }
    const bool divides = x.dimension(split) % count == 0 || !Known(x.dimension(split));
    if (!same && divides) {
      return l.Invalid(op,
                       "(C9) result {} is {}, which is not {} with dimension {} split by {} and "
                       "{} as many times as long",
                       i, ToText(r), ToText(x), split, count, concat);
    }
  }
  return absl::OkStatus();
}

absl::Status CollectiveBroadcast(const Lowering& l, const Operation& op) {
  RETURN_IF_ERROR(CheckGroups(l, op));
  const bool dynamic = op.Flag("has_dynamic_root");
  if (dynamic) {
    RETURN_IF_ERROR(CheckRoot(l, op, "C4", "C5"));
  } else if (op.operands.empty()) {
    return l.Invalid(op, "(C3) needs an operand");
  } else if (op.results.size() != op.operands.size()) {
    return l.Invalid(op, "(C5) {} operands give {} results", op.operands.size(), op.results.size());
  }
  for (size_t i = 0; i < op.results.size(); ++i) {
    if (SameType(l, op.results[i], op.operands[i])) continue;
    return l.Invalid(op, "({}) operand {} is {}, the result {}", dynamic ? "C4" : "C3", i,
                     Text(l, op.operands[i]), Text(l, op.results[i]));
  }
  return absl::OkStatus();
}

absl::Status CollectiveReduce(const Lowering& l, const Operation& op) {
  RETURN_IF_ERROR(CheckGroups(l, op));
  if (op.Flag("has_dynamic_root")) {
    RETURN_IF_ERROR(CheckRoot(l, op, "C3", "C3"));
  } else if (op.operands.empty() || op.results.size() != op.operands.size()) {
    return l.Invalid(op, "(C3) {} operands give {} results", op.operands.size(), op.results.size());
  }
  for (size_t i = 0; i < op.results.size(); ++i) {
    if (SameSizes(l.Declared(op.results[i]), l.Declared(op.operands[i]))) continue;
    return l.Invalid(op, "(C3) operand {} is {}, the result {}", i, Text(l, op.operands[i]),
                     Text(l, op.results[i]));
  }
  if (op.regions.size() != 1) return l.Invalid(op, "needs 1 region, got {}", op.regions.size());
  const Region& body = op.regions[0];
  auto is_scalar = [&](ValueId id) { return l.Declared(id).is_scalar(); };
  bool alike = body.arguments.size() == 2 && body.returned.size() == 1 &&
               is_scalar(body.returned[0]) && SameType(l, body.arguments[0], body.returned[0]) &&
               SameType(l, body.arguments[1], body.returned[0]);
  if (!alike) {
    return l.Invalid(op,
                     "(C4) the computation must take two scalars and give one of their type: "
                     "({}) -> ({})",
                     Text(l, body.arguments), Text(l, body.returned));
  }
  const ElementType to = l.Declared(body.returned[0]).element_type();
  for (size_t i = 0; i < op.results.size(); ++i) {
    const ElementType from = l.Declared(op.operands[i]).element_type();
    if (Kind(from) != Kind(to) || BitWidth(from) > BitWidth(to)) {
      return l.Invalid(op, "(C4) the computation combines {}, operand {} is of {}", Name(to), i,
                       Name(from));
    }
  }
  return absl::OkStatus();
}

// The layout attribute has a list of dimensions from minor to major for each result but the token.
absl::Status Infeed(const Lowering& l, const Operation& op) {
  if (op.results.empty()) return l.Invalid(op, "(C1) needs a result");
  if (!l.Declared(op.results.back()).is_token())
    return l.Invalid(op, "(C3) the last result must be a token, not {}",
                     Text(l, op.results.back()));
  const size_t n = op.results.size() - 1;
  for (size_t i = 0; i < n; ++i) {
    if (!l.Declared(op.results[i]).is_array())
      return l.Invalid(op, "(C2) result {} must be a tensor, not {}", i, Text(l, op.results[i]));
  }
  const Attribute* layout = op.Find("layout");
  if (layout == nullptr) return absl::OkStatus();
  if (layout->kind != Attribute::Kind::kArray || layout->elements.size() != n)
    return l.Invalid(op, "layout must be a list of {} layouts", n);
  for (size_t i = 0; i < n; ++i) {
    if (layout->elements[i].kind != Attribute::Kind::kArray)
      return l.Invalid(op, "layout {} must be a list of dimensions", i);
    ASSIGN_OR_RETURN(Dims order, l.ToDims(op, layout->elements[i]));
    std::sort(order.begin(), order.end());
    bool all = static_cast<int64_t>(order.size()) == l.Declared(op.results[i]).rank();
    for (size_t d = 0; all && d < order.size(); ++d) all = order[d] == static_cast<int64_t>(d);
    if (!all) return l.Invalid(op, "layout {} is no layout of {}", i, Text(l, op.results[i]));
  }
  return absl::OkStatus();
}

// send and recv. The types of channels: 1 is from device to device, 2 to the host, 3 from it.
absl::Status Transfer(const Lowering& l, const Operation& op) {
  ASSIGN_OR_RETURN(const std::vector<Dims> pairs, Rows(l, op, "source_target_pairs"));
  Dims sources, targets;
  for (const Dims& pair : pairs) {
    if (pair.size() != 2)
      return l.Invalid(op, "(C1) source_target_pairs has rows of {}, not of 2", pair.size());
    if (pair[0] < 0 || pair[1] < 0)
      return l.Invalid(op, "(C4) the participants {} and {} must not be negative", pair[0],
                       pair[1]);
    sources.push_back(pair[0]);
    targets.push_back(pair[1]);
  }
  auto twice = [](Dims& dims) {
    std::sort(dims.begin(), dims.end());
    return std::adjacent_find(dims.begin(), dims.end()) != dims.end();
  };
  if (twice(sources)) return l.Invalid(op, "(C2) a source is in source_target_pairs twice");
  if (twice(targets)) return l.Invalid(op, "(C3) a target is in source_target_pairs twice");
  for (size_t i = 0; i + 1 < op.results.size(); ++i) {
    if (!l.Declared(op.results[i]).is_array())
      return l.Invalid(op, "result {} must be a tensor, not {}", i, Text(l, op.results[i]));
  }
  const Attribute* channel = op.Find("channel_handle");
  if (channel == nullptr) return absl::OkStatus();
  const bool is_host = op.Flag("is_host_transfer"), is_send = op.name == "stablehlo.send";
  const int64_t expected = !is_host ? 1 : is_send ? 2 : 3;
  ASSIGN_OR_RETURN(auto fields, FieldsOf(*channel));
  int64_t type = 0;
  for (const NamedAttribute& f : fields) {
    if (f.name == "type") type = f.value.integer;
  }
  if (type != expected) {
    return l.Invalid(op, "(C5) the channel's type is {}, not {}, that of transfers {}", type,
                     expected,
                     !is_host  ? "between devices"
                     : is_send ? "to the host"
                               : "from the host");
  }
  return absl::OkStatus();
}

// What is there together, and of which kind; the rest is the shape rule's.
absl::Status CustomCall(const Lowering& l, const Operation& op) {
  const bool in = op.Find("operand_layouts") != nullptr, out = op.Find("result_layouts") != nullptr;
  if (in != out) {
    return l.Invalid(op, "either both operand_layouts and result_layouts are there or none is");
  }
  const Attribute *version = op.Find("api_version"), *config = op.Find("backend_config");
  if (version && config) {
    const bool is_typed = version->integer == 4;  // API_VERSION_TYPED_FFI
    const auto expected = is_typed ? Attribute::Kind::kDictionary : Attribute::Kind::kString;
    if (config->kind != expected) {
      return l.Invalid(op, "the backend_config of api_version {} must be a {}", version->integer,
                       is_typed ? "dictionary" : "string");
    }
  }
  return absl::OkStatus();
}

}  // namespace sinter::stablehlo::constraints
