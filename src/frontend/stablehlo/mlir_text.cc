#include "frontend/stablehlo/mlir_text.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace sinter::stablehlo {
namespace {

struct ElementName {
  std::string_view name;
  ElementType type;
};
constexpr ElementName kElementNames[] = {
    {"bf16", ElementType::BF16},
    {"f16", ElementType::F16},
    {"f32", ElementType::F32},
    {"f4E2M1FN", ElementType::F4E2M1FN},
    {"f64", ElementType::F64},
    {"f6E2M3FN", ElementType::F6E2M3FN},
    {"f6E3M2FN", ElementType::F6E3M2FN},
    {"f8E3M4", ElementType::F8E3M4},
    {"f8E4M3", ElementType::F8E4M3},
    {"f8E4M3B11FNUZ", ElementType::F8E4M3B11FNUZ},
    {"f8E4M3FN", ElementType::F8E4M3FN},
    {"f8E4M3FNUZ", ElementType::F8E4M3FNUZ},
    {"f8E5M2", ElementType::F8E5M2},
    {"f8E5M2FNUZ", ElementType::F8E5M2FNUZ},
    {"f8E8M0FNU", ElementType::F8E8M0FNU},
    {"i1", ElementType::PRED},
    {"i16", ElementType::S16},
    {"i2", ElementType::S2},
    {"i32", ElementType::S32},
    {"i4", ElementType::S4},
    {"i64", ElementType::S64},
    {"i8", ElementType::S8},
    {"index", ElementType::S64},
    {"ui16", ElementType::U16},
    {"ui2", ElementType::U2},
    {"ui32", ElementType::U32},
    {"ui4", ElementType::U4},
    {"ui64", ElementType::U64},
    {"ui8", ElementType::U8},
};

constexpr char kHexDigits[] = "0123456789ABCDEF";

bool IsWord(std::string_view text) {
  auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (text.empty() || !letter(text[0])) return false;
  for (char c : text) {
    if (!letter(c) && !(c >= '0' && c <= '9') && c != '.' && c != '$') return false;
  }
  return true;
}

std::string_view NameOf(ElementType t) {
  for (const auto& row : kElementNames) {
    if (row.type == t) return row.name;
  }
  return "?";
}

// "1.0:3", a float with a point and the zero point where it is not zero.
std::string ScaleText(const Quantization& q, size_t i) {
  std::string scale = Format("{}", q.scales[i]);
  if (scale.find_first_of(".n") == scale.npos) {
    scale.insert(std::min(scale.find('e'), scale.size()), ".0");
  }
  if (q.zero_points[i]) scale += Format(":{}", q.zero_points[i]);
  return scale;
}

// "!quant.uniform<i8<-127:127>:f32:1, {0.1:3,0.2}>": the range where it is not the type's own, the
// dimension where scales run along one; "i8:f32:{0:2,1:4}, {{0.1,0.2},{0.3,0.4}}" where blocks have
// scales.
std::string QuantizedText(const Quantization& q) {
  std::string_view storage = NameOf(q.storage);
  std::string out = Format("!quant.uniform<{}{}", IsSigned(q.storage) ? "" : "u",
                           storage.substr(IsSigned(q.storage) ? 0 : 2));
  auto [low, high] = StorageRange(q.storage);
  if (q.storage_min != low || q.storage_max != high) {
    out += Format("<{}:{}>", q.storage_min, q.storage_max);
  }
  out += Format(":{}", NameOf(q.expressed));
  std::vector<int64_t> nesting = q.scale_dimensions;
  if (!q.block_dimensions.empty()) {
    std::vector<std::string> blocks;
    for (size_t i = 0; i < q.block_dimensions.size(); ++i) {
      blocks.push_back(Format("{}:{}", q.block_dimensions[i], q.block_sizes[i]));
    }
    out += Format(":{{{}}}", Join(blocks, ","));
  } else if (q.dimension >= 0) {
    out += Format(":{}", q.dimension);
    nesting = {static_cast<int64_t>(q.scales.size())};
  }
  out += ", ";
  for (size_t i = 0; i < q.scales.size(); ++i) {
    // Before each scale and behind it the brackets of the lists that begin or end there.
    auto index = static_cast<int64_t>(i);
    size_t opened = 0, closed = 0;
    int64_t run = 1;
    for (size_t d = nesting.size(); d-- > 0 && index % (run *= nesting[d]) == 0;) ++opened;
    run = 1;
    for (size_t d = nesting.size(); d-- > 0 && (index + 1) % (run *= nesting[d]) == 0;) ++closed;
    if (i) out += ',';
    out.append(opened, '{');
    out += ScaleText(q, i);
    out.append(closed, '}');
  }
  return out + ">";
}

}  // namespace

std::optional<ElementType> ElementTypeOf(std::string_view name) {
  if (name.substr(0, 2) == "si") name.remove_prefix(1);
  for (const auto& row : kElementNames) {
    if (row.name == name) return row.type;
  }
  return std::nullopt;
}

std::pair<int64_t, int64_t> StorageRange(ElementType t) {
  int bits = BitWidth(t);
  if (!IsSigned(t)) {
    return {0, static_cast<int64_t>(bits == 64 ? ~0ull >> 1 : (uint64_t{1} << bits) - 1)};
  }
  return {-1 - static_cast<int64_t>((uint64_t{1} << (bits - 1)) - 1),
          static_cast<int64_t>((uint64_t{1} << (bits - 1)) - 1)};
}

std::string ElementText(const Shape& s) {
  if (IsComplex(s.element_type())) {
    return Format("complex<{}>", NameOf(RealPart(s.element_type())));
  }
  if (const Quantization* q = s.quantization()) {
    return QuantizedText(*q);
  }
  return std::string(NameOf(s.element_type()));
}

std::string ToText(const Shape& s) {
  if (s.is_token()) return "!stablehlo.token";
  if (s.is_tuple()) {
    std::vector<std::string> parts;
    for (const auto& e : s.tuple_shapes()) parts.push_back(ToText(e));
    return Format("tuple<{}>", Join(parts, ", "));
  }
  std::string out = "tensor<", bounds;
  for (int64_t i = 0; i < s.rank(); ++i) {
    bool unbounded = s.dimension(i) == Shape::kUnbounded, dynamic = unbounded || s.is_dynamic(i);
    out += dynamic ? "?x" : Format("{}x", s.dimension(i));
    bounds += bounds.empty() ? "" : ", ";
    bounds += dynamic && !unbounded ? Format("{}", s.dimension(i)) : "?";
  }
  out += ElementText(s);
  if (bounds.find_first_not_of("?, ") != std::string::npos) {
    out += Format(", #stablehlo.bounds<{}>", bounds);
  }
  return out + ">";
}

std::string QuotedText(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c >= ' ' && c <= '~' && c != '"' && c != '\\') {
      out += c;
    } else {
      out += '\\';
      out += kHexDigits[static_cast<uint8_t>(c) >> 4];
      out += kHexDigits[static_cast<uint8_t>(c) & 15];
    }
  }
  return out + '"';
}

std::string SymbolText(std::string_view name) {
  return "@" + (IsWord(name) ? std::string(name) : QuotedText(name));
}

}  // namespace sinter::stablehlo
