// From VHLO's attributes of operations to StableHLO's. Source: StableHLO's
// VhloLegalizeToStablehlo.cpp and VhloToVersion.cpp; what newer versions added is absent in older
// ones, and absent means the default.
#include <algorithm>
#include <iterator>

#include "base/status.h"
#include "frontend/bytecode/attribute_values.h"
#include "frontend/bytecode/operations.h"

namespace sinter::stablehlo {
namespace {

using Kind = Attribute::Kind;

// What an attribute becomes.
enum class Form : uint8_t {
  kSame,
  kDims,     // a tensor: a list of integers
  kFlag,     // true: there, without a value
  kSymbol,   // a string: the name of a function
  kSymbols,  // a list of strings
};
// The value that stands for none.
enum class Default : uint8_t { kNone, kFalse, kZero, kOne, kMinusOne, kEmpty, kWord, kAccuracy };

struct Conversion {
  std::string_view name;
  Form form;
  Default none;
};
// Sorted by name. All others stay as they are.
constexpr Conversion kConversions[] = {
    {"api_version", Form::kSame, Default::kOne},
    {"backend_config", Form::kSame, Default::kEmpty},
    {"base_dilations", Form::kDims, Default::kNone},
    {"broadcast_dimensions", Form::kDims, Default::kNone},
    {"broadcast_sizes", Form::kDims, Default::kNone},
    {"called_computations", Form::kSymbols, Default::kEmpty},
    {"callee", Form::kSymbol, Default::kNone},
    {"compare_type", Form::kSame, Default::kWord},
    {"composite_attributes", Form::kSame, Default::kEmpty},
    {"decomposition", Form::kSymbol, Default::kNone},
    {"dimension", Form::kSame, Default::kMinusOne},
    {"dimensions", Form::kDims, Default::kNone},
    {"edge_padding_high", Form::kDims, Default::kNone},
    {"edge_padding_low", Form::kDims, Default::kNone},
    {"fft_length", Form::kDims, Default::kNone},
    {"has_dynamic_root", Form::kFlag, Default::kFalse},
    {"has_side_effect", Form::kSame, Default::kFalse},
    {"infeed_config", Form::kSame, Default::kEmpty},
    {"interior_padding", Form::kDims, Default::kNone},
    {"is_host_transfer", Form::kSame, Default::kFalse},
    {"known_expanding_dimensions", Form::kDims, Default::kEmpty},
    {"known_nonexpanding_dimensions", Form::kDims, Default::kEmpty},
    {"layout", Form::kSame, Default::kEmpty},
    {"lhs_dilation", Form::kDims, Default::kNone},
    {"limit_indices", Form::kDims, Default::kNone},
    {"outfeed_config", Form::kSame, Default::kEmpty},
    {"output_operand_aliases", Form::kSame, Default::kEmpty},
    {"permutation", Form::kDims, Default::kNone},
    {"precision_config", Form::kSame, Default::kWord},
    {"result_accuracy", Form::kSame, Default::kAccuracy},
    {"result_tilings", Form::kSame, Default::kEmpty},
    {"rhs_dilation", Form::kDims, Default::kNone},
    {"slice_sizes", Form::kDims, Default::kNone},
    {"source_target_pairs", Form::kSame, Default::kEmpty},
    {"start_indices", Form::kDims, Default::kNone},
    {"strides", Form::kDims, Default::kNone},
    {"use_global_device_ids", Form::kFlag, Default::kFalse},
    {"version", Form::kSame, Default::kZero},
    {"window_dilations", Form::kDims, Default::kNone},
    {"window_dimensions", Form::kDims, Default::kNone},
    {"window_reversal", Form::kDims, Default::kNone},
    {"window_strides", Form::kDims, Default::kNone},
};
constexpr bool IsEarlier(const Conversion& a, const Conversion& b) { return a.name < b.name; }
static_assert(std::is_sorted(std::begin(kConversions), std::end(kConversions), IsEarlier),
              "rows are sorted by name");

// Attributes of VHLO that are the fields of one of StableHLO.
struct Group {
  std::string_view operation, name, dialect_name;
  std::string_view fields[10];
};
constexpr Group Convolution(std::string_view operation) {
  return {operation,
          "dimension_numbers",
          "stablehlo.conv",
          {"input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions",
           "kernel_input_feature_dimension", "kernel_output_feature_dimension",
           "kernel_spatial_dimensions", "output_batch_dimension", "output_feature_dimension",
           "output_spatial_dimensions"}};
}
constexpr Group Gathering(std::string_view operation) {
  return {operation,
          "dimension_numbers",
          "stablehlo.gather",
          {"offset_dims", "collapsed_slice_dims", "operand_batching_dims",
           "start_indices_batching_dims", "start_index_map", "index_vector_dim"}};
}
constexpr Group kGroups[] = {
    Convolution("stablehlo.convolution"),
    Convolution("stablehlo.dynamic_conv"),
    Gathering("stablehlo.dynamic_gather"),
    Gathering("stablehlo.gather"),
    {"stablehlo.dot_general",
     "dot_dimension_numbers",
     "stablehlo.dot",
     {"lhs_batching_dimensions", "rhs_batching_dimensions", "lhs_contracting_dimensions",
      "rhs_contracting_dimensions"}},
    {"stablehlo.dot_general",
     "algorithm",
     "stablehlo.dot_algorithm",
     {"lhs_precision_type", "rhs_precision_type", "accumulation_type", "lhs_component_count",
      "rhs_component_count", "num_primitive_operations", "allow_imprecise_accumulation"}},
    {"stablehlo.scatter",
     "scatter_dimension_numbers",
     "stablehlo.scatter",
     {"update_window_dims", "inserted_window_dims", "input_batching_dims",
      "scatter_indices_batching_dims", "scatter_dims_to_operand_dims", "index_vector_dim"}},
};

bool IsDefaultWord(const Attribute& a) { return a.word == "DEFAULT" || a.word == "NOTYPE"; }

bool IsNone(const Attribute& a, Default none) {
  switch (none) {
    case Default::kNone:
      return false;
    case Default::kFalse:
      return a.kind == Kind::kBool && a.integer == 0;
    case Default::kZero:
      return a.kind == Kind::kInteger && a.integer == 0;
    case Default::kOne:
      return a.kind == Kind::kInteger && a.integer == 1;
    case Default::kMinusOne:
      return a.kind == Kind::kInteger && a.integer == -1;
    case Default::kEmpty:
      if (a.kind == Kind::kElements) return a.type->shape.element_count() == 0;
      return (a.kind == Kind::kString && a.text.empty()) ||
             (a.kind == Kind::kArray && a.elements.empty()) ||
             (a.kind == Kind::kDictionary && a.entries.empty());
    case Default::kWord:
      if (a.kind == Kind::kArray)
        return std::all_of(a.elements.begin(), a.elements.end(), IsDefaultWord);
      return IsDefaultWord(a);
    case Default::kAccuracy: {
      const Attribute* mode = FindAttribute(a.entries, "mode");
      if (mode == nullptr || !IsDefaultWord(*mode)) return false;
      return std::all_of(a.entries.begin(), a.entries.end(), [](const NamedAttribute& f) {
        return f.name == "mode" || (f.value.real == 0 && f.value.integer == 0);
      });
    }
  }
  return false;
}

// A tensor of integers or predicates as a list of them; false: it is none.
bool MakeDims(Attribute* a) {
  constexpr int64_t kMost = 1 << 16;
  if (a->kind == Kind::kIntegers) return true;
  if (a->kind != Kind::kElements || !a->value) return false;
  const ElementType type = a->value->shape().element_type();
  const int64_t count = a->type->shape.element_count();
  if (count > kMost || (type != ElementType::S64 && type != ElementType::PRED)) return false;
  std::vector<int64_t> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t k = a->splat ? 0 : i;
    values[i] = type == ElementType::S64 ? a->value->data<int64_t>()[k] : a->value->data<bool>()[k];
  }
  const char* at = a->at;
  *a = IntegersOf(std::move(values));
  a->at = at;
  return true;
}

bool MakeSymbol(Attribute* a) {
  if (a->kind == Kind::kString) a->kind = Kind::kSymbol;
  return a->kind == Kind::kSymbol;
}

// Whether the attribute has what the form is made of.
bool Convert(Form form, Attribute* a) {
  switch (form) {
    case Form::kSame:
      return true;
    case Form::kDims:
      return MakeDims(a);
    case Form::kFlag:
      if (a->kind != Kind::kBool) return a->kind == Kind::kUnit;
      a->kind = Kind::kUnit;
      return true;
    case Form::kSymbol:
      return MakeSymbol(a);
    case Form::kSymbols:
      return a->kind == Kind::kArray && std::all_of(a->elements.begin(), a->elements.end(),
                                                    [](Attribute& e) { return MakeSymbol(&e); });
  }
  return false;
}

// Removes the attribute of the name and gives its value.
std::optional<Attribute> Take(std::string_view name, std::vector<NamedAttribute>* attributes) {
  auto found = std::find_if(attributes->begin(), attributes->end(),
                            [&](const NamedAttribute& a) { return a.name == name; });
  if (found == attributes->end()) return std::nullopt;
  Attribute value = std::move(found->value);
  attributes->erase(found);
  return value;
}

// Numbers stay, tensors become lists. An algorithm that is none has the type none for each field.
absl::Status JoinGroup(const BytecodeSource& source, const char* at, const Group& group,
                       std::vector<NamedAttribute>* attributes) {
  std::vector<NamedAttribute> fields;
  bool is_none = true;
  for (std::string_view name : group.fields) {
    if (name.empty()) break;
    std::optional<Attribute> value = Take(name, attributes);
    if (!value) continue;
    is_none &= value->kind == Kind::kType && value->type->text == "none";
    if (value->kind == Kind::kElements && !MakeDims(&*value))
      return source.Invalid(at, "{}: {} must be a list of integers", group.operation, name);
    fields.push_back({std::string(name), *std::move(value)});
  }
  if (is_none) return absl::OkStatus();
  Attribute whole = DialectOf(group.dialect_name, std::move(fields));
  whole.at = at;
  attributes->push_back({std::string(group.name), std::move(whole)});
  return absl::OkStatus();
}

// channel_id and channel_type are one attribute, which 0 alone does not need.
void JoinChannel(const char* at, std::vector<NamedAttribute>* attributes) {
  std::optional<Attribute> id = Take("channel_id", attributes);
  std::optional<Attribute> type = Take("channel_type", attributes);
  if (!id || (!type && id->integer == 0)) return;
  if (!type) type = IntegerOf(0);
  Attribute channel = DialectOf("stablehlo.channel_handle", {{"handle", *id}, {"type", *type}});
  channel.at = at;
  attributes->push_back({"channel_handle", std::move(channel)});
}

// Both are there or none is.
void DropEmptyLayouts(std::vector<NamedAttribute>* attributes) {
  constexpr std::string_view kLayouts[] = {"operand_layouts", "result_layouts"};
  for (std::string_view name : kLayouts) {
    const Attribute* layouts = FindAttribute(*attributes, name);
    if (layouts && !IsNone(*layouts, Default::kEmpty)) return;
  }
  for (std::string_view name : kLayouts) Take(name, attributes);
}

}  // namespace

absl::Status ConvertVhloAttributes(const BytecodeSource& source, const char* at,
                                   std::string_view operation,
                                   std::vector<NamedAttribute>* attributes) {
  for (const Group& group : kGroups) {
    if (group.operation == operation) RETURN_IF_ERROR(JoinGroup(source, at, group, attributes));
  }
  JoinChannel(at, attributes);
  DropEmptyLayouts(attributes);
  // The first version had it beside the operand that says it.
  if (operation == "stablehlo.dynamic_conv") Take("padding", attributes);
  std::vector<NamedAttribute> kept;
  for (NamedAttribute& a : *attributes) {
    auto* row =
        std::lower_bound(std::begin(kConversions), std::end(kConversions), a.name,
                         [](const Conversion& r, std::string_view n) { return r.name < n; });
    if (row != std::end(kConversions) && row->name == a.name) {
      if (IsNone(a.value, row->none)) continue;
      if (!Convert(row->form, &a.value))
        return source.Invalid(at, "{}: the attribute {} has another form", operation, a.name);
    }
    kept.push_back(std::move(a));
  }
  *attributes = std::move(kept);
  return absl::OkStatus();
}

}  // namespace sinter::stablehlo
