#include "pjrt/hlo_module.h"

#include <vector>

#include "absl/algorithm/container.h"
#include "base/status.h"
#include "ir/ops/attributes.h"
#include "pjrt/hlo_shape.h"
#include "pjrt/message.h"

namespace sinter::pjrt {
namespace {

constexpr int kDeepest = 32;

std::string List(const Dims& numbers) { return Format("{{{}}}", Join(numbers, ",")); }

std::string QuotedBytes(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += Format("\\{:03o}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

// --- attributes

absl::StatusOr<std::string> WindowText(const Message& window) {
  ASSIGN_OR_RETURN(const std::vector<Message> dims, window.All(1));
  if (dims.empty()) return std::string();
  std::vector<int64_t> size, stride, lhs, rhs, reversed;
  std::vector<std::string> pad;
  for (const Message& d : dims) {
    size.push_back(d.Integer(1));
    stride.push_back(d.Integer(2));
    pad.push_back(Format("{}_{}", d.Integer(3), d.Integer(4)));
    rhs.push_back(d.Integer(5));
    lhs.push_back(d.Integer(6));
    reversed.push_back(d.Truth(7) ? 1 : 0);
  }
  return Format(", window={{size={} stride={} pad={} lhs_dilate={} rhs_dilate={} rhs_reversal={}}}",
                Join(size, "x"), Join(stride, "x"), Join(pad, "x"), Join(lhs, "x"), Join(rhs, "x"),
                Join(reversed, "x"));
}

// The labels of an array's dimensions: two that have names, and those of space by number.
absl::StatusOr<std::string> Labels(int64_t first, char name, int64_t second, char other,
                                   const Dims& spatial) {
  std::string out(spatial.size() + 2, ' ');
  auto put = [&](int64_t at, char c) {
    if (at < 0 || at >= static_cast<int64_t>(out.size()) || out[static_cast<size_t>(at)] != ' ')
      return false;
    out[static_cast<size_t>(at)] = c;
    return true;
  };
  bool fits = spatial.size() <= 10 && put(first, name) && put(second, other);
  for (size_t k = 0; k < spatial.size() && fits; ++k)
    fits = put(spatial[k], static_cast<char>('0' + k));
  if (!fits) return InvalidArgument("dimension numbers of a convolution that name no order");
  return out;
}

absl::StatusOr<std::string> ConvolutionLabels(const Message& n) {
  ASSIGN_OR_RETURN(const Dims input, n.Integers(11));
  ASSIGN_OR_RETURN(const Dims kernel, n.Integers(6));
  ASSIGN_OR_RETURN(const Dims output, n.Integers(12));
  ASSIGN_OR_RETURN(const std::string x, Labels(n.Integer(7), 'b', n.Integer(8), 'f', input));
  ASSIGN_OR_RETURN(const std::string w, Labels(n.Integer(3), 'i', n.Integer(4), 'o', kernel));
  ASSIGN_OR_RETURN(const std::string y, Labels(n.Integer(9), 'b', n.Integer(10), 'f', output));
  return Format(", dim_labels={}_{}->{}", x, w, y);
}

absl::StatusOr<std::string> ShardingText(const Message& s, int depth = 0) {
  if (depth > kDeepest) return InvalidArgument("a sharding is nested too deeply");
  static constexpr std::string_view kKinds[] = {"replicated", "maximal", "",         "",
                                                "manual",     "unknown", "unreduced"};
  if (s.Has(14)) return Unimplemented("a sharding by the names of axes (NamedShardingProto)");
  const int64_t kind = s.Integer(1);
  if (kind < 0 || kind > 6) return InvalidArgument("sharding kind {}", kind);
  ASSIGN_OR_RETURN(const Dims devices, s.Integers(4));
  if (kind == 2) {
    std::vector<std::string> parts;
    ASSIGN_OR_RETURN(const std::vector<Message> elements, s.All(5));
    for (const Message& e : elements) {
      ASSIGN_OR_RETURN(std::string part, ShardingText(e, depth + 1));
      parts.push_back(std::move(part));
    }
    return Format("{{{}}}", Join(parts, ", "));
  }
  if (kind == 1) return Format("{{maximal device={}}}", devices.empty() ? 0 : devices[0]);
  if (kind != 3) return Format("{{{}}}", kKinds[kind]);
  ASSIGN_OR_RETURN(const Dims tiles, s.Integers(3));
  ASSIGN_OR_RETURN(const Dims reshape, s.Integers(9));
  ASSIGN_OR_RETURN(const Dims order, s.Integers(10));
  ASSIGN_OR_RETURN(const Dims last, s.Integers(8));
  std::string out = Format("{{devices=[{}]", Join(tiles, ","));
  if (devices.empty()) {
    out += Format("<=[{}]", Join(reshape, ","));
    if (!absl::c_is_sorted(order)) out += Format("T({})", Join(order, ","));
  } else {
    out += Join(devices, ",");
  }
  if (s.Truth(6)) out += " last_tile_dim_replicate";
  std::vector<std::string> kinds;
  for (int64_t k : last) {
    if (k < 0 || k > 6 || kKinds[k].empty()) return InvalidArgument("sharding kind {}", k);
    kinds.emplace_back(kKinds[k]);
  }
  if (!kinds.empty()) out += Format(" last_tile_dims={{{}}}", Join(kinds, ", "));
  return out + "}";
}

absl::StatusOr<std::string> GroupsText(const Message& i) {
  ASSIGN_OR_RETURN(const Message list, i.One(87));
  if (list.Has(2)) {
    ASSIGN_OR_RETURN(const Message iota, list.One(2));
    ASSIGN_OR_RETURN(const Dims reshape, iota.Integers(3));
    ASSIGN_OR_RETURN(const Dims order, iota.Integers(4));
    std::string out = Format(", replica_groups=[{},{}]<=[{}]", iota.Integer(1), iota.Integer(2),
                             Join(reshape, ","));
    if (!absl::c_is_sorted(order)) out += Format("T({})", Join(order, ","));
    return out;
  }
  ASSIGN_OR_RETURN(std::vector<Message> groups, list.All(1));
  if (groups.empty()) {
    ASSIGN_OR_RETURN(groups, i.All(49));
  }
  std::vector<std::string> parts;
  for (const Message& g : groups) {
    ASSIGN_OR_RETURN(const Dims members, g.Integers(1));
    parts.push_back(List(members));
  }
  return Format(", replica_groups={{{}}}", Join(parts, ","));
}

absl::StatusOr<std::string> Named(std::string_view what, const Message& m, int field) {
  ASSIGN_OR_RETURN(const Dims numbers, m.Integers(field));
  return Format(", {}={}", what, List(numbers));
}

std::string Choice(std::string_view what, absl::Span<const std::string_view> names,
                   int64_t number) {
  if (number < 0 || number >= static_cast<int64_t>(names.size())) return Format(", {}=?", what);
  return Format(", {}={}", what, names[static_cast<size_t>(number)]);
}

// --- instructions

class Writer {
 public:
  absl::StatusOr<std::string> Run(std::string_view bytes) {
    ASSIGN_OR_RETURN(const Message module, Message::Read(bytes));
    ASSIGN_OR_RETURN(const std::vector<Message> computations, module.All(3));
    if (computations.empty()) return InvalidArgument("an HloModuleProto without computations");
    out_ = "HloModule program";
    RETURN_IF_ERROR(Aliases(module));
    out_ += "\n";
    for (const Message& c : computations)
      RETURN_IF_ERROR(Computation(c, c.Integer(5) == module.Integer(6)));
    return std::move(out_);
  }

 private:
  // Ids of some writers hold the computation's in the upper half.
  static int64_t Local(int64_t id) { return id & 0xffffffff; }

  absl::Status Aliases(const Message& module) {
    ASSIGN_OR_RETURN(const Message aliases, module.One(8));
    ASSIGN_OR_RETURN(const std::vector<Message> entries, aliases.All(1));
    std::vector<std::string> parts;
    for (const Message& e : entries) {
      ASSIGN_OR_RETURN(const Dims output, e.Integers(1));
      ASSIGN_OR_RETURN(const Dims parameter, e.Integers(3));
      parts.push_back(Format("{}: ({}, {}, {})", List(output), e.Integer(2), List(parameter),
                             e.Integer(4) == 2 ? "must-alias" : "may-alias"));
    }
    if (!parts.empty()) out_ += Format(", input_output_alias={{ {} }}", Join(parts, ", "));
    return absl::OkStatus();
  }

  absl::Status Computation(const Message& c, bool is_entry) {
    out_ += Format("\n{}c{} {{\n", is_entry ? "ENTRY " : "", c.Integer(5));
    ASSIGN_OR_RETURN(const std::vector<Message> instructions, c.All(2));
    for (const Message& i : instructions) {
      if (Local(i.Integer(35)) == Local(c.Integer(6))) out_ += "ROOT ";
      if (absl::Status s = Instruction(i); !s.ok())
        return Annotate(s, Format("instruction {}", QuotedBytes(i.Text(1))));
    }
    out_ += "}\n";
    return absl::OkStatus();
  }

  absl::Status Instruction(const Message& i) {
    ASSIGN_OR_RETURN(const Message shape_message, i.One(3));
    ASSIGN_OR_RETURN(const std::string shape, ShapeText(shape_message));
    const std::string_view op = i.Text(2);
    if (op.empty() || !absl::c_all_of(op, [](char c) {
          return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
        }))
      return InvalidArgument("opcode {}", QuotedBytes(op));
    out_ += Format("i{} = {} {}(", Local(i.Integer(35)), shape, op);
    if (op == "parameter") {
      out_ += Format("{}", i.Integer(9));
    } else if (op == "constant") {
      ASSIGN_OR_RETURN(const Message literal, i.One(8));
      ASSIGN_OR_RETURN(const std::string text, LiteralText(literal));
      out_ += text;
    } else {
      ASSIGN_OR_RETURN(const Dims operands, i.Integers(36));
      for (size_t k = 0; k < operands.size(); ++k)
        out_ += Format("{}i{}", k == 0 ? "" : ", ", Local(operands[k]));
    }
    out_ += ')';
    RETURN_IF_ERROR(Attributes(i, op));
    RETURN_IF_ERROR(Called(i, op));
    RETURN_IF_ERROR(Annotations(i));
    out_ += '\n';
    return absl::OkStatus();
  }

  absl::Status Add(absl::StatusOr<std::string> text) {
    RETURN_IF_ERROR(text.status());
    out_ += *text;
    return absl::OkStatus();
  }

  absl::Status Dot(const Message& n) {
    RETURN_IF_ERROR(Add(Named("lhs_contracting_dims", n, 1)));
    RETURN_IF_ERROR(Add(Named("rhs_contracting_dims", n, 2)));
    RETURN_IF_ERROR(Add(Named("lhs_batch_dims", n, 3)));
    return Add(Named("rhs_batch_dims", n, 4));
  }

  absl::Status Precision(const Message& i) {
    ASSIGN_OR_RETURN(const Message config, i.One(51));
    ASSIGN_OR_RETURN(const Dims each, config.Integers(1));
    static constexpr std::string_view kNames[] = {"default", "high", "highest"};
    if (each.size() != 2) return absl::OkStatus();
    for (int64_t p : each) {
      if (p < 0 || p > 2) return Unimplemented("precision {} of xla.PrecisionConfig", p);
    }
    out_ += Format(", operand_precision={{{},{}}}", kNames[each[0]], kNames[each[1]]);
    return absl::OkStatus();
  }

  absl::Status Collective(const Message& i) {
    RETURN_IF_ERROR(Add(GroupsText(i)));
    if (i.Integer(26) > 0) out_ += Format(", channel_id={}", i.Integer(26));
    if (i.Truth(71)) out_ += ", use_global_device_ids=true";
    return absl::OkStatus();
  }

  absl::Status Attributes(const Message& i, std::string_view op) {
    static constexpr std::string_view kDimensions[] = {"broadcast",
                                                       "transpose",
                                                       "reduce",
                                                       "reverse",
                                                       "concatenate",
                                                       "sort",
                                                       "map",
                                                       "all-gather",
                                                       "reduce-scatter",
                                                       "get-dimension-size",
                                                       "set-dimension-size"};
    ASSIGN_OR_RETURN(const Dims dimensions, i.Integers(14));
    if (absl::c_linear_search(kDimensions, op) || (op == "all-to-all" && !dimensions.empty()))
      out_ += Format(", dimensions={}", List(dimensions));
    if (op == "iota") {
      if (dimensions.size() != 1) return InvalidArgument("{} dimensions", dimensions.size());
      out_ += Format(", iota_dimension={}", dimensions[0]);
    } else if (op == "get-tuple-element") {
      out_ += Format(", index={}", i.Integer(13));
    } else if (op == "compare") {
      const std::string_view type = i.Text(72);
      const std::string_view order = i.Text(102);  // of newer writers
      for (std::string_view word : {i.Text(63), type, order}) {
        if (!absl::c_all_of(word, [](char c) { return c >= 'A' && c <= 'Z'; }))
          return InvalidArgument("a comparison {}", QuotedBytes(word));
      }
      out_ += Format(", direction={}", i.Text(63));
      if (!order.empty()) {
        out_ += Format(", order={}", order);
      } else if (!type.empty()) {
        out_ += Format(", type={}", type);
      }
    } else if (op == "slice") {
      ASSIGN_OR_RETURN(const std::vector<Message> ranges, i.All(17));
      std::vector<std::string> parts;
      for (const Message& r : ranges)
        parts.push_back(Format("[{}:{}:{}]", r.Integer(1), r.Integer(2), r.Integer(3)));
      out_ += Format(", slice={{{}}}", Join(parts, ", "));
    } else if (op == "pad") {
      ASSIGN_OR_RETURN(const Message config, i.One(21));
      ASSIGN_OR_RETURN(const std::vector<Message> each, config.All(1));
      std::vector<std::string> parts;
      for (const Message& p : each)
        parts.push_back(Format("{}_{}_{}", p.Integer(1), p.Integer(2), p.Integer(3)));
      out_ += Format(", padding={}", Join(parts, "x"));
    } else if (op == "dynamic-slice") {
      RETURN_IF_ERROR(Add(Named("dynamic_slice_sizes", i, 20)));
    } else if (op == "reduce-precision") {
      out_ += Format(", exponent_bits={}, mantissa_bits={}", i.Integer(18), i.Integer(19));
    } else if (op == "dot") {
      ASSIGN_OR_RETURN(const Message n, i.One(30));
      RETURN_IF_ERROR(Dot(n));
      RETURN_IF_ERROR(Precision(i));
    } else if (op == "ragged-dot") {
      ASSIGN_OR_RETURN(const Message ragged, i.One(90));
      ASSIGN_OR_RETURN(const Message n, ragged.One(1));
      RETURN_IF_ERROR(Dot(n));
      RETURN_IF_ERROR(Add(Named("lhs_ragged_dims", ragged, 2)));
      RETURN_IF_ERROR(Add(Named("rhs_group_dims", ragged, 3)));
    } else if (op == "convolution") {
      ASSIGN_OR_RETURN(const Message window, i.One(15));
      RETURN_IF_ERROR(Add(WindowText(window)));
      ASSIGN_OR_RETURN(const Message n, i.One(16));
      RETURN_IF_ERROR(Add(ConvolutionLabels(n)));
      if (i.Integer(50) > 1) out_ += Format(", feature_group_count={}", i.Integer(50));
      if (i.Integer(58) > 1) out_ += Format(", batch_group_count={}", i.Integer(58));
      RETURN_IF_ERROR(Precision(i));
    } else if (op == "reduce-window" || op == "select-and-scatter") {
      ASSIGN_OR_RETURN(const Message window, i.One(15));
      RETURN_IF_ERROR(Add(WindowText(window)));
    } else if (op == "fft") {
      out_ += Choice("fft_type", {"FFT", "IFFT", "RFFT", "IRFFT"}, i.Integer(31));
      RETURN_IF_ERROR(Add(Named("fft_length", i, 32)));
    } else if (op == "gather") {
      ASSIGN_OR_RETURN(const Message n, i.One(33));
      RETURN_IF_ERROR(Add(Named("offset_dims", n, 1)));
      RETURN_IF_ERROR(Add(Named("collapsed_slice_dims", n, 2)));
      RETURN_IF_ERROR(Add(Named("start_index_map", n, 3)));
      RETURN_IF_ERROR(Add(Named("operand_batching_dims", n, 5)));
      RETURN_IF_ERROR(Add(Named("start_indices_batching_dims", n, 6)));
      out_ += Format(", index_vector_dim={}", n.Integer(4));
      RETURN_IF_ERROR(Add(Named("slice_sizes", i, 34)));
      if (i.Truth(67)) out_ += ", indices_are_sorted=true";
    } else if (op == "scatter") {
      ASSIGN_OR_RETURN(const Message n, i.One(48));
      RETURN_IF_ERROR(Add(Named("update_window_dims", n, 1)));
      RETURN_IF_ERROR(Add(Named("inserted_window_dims", n, 2)));
      RETURN_IF_ERROR(Add(Named("scatter_dims_to_operand_dims", n, 3)));
      RETURN_IF_ERROR(Add(Named("input_batching_dims", n, 5)));
      RETURN_IF_ERROR(Add(Named("scatter_indices_batching_dims", n, 6)));
      out_ += Format(", index_vector_dim={}", n.Integer(4));
      if (i.Truth(67)) out_ += ", indices_are_sorted=true";
      if (i.Truth(69)) out_ += ", unique_indices=true";
    } else if (op == "sort") {
      if (i.Truth(60)) out_ += ", is_stable=true";
    } else if (op == "rng") {
      out_ += Choice("distribution", {"?", "rng_uniform", "rng_normal"}, i.Integer(23));
    } else if (op == "rng-bit-generator") {
      out_ += Choice("algorithm", {"rng_default", "rng_three_fry", "rng_philox"}, i.Integer(70));
    } else if (op == "rng-get-and-update-state") {
      out_ += Format(", delta={}", i.Integer(66));
    } else if (op.starts_with("batch-norm")) {
      out_ += Format(", epsilon={}, feature_index={}", i.Float(24), i.Integer(25));
    } else if (op == "triangular-solve") {
      ASSIGN_OR_RETURN(const Message o, i.One(59));
      for (auto [name, field] : {std::pair{"left_side", 1}, {"lower", 2}, {"unit_diagonal", 3}}) {
        if (o.Truth(field)) out_ += Format(", {}=true", name);
      }
      out_ += Choice("transpose_a", {"?", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}, o.Integer(4));
    } else if (op == "cholesky") {
      ASSIGN_OR_RETURN(const Message o, i.One(62));
      if (o.Truth(1)) out_ += ", lower=true";
    } else if (op == "topk") {
      out_ += Format(", k={}, largest={}", i.Integer(81), i.Truth(85));
    } else if (op == "collective-permute") {
      ASSIGN_OR_RETURN(const std::vector<Message> pairs, i.All(52));
      std::vector<std::string> parts;
      for (const Message& p : pairs)
        parts.push_back(Format("{{{},{}}}", p.Integer(1), p.Integer(2)));
      out_ += Format(", source_target_pairs={{{}}}", Join(parts, ","));
      if (i.Integer(26) > 0) out_ += Format(", channel_id={}", i.Integer(26));
    } else if (op.starts_with("all-") || op == "reduce-scatter" || op == "collective-broadcast") {
      RETURN_IF_ERROR(Collective(i));
    } else if (op.starts_with("send") || op.starts_with("recv")) {
      out_ += Format(", channel_id={}", i.Integer(26));
      if (i.Truth(47)) out_ += ", is_host_transfer=true";
    } else if (op == "infeed" && !i.Text(27).empty()) {
      out_ += Format(", infeed_config={}", QuotedBytes(i.Text(27)));
    } else if (op == "outfeed") {
      if (!i.Text(22).empty()) out_ += Format(", outfeed_config={}", QuotedBytes(i.Text(22)));
    } else if (op == "custom-call") {
      return CustomCall(i);
    }
    return absl::OkStatus();
  }

  absl::Status CustomCall(const Message& i) {
    out_ += Format(", custom_call_target={}", QuotedBytes(i.Text(28)));
    if (!i.Text(43).empty()) out_ += Format(", backend_config={}", QuotedBytes(i.Text(43)));
    if (i.Truth(65)) out_ += ", custom_call_has_side_effect=true";
    static constexpr std::string_view kVersions[] = {
        "API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL", "API_VERSION_STATUS_RETURNING",
        "API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI"};
    if (i.Integer(77) != 0) out_ += Choice("api_version", kVersions, i.Integer(77));
    ASSIGN_OR_RETURN(const std::vector<Message> aliases, i.All(74));
    std::vector<std::string> parts;
    for (const Message& a : aliases) {
      ASSIGN_OR_RETURN(const Dims output, a.Integers(1));
      ASSIGN_OR_RETURN(const Dims operand, a.Integers(3));
      parts.push_back(Format("{}: ({}, {})", List(output), a.Integer(2), List(operand)));
    }
    if (!parts.empty()) out_ += Format(", output_to_operand_aliasing={{{}}}", Join(parts, ", "));
    if (!i.Truth(56)) return absl::OkStatus();
    ASSIGN_OR_RETURN(const std::vector<Message> shapes, i.All(57));
    parts.clear();
    for (const Message& s : shapes) {
      ASSIGN_OR_RETURN(std::string text, ShapeText(s));
      parts.push_back(std::move(text));
    }
    out_ += Format(", operand_layout_constraints={{{}}}", Join(parts, ", "));
    return absl::OkStatus();
  }

  absl::Status Called(const Message& i, std::string_view op) {
    ASSIGN_OR_RETURN(const Dims called, i.Integers(38));
    if (called.empty()) return absl::OkStatus();
    auto two = [&](std::string_view first, std::string_view second) -> absl::Status {
      if (called.size() != 2) return InvalidArgument("{} called computations", called.size());
      out_ += Format(", {}=c{}, {}=c{}", first, called[0], second, called[1]);
      return absl::OkStatus();
    };
    if (op == "while") return two("body", "condition");
    if (op == "select-and-scatter") return two("select", "scatter");
    if (op == "conditional") {
      std::vector<std::string> names;
      for (int64_t c : called) names.push_back(Format("c{}", c));
      out_ += Format(", branch_computations={{{}}}", Join(names, ", "));
      return absl::OkStatus();
    }
    if (op == "custom-call") return absl::OkStatus();
    if (op == "fusion") {
      const std::string_view kind = i.Text(11);
      if (!absl::c_all_of(kind, [](char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }))
        return InvalidArgument("a fusion of kind {}", QuotedBytes(kind));
      out_ += Format(", kind={}, calls=c{}", kind, called[0]);
      return absl::OkStatus();
    }
    out_ += Format(", to_apply=c{}", called[0]);
    return absl::OkStatus();
  }

  absl::Status Annotations(const Message& i) {
    if (i.Has(40)) {
      ASSIGN_OR_RETURN(const Message sharding, i.One(40));
      ASSIGN_OR_RETURN(const std::string text, ShardingText(sharding));
      out_ += ", sharding=" + text;
    }
    if (i.Has(68)) {
      ASSIGN_OR_RETURN(const Message frontend, i.One(68));
      ASSIGN_OR_RETURN(const std::vector<Message> entries, frontend.All(1));
      std::vector<std::string> parts;
      for (const Message& e : entries) {
        const std::string_view name = e.Text(1);
        if (name.empty() || !absl::c_all_of(name, [](char c) {
              return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || (c >= '0' && c <= '9') ||
                     c == '_' || c == '.' || c == '-';
            }))
          return InvalidArgument("a frontend attribute {}", QuotedBytes(name));
        parts.push_back(Format("{}={}", name, QuotedBytes(e.Text(2))));
      }
      if (!parts.empty()) out_ += Format(", frontend_attributes={{{}}}", Join(parts, ","));
    }
    ASSIGN_OR_RETURN(const Message metadata, i.One(7));
    if (!metadata.Text(2).empty())
      out_ += Format(", metadata={{op_name={}}}", QuotedBytes(metadata.Text(2)));
    return absl::OkStatus();
  }

  std::string out_;
};

}  // namespace

absl::StatusOr<std::string> HloTextOfProto(std::string_view bytes) {
  absl::StatusOr<std::string> text = Writer().Run(bytes);
  if (!text.ok()) return Annotate(text.status(), "HloModuleProto");
  return text;
}

}  // namespace sinter::pjrt
