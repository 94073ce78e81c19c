#include "passes/buffers/library_calls.h"

#include <algorithm>
#include <cmath>

#include "base/status.h"
#include "ir/analysis/choice.h"
#include "ir/analysis/sort_key.h"
#include "ir/decomposition_call.h"
#include "program/cholesky_layout.h"
#include "program/fft_layout.h"
#include "program/matrix_layouts.h"

namespace sinter {
namespace {

// Of a type of floats that the library sorts; else 0.
int64_t InfinityBits(ElementType t) {
  switch (t) {
    case ElementType::F16:
      return 0x7c00;
    case ElementType::BF16:
      return 0x7f80;
    case ElementType::F32:
      return 0x7f800000;
    case ElementType::F64:
      return 0x7ff0000000000000;
    default:
      return 0;
  }
}

// What a fusion of one result computes.
const HloInstruction& ValueOf(const HloInstruction& i) {
  return i.op() == HloOpcode::Fusion ? *i.called(0)->root() : i;
}

LibraryCallOf Fft(const HloInstruction& i, int threads) {
  using program::FftLayout;
  const auto& attrs = i.attrs<FftAttrs>();
  const Shape& shape = i.operand(0)->shape();
  FftLayout layout;
  layout.threads = threads;
  switch (attrs.fft_type) {
    case FftType::kFft:
      layout.type = FftLayout::kForward;
      break;
    case FftType::kIfft:
      layout.type = FftLayout::kInverse;
      break;
    case FftType::kRfft:
      layout.type = FftLayout::kRealForward;
      break;
    case FftType::kIrfft:
      layout.type = FftLayout::kRealInverse;
      break;
  }
  const ElementType t = shape.element_type();
  layout.wide = t == ElementType::F64 || t == ElementType::C128;
  layout.parts = i.operands().size() == 2;
  layout.lengths.assign(attrs.fft_length.begin(), attrs.fft_length.end());
  const int64_t end = shape.rank() - attrs.trailing;
  for (int64_t d = 0; d + static_cast<int64_t>(layout.lengths.size()) < end; ++d)
    layout.batch *= shape.dimension(d);
  for (int64_t d = end; d < shape.rank(); ++d) layout.inner *= shape.dimension(d);
  const auto count = static_cast<double>(layout.Count());
  const double operations = 5 * count * std::log2(std::max(count, 2.0)) *
                            static_cast<double>(layout.batch * layout.inner) /
                            (layout.is_real() ? 2 : 1);
  return {"fft", layout.ToDims(), layout.ScratchBytes(), operations, layout.wide};
}

// The last two dimensions and how many such matrices there are.
struct Batch {
  int64_t count = 1, rows, columns;
  bool wide;
  explicit Batch(const Shape& shape)
      : rows(shape.dimension(shape.rank() - 2)),
        columns(shape.dimension(shape.rank() - 1)),
        wide(shape.element_type() == ElementType::F64) {
    for (int64_t d = 0; d + 2 < shape.rank(); ++d) count *= shape.dimension(d);
  }
};

template <class Layout>
LibraryCallOf CallOf(std::string_view name, const Layout& layout, double operations) {
  return {name, layout.ToDims(), layout.ScratchBytes(),
          operations * static_cast<double>(layout.batch), layout.wide};
}

LibraryCallOf Cholesky(const HloInstruction& i, int threads) {
  const Batch a(i.shape());
  program::CholeskyLayout layout;
  layout.threads = threads;
  layout.n = a.rows;
  layout.batch = a.count;
  layout.wide = a.wide;
  layout.lower = i.attrs<CholeskyAttrs>().lower;
  const auto n = static_cast<double>(layout.n);
  return CallOf("cholesky", layout, n * n * n / 3);
}

// Of the form that expansion leaves (passes/expand/linear_algebra.h).
LibraryCallOf TriangularSolve(const HloInstruction& i, int threads) {
  const auto& attrs = i.attrs<TriangularSolveAttrs>();
  const Batch a(i.operand(0)->shape()), b(i.shape());
  program::TriangularSolveLayout layout;
  layout.threads = threads;
  layout.batch = a.count;
  layout.wide = a.wide;
  layout.n = a.rows;
  layout.others = attrs.left_side ? b.columns : b.rows;
  layout.left = attrs.left_side;
  layout.lower = attrs.lower;
  layout.unit_diagonal = attrs.unit_diagonal;
  const auto n = static_cast<double>(layout.n);
  return CallOf("triangular-solve", layout, n * n * static_cast<double>(layout.others));
}

std::optional<LibraryCallOf> Decomposition(const HloInstruction& i, int threads) {
  const absl::StatusOr<std::optional<DecompositionCall>> call = ReadDecompositionCall(i);
  if (!call.ok() || !*call) return std::nullopt;
  const Batch a(i.operand(0)->shape());
  const auto rows = static_cast<double>(a.rows), columns = static_cast<double>(a.columns);
  const double least = std::min(rows, columns);
  if ((*call)->kind == DecompositionCall::Kind::kLu) {
    program::LuLayout layout;
    layout.threads = threads;
    layout.batch = a.count;
    layout.wide = a.wide;
    layout.m = a.rows;
    layout.n = a.columns;
    return CallOf("lu", layout, least * (rows * columns - least * least / 3));
  }
  if ((*call)->kind == DecompositionCall::Kind::kEigh) return std::nullopt;
  const bool product = (*call)->kind == DecompositionCall::Kind::kHouseholderProduct;
  program::ReflectionsLayout layout;
  layout.threads = threads;
  layout.batch = a.count;
  layout.wide = a.wide;
  layout.m = a.rows;
  layout.n = a.columns;
  layout.count = product ? i.operand(1)->shape().dimensions().back() : std::min(a.rows, a.columns);
  const auto count = static_cast<double>(layout.count);
  return CallOf(product ? "householder-product" : "qr", layout,
                2 * count * (rows * columns - count * (rows + columns) / 2 + count * count / 3));
}

}  // namespace

absl::StatusOr<program::SortLayout> SortLayoutOf(const HloInstruction& i, int threads) {
  const Shape& shape = i.operand(0)->shape();
  const int64_t dimension = i.attrs<SortAttrs>().dimensions[0];
  program::SortLayout layout;
  layout.threads = threads;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (d != dimension) layout.rows *= shape.dimension(d);
    if (d > dimension) layout.inner *= shape.dimension(d);
  }
  layout.extent = shape.dimension(dimension);
  if (layout.extent > UINT32_MAX)
    return Unimplemented("sort of {} elements has no code for the CPU", layout.extent);
  using Layout = program::SortLayout;
  for (const LibraryKey& key : LibraryKeysOf(i)) {
    const Layout::Order order = key.order == SortOrder::kUnsigned ? Layout::kUnsigned
                                : key.order == SortOrder::kSigned ? Layout::kSigned
                                : key.order == SortOrder::kFloat  ? Layout::kFloat
                                                                  : Layout::kMerged;
    layout.keys.push_back({static_cast<int64_t>(key.operand), order, key.descending,
                           InfinityBits(i.operand(key.operand)->shape().element_type())});
  }
  const std::vector<bool> read = ReadResults(i);
  for (size_t k = 0; k < read.size(); ++k) {
    const HloInstruction& o = *i.operand(k);
    Layout::Use use = Layout::kRead;
    if (!layout.HasComparator() && !read[k]) {
      use = Layout::kUnread;
    } else if (!layout.HasComparator() && layout.KeyOf(k) == nullptr &&
               HoldsPositions(ValueOf(o), dimension)) {
      use = Layout::kPositions;
    }
    layout.operands.push_back({ByteWidth(o.shape().element_type()), use});
  }
  RETURN_INTERNAL_IF(layout.inner > 1 && !layout.HasShortRows(), "{}: dimension {} of {}", i.name(),
                     dimension, shape.ToString());
  return layout;
}

