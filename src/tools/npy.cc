#include "tools/npy.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "base/status.h"
#include "ir/ops/attributes.h"

namespace sinter::tools {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

// NumPy's letter for the kind of elements: b bool, i, u, f, c; V for those that it lacks.
char KindLetter(ElementType t) {
  switch (Kind(t)) {
    case ElementKind::kPredicate:
      return 'b';
    case ElementKind::kSigned:
      return 'i';
    case ElementKind::kUnsigned:
      return 'u';
    case ElementKind::kComplex:
      return 'c';
    default:
      break;
  }
  return t == ElementType::F16 || t == ElementType::F32 || t == ElementType::F64 ? 'f' : 'V';
}

struct Header {
  char order = '|', kind = 0;
  int64_t width = 0;
  bool fortran = false;
  Dims shape;
};

// The value behind 'key': in the dictionary's text.
std::string_view ValueOf(std::string_view dict, std::string_view key) {
  for (char quote : {'\'', '"'}) {
    std::string quoted = Format("{}{}{}", quote, key, quote);
    size_t at = dict.find(quoted);
    if (at == dict.npos) continue;
    dict.remove_prefix(at + quoted.size());
    size_t start = dict.find_first_not_of(" :");
    return start == dict.npos ? std::string_view() : dict.substr(start);
  }
  return {};
}

absl::StatusOr<Header> ParseHeader(std::string_view dict) {
  Header h;
  std::string_view descr = ValueOf(dict, "descr");
  // '<f4'; a list would be a record type.
  size_t close = descr.size() > 1 ? descr.find(descr[0], 1) : descr.npos;
  if (close == descr.npos || (descr[0] != '\'' && descr[0] != '"')) {
    return InvalidArgument("its element type is not a simple one");
  }
  descr = descr.substr(1, close - 1);
  if (!descr.empty() && std::string_view("<>|=").find(descr[0]) != std::string_view::npos) {
    h.order = descr[0];
    descr.remove_prefix(1);
  }
  if (descr.empty()) return InvalidArgument("its element type is not a simple one");
  h.kind = descr[0] == '?' ? 'b' : descr[0];
  h.width = 1;
  if (descr[0] != '?' &&
      std::from_chars(descr.data() + 1, descr.data() + descr.size(), h.width).ec != std::errc()) {
    return InvalidArgument("its element type '{}' has no width", descr);
  }
  h.fortran = ValueOf(dict, "fortran_order").substr(0, 4) == "True";
  std::string_view shape = ValueOf(dict, "shape");
  if (shape.empty() || shape[0] != '(') return InvalidArgument("its header states no shape");
  const char *p = shape.data() + 1, *end = shape.data() + shape.size();
  while (p != end && *p != ')') {
    if (*p == ' ' || *p == ',' || *p == 'L') {
      ++p;
      continue;
    }
    int64_t d;
    auto [stop, error] = std::from_chars(p, end, d);
    if (error != std::errc() || d < 0) return InvalidArgument("its header states no shape");
    h.shape.push_back(d);
    p = stop;
  }
  return h;
}

// The header; `*before` becomes how many bytes stand before the data.
absl::StatusOr<Header> HeaderOf(std::string_view bytes, size_t* before) {
  if (bytes.substr(0, kMagic.size()) != kMagic || bytes.size() < 10) {
    return InvalidArgument("it is no .npy file");
  }
  auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<unsigned char>(bytes[i])); };
  size_t version = byte(6), header_at = version == 1 ? 10 : 12;
  if (version < 1 || version > 3) return InvalidArgument(".npy version {} is not known", version);
  if (bytes.size() < header_at) return InvalidArgument("it ends within the header");
  size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (bytes.size() - header_at < length) return InvalidArgument("it ends within the header");
  *before = header_at + length;
  return ParseHeader(bytes.substr(header_at, length));
}

void SwapBytes(std::byte* data, int64_t bytes, int64_t width) {
  for (int64_t i = 0; i + width <= bytes; i += width) std::reverse(data + i, data + i + width);
}

// From column-major to row-major order.
void Transpose(const std::byte* from, std::byte* to, const Dims& dims, size_t width) {
  int64_t rank = static_cast<int64_t>(dims.size());
  Dims index(dims.size(), 0), strides(dims.size(), 1);
  int64_t count = 1;
  for (int64_t i = 0; i < rank; ++i) {
    strides[static_cast<size_t>(i)] = count;
    count *= dims[static_cast<size_t>(i)];
  }
  for (int64_t n = 0; n < count; ++n) {
    int64_t source = 0;
    for (size_t i = 0; i < dims.size(); ++i) source += index[i] * strides[i];
    std::memcpy(to, from + static_cast<size_t>(source) * width, width);
    to += width;
    for (size_t i = dims.size(); i-- > 0;) {
      if (++index[i] < dims[i]) break;
      index[i] = 0;
    }
  }
}

