// Attributes of Shardy, of which graphs keep the text. Source: Shardy's bytecode.td, and for the
// text attrs.td and printers.cc.
#include <algorithm>
#include <optional>

#include "base/text.h"
#include "frontend/bytecode/attribute_text.h"
#include "frontend/bytecode/attribute_values.h"
#include "frontend/bytecode/dialects.h"
#include "frontend/stablehlo/mlir_text.h"

namespace sinter::stablehlo {
namespace {

enum class SdyAttribute : uint64_t {
  kManualAxes,
  kMeshAxis,
  kMesh,
  kSubAxis,
  kAxis,
  kDimension,
  kSharding,
  kShardings,
  kDimensionMapping,
  kTensorMapping,
  kRule,
  kAxes,
  kListOfAxes,
  kAllToAll,
  kAllToAlls,
  kShardingUnreduced,
  kShardingsUnreduced,
  kShardingReduced,
};
// By their numbers.
constexpr std::string_view kSdyAttributes[] = {"manual_axes",
                                               "mesh_axis",
                                               "mesh",
                                               "sub_axis_info",
                                               "axis_ref",
                                               "dimension_sharding",
                                               "sharding",
                                               "sharding_per_value",
                                               "dim_mapping",
                                               "tensor_mapping",
                                               "op_sharding_rule",
                                               "axis_ref_list",
                                               "list_of_axis_ref_lists",
                                               "all_to_all_param",
                                               "all_to_all_param_list",
                                               "sharding",
                                               "sharding_per_value",
                                               "sharding"};

constexpr std::string_view kSdy = "sdy.";

// The text of an attribute inside of another.
std::string Inner(const Attribute& a) {
  if (a.kind == Attribute::Kind::kSymbol) return SymbolText(a.text);
  if (a.kind == Attribute::Kind::kString) return QuotedText(a.text);
  if (a.kind != Attribute::Kind::kDialect || !a.text.starts_with(kSdy)) return "";
  return a.text == "sdy.mesh" ? Format("mesh{}", StrippedText(a)) : StrippedText(a);
}

std::string ReadJoined(EntryReader& reader, std::string_view separator = ", ") {
  std::vector<std::string> parts;
  for (const Attribute& a : reader.ReadAttributes()) parts.push_back(Inner(a));
  return Join(parts, separator);
}

// The letter of a factor: i, j, ..., z, z_1, z_2, ...
std::string Factor(int64_t factor) {
  constexpr int64_t kLast = 'z' - 'i';
  if (factor < 0 || factor > kLast) return Format("z_{}", factor - kLast);
  return std::string(1, static_cast<char>('i' + factor));
}

std::string ReadFactors(EntryReader& reader, std::string_view what) {
  std::vector<std::string> letters;
  for (int64_t f : reader.SignedVarInts()) letters.push_back(Factor(f));
  return letters.empty() ? "" : Format(" {}={{{}}}", what, Join(letters, ", "));
}

// <@mesh, [{"x"}, {?}], replicated={"y"}, unreduced={"z"}>
std::string ReadSharding(EntryReader& reader, SdyAttribute code) {
  using enum SdyAttribute;
  constexpr std::string_view kReductions[] = {"", "max", "min"};
  std::string text = Format("<{}, [", Inner(reader.ReadAttribute()));
  text += ReadJoined(reader) + "]";
  const std::string replicated = ReadJoined(reader);
  if (!replicated.empty()) text += Format(", replicated={{{}}}", replicated);
  if (code != kSharding) {
    const std::string unreduced = ReadJoined(reader);
    const int64_t reduction = code == kShardingReduced ? reader.SignedVarInt() : 0;
    if (reduction < 0 || reduction > 2) {
      reader.FailInvalid("a reduction of the number {}", reduction);
      return "";
    }
    if (!unreduced.empty())
      text += Format(", unreduced={}{{{}}}", kReductions[reduction], unreduced);
  }
  return text + ">";
}

// {"x", ?}p1
std::string ReadDimension(EntryReader& reader) {
  std::string axes = ReadJoined(reader);
  const bool closed = reader.Byte() != 0;
  bool has_priority = false;
  const uint64_t priority = reader.VarIntWithFlag(&has_priority);
  if (!closed) axes += axes.empty() ? "?" : ", ?";
  return has_priority ? Format("{{{}}}p{}", axes, priority) : Format("{{{}}}", axes);
}

// <([i, j])->([i]) {i=2, j=3} reduction={j}>
std::string ReadRule(EntryReader& reader) {
  std::vector<std::string> sizes;
  for (int64_t size : reader.SignedVarInts())
    sizes.push_back(Format("{}={}", Factor(static_cast<int64_t>(sizes.size())), size));
  std::string text = Format("<({})->", ReadJoined(reader));
  text += Format("({})", ReadJoined(reader));
  if (!sizes.empty()) text += Format(" {{{}}}", Join(sizes, ", "));
  for (std::string_view what :
       {"reduction", "need_replication", "permutation", "blocked_propagation"}) {
    text += ReadFactors(reader, what);
  }
  if (reader.Byte() != 0) text += ", custom";
  return text + ">";
}

// <["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>, and what it says.
std::string ReadMeshText(EntryReader& reader, std::vector<NamedAttribute>* fields) {
  std::vector<Attribute> axes = reader.ReadAttributes();
  std::vector<int64_t> devices = reader.SignedVarInts();
  std::vector<std::string> parts;
  for (const Attribute& a : axes) parts.push_back(Inner(a));
  std::string text = Format("<[{}]", Join(parts, ", "));
  if (!devices.empty()) text += Format(", device_ids=[{}]", Join(devices, ", "));
  fields->push_back({"axes", ArrayOf(std::move(axes))});
  fields->push_back({"device_ids", IntegersOf(std::move(devices))});
  return text + ">";
}

std::string ReadStripped(EntryReader& reader, SdyAttribute code,
                         std::vector<NamedAttribute>* fields) {
  using enum SdyAttribute;
  switch (code) {
    case kManualAxes:
    case kAxes:
      return Format("{{{}}}", ReadJoined(reader));
    case kMeshAxis: {
      const std::string_view name = reader.ReadString();
      const int64_t size = reader.SignedVarInt();
      fields->push_back({"name", StringOf(name)});
      fields->push_back({"size", IntegerOf(size)});
      return Format("{}={}", QuotedText(name), size);
    }
    case kMesh:
      return ReadMeshText(reader, fields);
    case kSubAxis: {
      const int64_t before = reader.SignedVarInt();
      return Format("({}){}", before, reader.SignedVarInt());
    }
    case kAxis: {
      const std::string name = QuotedText(reader.ReadString());
      const std::optional<Attribute> part = reader.ReadOptionalAttribute();
      return part ? Format("{}:{}", name, Inner(*part)) : name;
    }
    case kDimension:
      return ReadDimension(reader);
    case kShardings:
    case kShardingsUnreduced:
      return Format("<[{}]>", ReadJoined(reader));
    case kDimensionMapping: {
      std::string letters;
      for (int64_t f : reader.SignedVarInts()) letters += Factor(f);
      return letters;
    }
    case kTensorMapping:
    case kListOfAxes:
    case kAllToAlls:
      return Format("[{}]", ReadJoined(reader));
    case kRule:
      return ReadRule(reader);
    case kAllToAll: {
      const std::string axes = ReadJoined(reader);
      const int64_t from = reader.SignedVarInt();
      return Format("{{{}}}: {}->{}", axes, from, reader.SignedVarInt());
    }
    default:
      return ReadSharding(reader, code);
  }
}

}  // namespace

Attribute ReadSdyAttribute(EntryReader& reader) {
  const uint64_t code = reader.VarInt();
  if (code >= std::size(kSdyAttributes)) {
    reader.Fail(reader.source().Unsupported(reader.at(), "sdy attributes of the number {}", code));
    return {};
  }
  std::vector<NamedAttribute> fields;
  const std::string stripped = ReadStripped(reader, static_cast<SdyAttribute>(code), &fields);
  reader.Spend(static_cast<int64_t>(stripped.size()) / kPartOfText);
  const bool has_fields = !fields.empty();
  Attribute a = DialectOf(Format("{}{}", kSdy, kSdyAttributes[code]), std::move(fields));
  if (!has_fields)
    a.fields_status = reader.source().Invalid(reader.at(), "{} has no fields", a.text);
  a.kept = stripped.starts_with('<') ? Format("#{}{}", a.text, stripped)
                                     : Format("#sdy<{}{}>", kSdyAttributes[code], stripped);
  return a;
}

std::string StrippedText(const Attribute& a) {
  const std::string_view kept = a.kept;
  if (kept.starts_with("#sdy.")) return std::string(kept.substr(a.text.size() + 1));
  // #sdy<axis_ref"x">
  constexpr std::string_view kOpen = "#sdy<";
  const size_t name = a.text.size() - std::min(a.text.size(), kSdy.size());
  if (!kept.starts_with(kOpen) || kept.size() < kOpen.size() + name + 1) return a.kept;
  return std::string(kept.substr(kOpen.size() + name, kept.size() - kOpen.size() - name - 1));
}

}  // namespace sinter::stablehlo