absl::StatusOr<program::TopKLayout> TopKLayoutOf(const HloInstruction& i, int threads) {
  using program::TopKLayout;
  const Shape& shape = i.operand(0)->shape();
  const auto& attrs = i.attrs<TopKAttrs>();
  const ElementType t = shape.element_type();
  TopKLayout layout;
  layout.threads = threads;
  layout.extent = shape.dimension(shape.rank() - 1);
  RETURN_INTERNAL_IF(BitWidth(t) != 32 || layout.extent > INT32_MAX, "{} of {}", i.name(),
                     shape.ToString());
  for (int64_t d = 0; d + 1 < shape.rank(); ++d) layout.rows *= shape.dimension(d);
  layout.k = attrs.k;
  layout.order = attrs.merged    ? TopKLayout::kMerged
                 : IsFloat(t)    ? TopKLayout::kFloat
                 : IsUnsigned(t) ? TopKLayout::kUnsigned
                                 : TopKLayout::kSigned;
  layout.largest = attrs.largest;
  return layout;
}

std::optional<LibraryCallOf> ReadLibraryCall(const HloInstruction& i, int threads) {
  switch (i.op()) {
    case HloOpcode::Fft:
      return Fft(i, threads);
    case HloOpcode::Cholesky:
      return Cholesky(i, threads);
    case HloOpcode::TriangularSolve:
      return TriangularSolve(i, threads);
    case HloOpcode::CustomCall:
      return Decomposition(i, threads);
    default:
      return std::nullopt;
  }
}

}  // namespace sinter