// The byte of an element narrower than that, as a Literal has it. ml_dtypes leaves other bits above
// it: its int4 of -2 is 0x0e.
std::byte Extended(std::byte raw, ElementType type) {
  const int unused = 8 - BitWidth(type);
  const unsigned high = std::to_integer<unsigned>(raw) << unused & 0xff;
  if (Kind(type) != ElementKind::kSigned) return static_cast<std::byte>(high >> unused);
  return static_cast<std::byte>(static_cast<int8_t>(high) >> unused);
}

}  // namespace

absl::StatusOr<std::vector<int64_t>> NpySizes(std::string_view bytes) {
  size_t before = 0;
  ASSIGN_OR_RETURN(Header h, HeaderOf(bytes, &before));
  return std::move(h.shape);
}

absl::StatusOr<Literal> ParseNpy(std::string_view bytes, const Shape& declared) {
  size_t before = 0;
  ASSIGN_OR_RETURN(Header h, HeaderOf(bytes, &before));
  std::string_view data = bytes.substr(before);

  ElementType type = declared.element_type();
  const Shape own(type, h.shape);
  const Shape& shape = !declared.is_static() && Shape::Fits(own, declared) ? own : declared;
  char kind = KindLetter(type);
  bool foreign = kind == 'V' && (h.kind == 'u' || h.kind == 'V');
  // NumPy reads a file of ml_dtypes as void; and bytes may stand for predicates.
  bool raw = h.kind == 'V' || (kind == 'b' && h.kind == 'u');
  if (h.width != ByteWidth(type) || (h.kind != kind && !foreign && !raw)) {
    return InvalidArgument("its elements are '{}{}', the parameter is {}", h.kind, h.width,
                           shape.ToString());
  }
  if (h.shape != shape.dimensions() || !shape.is_static()) {
    return InvalidArgument("its shape is ({}), the parameter is {}", Join(h.shape, ", "),
                           shape.ToString());
  }
  if (static_cast<int64_t>(data.size()) < shape.byte_size()) {
    return InvalidArgument("it holds {} bytes, {} has {}", data.size(), shape.ToString(),
                           shape.byte_size());
  }
  Literal literal(shape);
  auto* out = static_cast<std::byte*>(literal.untyped_data());
  auto* in = reinterpret_cast<const std::byte*>(data.data());
  size_t size = static_cast<size_t>(literal.byte_size());
  if (h.fortran && h.shape.size() > 1) {
    Transpose(in, out, h.shape, static_cast<size_t>(h.width));
  } else if (size) {
    std::memcpy(out, in, size);
  }
  if (h.order == '>') {
    SwapBytes(out, literal.byte_size(), IsComplex(type) ? h.width / 2 : h.width);
  }
  if (type == ElementType::PRED) {
    for (size_t i = 0; i < size; ++i) out[i] = std::byte{out[i] != std::byte{0}};
  } else if (BitWidth(type) < 8) {
    for (size_t i = 0; i < size; ++i) out[i] = Extended(out[i], type);
  }
  return literal;
}

std::string ToNpy(const Literal& literal) {
  const Shape& shape = literal.shape();
  int width = ByteWidth(shape.element_type());
  char kind = KindLetter(shape.element_type());
  std::string dims = Join(shape.dimensions(), ", ");
  if (shape.rank() == 1) dims += ",";
  std::string header = Format("{{'descr': '{}{}{}', 'fortran_order': False, 'shape': ({}), }}",
                              width > 1 ? '<' : '|', kind == 'V' ? 'u' : kind, width, dims);
  // Data begins at a multiple of 64.
  size_t total = (10 + header.size() + 1 + 63) / 64 * 64;
  header.resize(total - 11, ' ');
  header += '\n';
  std::string out(kMagic);
  out += '\x01';
  out += '\0';
  out += static_cast<char>(header.size() & 0xff);
  out += static_cast<char>(header.size() >> 8);
  out += header;
  out.append(static_cast<const char*>(literal.untyped_data()),
             static_cast<size_t>(literal.byte_size()));
  return out;
}

}  // namespace sinter::tools
