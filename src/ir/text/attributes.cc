#include "ir/text/attributes.h"

#include <array>
#include <optional>

#include "ir/text/groups.h"
#include "ir/text/window.h"
#include "types/shape_text.h"

namespace sinter {
namespace {

template <size_t... I>
Attributes DefaultOf(uint8_t index, std::index_sequence<I...>) {
  Attributes a;
  ((I == index ? void(a.emplace<I>()) : void()), ...);
  return a;
}

// Which fields of a struct do not take the form "name=value".
template <class Struct>
constexpr bool kIrregular =
    std::is_same_v<Struct, ParameterAttrs> || std::is_same_v<Struct, ConstantAttrs> ||
    std::is_same_v<Struct, SliceAttrs> || std::is_same_v<Struct, PadAttrs> ||
    std::is_same_v<Struct, ConvolutionAttrs>;

std::string Text(const Dims& dims) { return Format("{{{}}}", Join(dims, ",")); }

// --- values: an overload for each type of field; an empty text is not printed

std::string ValueText(int64_t v) { return std::to_string(v); }
std::string ValueText(const Dims& v) { return Text(v); }
std::string ValueText(const std::string& v) { return v.empty() ? "" : Quoted(v); }
std::string ValueText(bool v) { return v ? "true" : ""; }
std::string ValueText(ComparisonDirection v) { return std::string(Name(v)); }
std::string ValueText(ComparisonType v) { return std::string(Name(v)); }
std::string ValueText(FftType v) { return std::string(Name(v)); }
std::string ValueText(MatrixTranspose v) { return std::string(Name(v)); }
std::string ValueText(RandomAlgorithm v) { return std::string(Name(v)); }
std::string ValueText(RandomDistribution v) { return std::string(Name(v)); }
std::string ValueText(Precision) { return ""; }  // both stand in operand_precision
std::string ValueText(const Groups& v) {
  std::vector<std::string> groups;
  for (const Dims& group : v) groups.push_back(Text(group));
  return Format("{{{}}}", Join(groups, ","));
}
std::string ValueText(const std::vector<Shape>& v) {
  std::vector<std::string> shapes;
  for (const Shape& s : v) shapes.push_back(s.ToString());
  return Format("{{{}}}", Join(shapes, ", "));
}
std::string ValueText(CustomCallApiVersion v) { return std::string(Name(v)); }
std::string ValueText(const std::vector<OutputOperandAlias>& v) {
  std::vector<std::string> aliases;
  for (const OutputOperandAlias& a : v)
    aliases.push_back(
        Format("{}: ({}, {})", Text(a.output_index), a.operand, Text(a.operand_index)));
  return Format("{{{}}}", Join(aliases, ", "));
}
std::string ValueText(const CustomCallLayouts&) { return ""; }
std::string ValueText(const std::optional<int64_t>& v) { return v ? std::to_string(*v) : ""; }
std::string ValueText(float v) { return Format("{}", v); }
std::string ValueText(const Window& v) { return WindowText(v); }

absl::Status ParseValue(Lexer& l, int64_t& v) {
  if (!l.EatInt(&v)) return l.Error("expected an integer");
  return absl::OkStatus();
}
absl::Status ParseValue(Lexer& l, Dims& v) {
  RETURN_IF_ERROR(l.Expect('{', "before a list of integers"));
  if (l.Eat('}')) return absl::OkStatus();
  do {
    RETURN_IF_ERROR(ParseValue(l, v.emplace_back()));
  } while (l.Eat(','));
  return l.Expect('}', "after a list of integers");
}
// A string, or JSON as it stands.
absl::Status ParseValue(Lexer& l, std::string& v) {
  if (l.Peek() == '{') {
    ASSIGN_OR_RETURN(std::string_view group, l.SkipGroup());
    v = group;
  } else {
    ASSIGN_OR_RETURN(v, l.EatString());
  }
  return absl::OkStatus();
}
absl::Status ParseValue(Lexer& l, bool& v) {
  std::string_view name = l.EatName();
  if (name != "true" && name != "false") return l.Error("expected true or false");
  v = name == "true";
  return absl::OkStatus();
}
template <class E, size_t N>
absl::Status ParseEnum(Lexer& l, const E (&values)[N], E& v, std::string_view what) {
  size_t at = l.pos();
  std::string_view name = l.EatName();
  for (E e : values) {
    if (!name.empty() && Name(e) == name) {
      v = e;
      return absl::OkStatus();
    }
  }
  l.set_pos(at);
  return l.Error("'{}' is no {}", name, what);
}
absl::Status ParseValue(Lexer& l, ComparisonDirection& v) {
  using E = ComparisonDirection;
  return ParseEnum(l, {E::kEq, E::kNe, E::kGe, E::kGt, E::kLe, E::kLt}, v, "comparison direction");
}
absl::Status ParseValue(Lexer& l, ComparisonType& v) {
  using E = ComparisonType;
  return ParseEnum(l, {E::kFloat, E::kTotalOrder, E::kSigned, E::kUnsigned}, v, "comparison type");
}
absl::Status ParseValue(Lexer& l, Precision& v) {
  using E = Precision;
  return ParseEnum(l, {E::kDefault, E::kHigh, E::kHighest}, v, "precision");
}
absl::Status ParseValue(Lexer& l, FftType& v) {
  using E = FftType;
  return ParseEnum(l, {E::kFft, E::kIfft, E::kRfft, E::kIrfft}, v, "type of FFT");
}
absl::Status ParseValue(Lexer& l, MatrixTranspose& v) {
  using E = MatrixTranspose;
  return ParseEnum(l, {E::kNoTranspose, E::kTranspose, E::kAdjoint}, v, "transpose of a matrix");
}
absl::Status ParseValue(Lexer& l, RandomAlgorithm& v) {
  using E = RandomAlgorithm;
  return ParseEnum(l, {E::kDefault, E::kThreeFry, E::kPhilox}, v, "random algorithm");
}
absl::Status ParseValue(Lexer& l, RandomDistribution& v) {
  using E = RandomDistribution;
  return ParseEnum(l, {E::kUniform, E::kNormal}, v, "random distribution");
}
absl::Status ParseValue(Lexer& l, CustomCallApiVersion& v) {
  using E = CustomCallApiVersion;
  return ParseEnum(l, {E::kOriginal, E::kStatusReturning, E::kStatusReturningUnified, E::kTypedFfi},
                   v, "api_version");
}
// "{{}: (0, {}), {1}: (2, {0})}"
absl::Status ParseValue(Lexer& l, std::vector<OutputOperandAlias>& v) {
  RETURN_IF_ERROR(l.Expect('{', "before a list of aliases"));
  if (l.Eat('}')) return absl::OkStatus();
  do {
    OutputOperandAlias& alias = v.emplace_back();
    RETURN_IF_ERROR(ParseValue(l, alias.output_index));
    RETURN_IF_ERROR(l.Expect(':', "between an output and an operand"));
    RETURN_IF_ERROR(l.Expect('(', "before an operand"));
    RETURN_IF_ERROR(ParseValue(l, alias.operand));
    RETURN_IF_ERROR(l.Expect(',', "between an operand and an index"));
    RETURN_IF_ERROR(ParseValue(l, alias.operand_index));
    RETURN_IF_ERROR(l.Expect(')', "after an operand"));
  } while (l.Eat(','));
  return l.Expect('}', "after a list of aliases");
}
absl::Status ParseValue(Lexer& l, CustomCallLayouts&) {
  return l.Error("layouts are no attribute of text");
}
absl::Status ParseValue(Lexer& l, float& v) {
  if (!l.EatFloat(&v)) return l.Error("expected a number");
  return absl::OkStatus();
}
absl::Status ParseValue(Lexer& l, Window& v) { return ParseWindow(l, v); }
absl::Status ParseValue(Lexer& l, Groups& v) { return ParseGroups(l, v); }
absl::Status ParseValue(Lexer& l, std::vector<Shape>& v) {
  RETURN_IF_ERROR(l.Expect('{', "before a list of shapes"));
  if (l.Eat('}')) return absl::OkStatus();
  do {
    ASSIGN_OR_RETURN(v.emplace_back(), ParseShape(l));
  } while (l.Eat(','));
  return l.Expect('}', "after a list of shapes");
}
absl::Status ParseValue(Lexer& l, std::optional<int64_t>& v) { return ParseValue(l, v.emplace()); }

// --- irregular forms

// "{[0:2:1], [1:3]}"
absl::Status ParseSlice(Lexer& l, SliceAttrs& a) {
  RETURN_IF_ERROR(l.Expect('{', "before the ranges of a slice"));
  if (l.Eat('}')) return absl::OkStatus();
  do {
    RETURN_IF_ERROR(l.Expect('[', "before a range"));
    RETURN_IF_ERROR(ParseValue(l, a.starts.emplace_back()));
    RETURN_IF_ERROR(l.Expect(':', "between the ends of a range"));
    RETURN_IF_ERROR(ParseValue(l, a.limits.emplace_back()));
    a.strides.push_back(1);
    if (l.Eat(':')) RETURN_IF_ERROR(ParseValue(l, a.strides.back()));
    RETURN_IF_ERROR(l.Expect(']', "after a range"));
  } while (l.Eat(','));
  return l.Expect('}', "after the ranges of a slice");
}

// "0_1x2_0_1": low, high and, where not zero, interior padding of each dimension. Nothing for a
// scalar.
absl::Status ParsePadding(Lexer& l, PadAttrs& a) {
  char c = l.Peek();
  if (c != '-' && (c < '0' || c > '9')) return absl::OkStatus();
  do {
    RETURN_IF_ERROR(ParseValue(l, a.low.emplace_back()));
    RETURN_IF_ERROR(l.Expect('_', "between low and high padding"));
    RETURN_IF_ERROR(ParseValue(l, a.high.emplace_back()));
    a.interior.push_back(0);
    if (l.Here() == '_' && l.Eat('_')) RETURN_IF_ERROR(ParseValue(l, a.interior.back()));
    // The next line may begin with these.
  } while (l.Here() == 'x' && l.Eat('x'));
  return absl::OkStatus();
}

template <class Struct>
absl::Status ParsePrecisions(Lexer& l, Struct& a) {
  RETURN_IF_ERROR(l.Expect('{', "before precisions"));
  RETURN_IF_ERROR(ParseValue(l, a.lhs_precision));
  RETURN_IF_ERROR(l.Expect(',', "between precisions"));
  RETURN_IF_ERROR(ParseValue(l, a.rhs_precision));
  return l.Expect('}', "after precisions");
}

template <class Struct>
std::string PrecisionText(const Struct& a) {
  if (a.lhs_precision == Precision::kDefault && a.rhs_precision == Precision::kDefault) return "";
  return Format(", operand_precision={{{},{}}}", Name(a.lhs_precision), Name(a.rhs_precision));
}

std::string ConvolutionText(const ConvolutionAttrs& a) {
  std::string out;
  if (!a.window.empty()) out += Format(", window={}", WindowText(a.window));
  out += Format(", dim_labels={}", DimensionLabelsText(a.dim_labels));
  if (a.feature_group_count != 1) out += Format(", feature_group_count={}", a.feature_group_count);
  if (a.batch_group_count != 1) out += Format(", batch_group_count={}", a.batch_group_count);
  return out + PrecisionText(a);
}

// Whether the convolution has an attribute of that name, which is then read.
absl::StatusOr<bool> ParseConvolution(Lexer& l, std::string_view name, ConvolutionAttrs& a) {
  absl::Status status;
  if (name == "window") {
    status = ParseWindow(l, a.window);
  } else if (name == "dim_labels") {
    status = ParseDimensionLabels(l, a.dim_labels);
  } else if (name == "feature_group_count") {
    status = ParseValue(l, a.feature_group_count);
  } else if (name == "batch_group_count") {
    status = ParseValue(l, a.batch_group_count);
  } else if (name == "operand_precision") {
    status = ParsePrecisions(l, a);
  } else {
    return false;
  }
  if (!status.ok()) return status;
  return true;
}

void AppendIrregular(const Attributes& attrs, std::string& out) {
  if (auto* a = std::get_if<SliceAttrs>(&attrs)) {
    out += ", slice={";
    for (size_t i = 0; i < a->starts.size(); ++i) {
      out += Format("{}[{}:{}{}]", i ? ", " : "", a->starts[i], a->limits[i],
                    a->strides[i] == 1 ? "" : Format(":{}", a->strides[i]));
    }
    out += '}';
  } else if (auto* p = std::get_if<PadAttrs>(&attrs)) {
    out += ", padding=";
    for (size_t i = 0; i < p->low.size(); ++i) {
      out += Format("{}{}_{}{}", i ? "x" : "", p->low[i], p->high[i],
                    p->interior[i] ? Format("_{}", p->interior[i]) : "");
    }
  } else if (auto* d = std::get_if<DotAttrs>(&attrs)) {
    out += PrecisionText(*d);
  } else if (auto* r = std::get_if<RaggedDotAttrs>(&attrs)) {
    out += PrecisionText(*r);
  } else if (auto* c = std::get_if<ConvolutionAttrs>(&attrs)) {
    out += ConvolutionText(*c);
  }
}

// The label of a fusion is HLO's kind: "loop" is kLoop.
std::string KindOf(std::string label) {
  if (!label.empty() && label[0] >= 'a' && label[0] <= 'z')
    label[0] = static_cast<char>(label[0] - 'a' + 'A');
  return "k" + label;
}
absl::Status ParseKind(Lexer& l, std::string& label) {
  std::string_view kind = l.EatName();
  if (kind.size() < 2 || kind[0] != 'k') return l.Error("expected a kind of fusion such as kLoop");
  label = kind.substr(1);
  if (label[0] >= 'A' && label[0] <= 'Z') label[0] = static_cast<char>(label[0] - 'A' + 'a');
  return absl::OkStatus();
}

}  // namespace

Attributes DefaultAttributes(uint8_t index) {
  return DefaultOf(index, std::make_index_sequence<std::variant_size_v<Attributes>>{});
}

void AppendAttributes(HloOpcode op, const Attributes& attrs, std::string& out) {
  if (auto* fusion = std::get_if<FusionAttrs>(&attrs)) {
    if (!fusion->label.empty()) out += ", kind=" + KindOf(fusion->label);
    return;
  }
  std::vector<std::string_view> required = RequiredAttributes(op);
  auto is_required = [&](std::string_view name) {
    return std::find(required.begin(), required.end(), name) != required.end();
  };
  std::visit(
      [&]<class Struct>(const Struct& a) {
        if constexpr (!kIrregular<Struct>) {
          ForEachField(a, [&](std::string_view name, const auto& field) {
            std::string value = ValueText(field);
            if (value.empty() && is_required(name))
              value = std::is_same_v<decltype(field), const bool&> ? "false" : "\"\"";
            bool empty = value.empty() || value == "{}";
            // Other readers of the text do not know it.
            if (std::is_same_v<Struct, FftAttrs> && name == "trailing") empty = value == "0";
            if (!empty || is_required(name)) out += Format(", {}={}", name, value);
          });
        }
      },
      attrs);
  AppendIrregular(attrs, out);
}

absl::StatusOr<bool> ParseAttribute(Lexer& l, std::string_view name, Attributes& attrs) {
  if (auto* convolution = std::get_if<ConvolutionAttrs>(&attrs))
    return ParseConvolution(l, name, *convolution);
  absl::Status status;
  bool found = true;
  if (auto* slice = std::get_if<SliceAttrs>(&attrs); slice && name == "slice") {
    status = ParseSlice(l, *slice);
  } else if (auto* pad = std::get_if<PadAttrs>(&attrs); pad && name == "padding") {
    status = ParsePadding(l, *pad);
  } else if (auto* dot = std::get_if<DotAttrs>(&attrs); dot && name == "operand_precision") {
    status = ParsePrecisions(l, *dot);
  } else if (auto* ragged = std::get_if<RaggedDotAttrs>(&attrs);
             ragged && name == "operand_precision") {
    status = ParsePrecisions(l, *ragged);
  } else if (auto* fusion = std::get_if<FusionAttrs>(&attrs); fusion && name == "kind") {
    status = ParseKind(l, fusion->label);
  } else {
    found = false;
    std::visit(
        [&]<class Struct>(Struct& a) {
          if constexpr (!kIrregular<Struct>) {
            ForEachField(a, [&](std::string_view field_name, auto& field) {
              if (found || field_name != name) return;
              found = true;
              status = ParseValue(l, field);
            });
          }
        },
        attrs);
  }
  if (!status.ok()) return status;
  return found;
}

std::vector<std::string_view> RequiredAttributes(HloOpcode op) {
  if (op == HloOpcode::Map) return {};
  switch (Info(op).attrs) {
    case kAttributesIndex<DimensionsAttrs>:
      return {"dimensions"};
    case kAttributesIndex<IotaAttrs>:
      return {"iota_dimension"};
    case kAttributesIndex<TupleElementAttrs>:
      return {"index"};
    case kAttributesIndex<CompareAttrs>:
      return {"direction"};
    case kAttributesIndex<SliceAttrs>:
      return {"slice"};
    case kAttributesIndex<PadAttrs>:
      return {"padding"};
    case kAttributesIndex<DynamicSliceAttrs>:
      return {"dynamic_slice_sizes"};
    case kAttributesIndex<ReducePrecisionAttrs>:
      return {"exponent_bits", "mantissa_bits"};
    case kAttributesIndex<FftAttrs>:
      return {"fft_type", "fft_length"};
    case kAttributesIndex<RngAttrs>:
      return {"distribution"};
    case kAttributesIndex<RngStateAttrs>:
      return {"delta"};
    case kAttributesIndex<RngBitGeneratorAttrs>:
      return {"algorithm"};
    case kAttributesIndex<CustomCallAttrs>:
      return {"custom_call_target"};
    case kAttributesIndex<ConvolutionAttrs>:
      return {"dim_labels"};
    case kAttributesIndex<BatchNormAttrs>:
      return {"epsilon", "feature_index"};
    case kAttributesIndex<GatherAttrs>:
      return {"offset_dims", "collapsed_slice_dims", "start_index_map", "index_vector_dim",
              "slice_sizes"};
    case kAttributesIndex<ScatterAttrs>:
      return {"update_window_dims", "inserted_window_dims", "scatter_dims_to_operand_dims",
              "index_vector_dim"};
    case kAttributesIndex<ScanAttrs>:
      return {"dimensions", "num_carries"};
    case kAttributesIndex<SortAttrs>:
      return {"dimensions"};
    case kAttributesIndex<CollectivePermuteAttrs>:
      return {"source_target_pairs"};
    case kAttributesIndex<TopKAttrs>:
      return {"k", "largest"};
    default:
      return {};
  }
}

std::vector<std::string_view> CalledNames(HloOpcode op) {
  if (op == HloOpcode::While) return {"condition", "body"};
  if (op == HloOpcode::Fusion) return {"calls"};
  if (op == HloOpcode::SelectAndScatter) return {"select", "scatter"};
  if (Info(op).called == 1) return {"to_apply"};
  return {};
}

}  // namespace sinter
