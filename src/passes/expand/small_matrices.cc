#include "passes/expand/small_matrices.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/algorithm/container.h"
#include "base/status.h"
#include "custom_call/lapack.h"
#include "pass/expansion.h"
#include "passes/expand/linear_algebra.h"
#include "passes/expand/matrices.h"
#include "sinter/custom_call.h"

namespace sinter {
namespace {

using expand::Matrices;

// A call "lapack_?name_ffi" on matrices [..., columns, rows], which is how column-major ones are
// in memory.
class LapackCall {
 public:
  LapackCall(HloComputation& c, const HloInstruction& i, const TargetInfo& target)
      : g_(c, i), module_(*c.module()), i_(i), target_(target) {}

  // Null where it is no such call, or not of small matrices.
  absl::StatusOr<HloInstruction*> Expand() {
    const auto& attrs = i_.attrs<CustomCallAttrs>();
    const std::optional<LapackTarget> target = ParseLapackTarget(attrs.custom_call_target);
    if (!target) return nullptr;
    const std::string_view routine = target->routine();
    absl::StatusOr<CustomCallAttributes> attributes = CustomCallAttributes::Parse(attrs.opaque);
    if (!attributes.ok()) return nullptr;
    attributes_ = *std::move(attributes);
    HloInstruction* result = nullptr;
    if (routine == "getrf") result = Getrf();
    if (routine == "potrf") result = Potrf();
    if (routine == "trsm") result = Trsm();
    if (routine == "geqrf") result = Geqrf();
    if (routine == "orgqr" || routine == "ungqr") result = Orgqr();
    RETURN_IF_ERROR(g_.status());
    return result;
  }

 private:
  // Arrays of the routine's type with at least two dimensions.
  bool HasMatrices(size_t operands) const {
    if (i_.operands().size() != operands) return false;
    const ElementType type = i_.operand(0)->shape().element_type();
    if (BitWidth(type) < 32 || !(IsFloat(type) || IsComplex(type))) return false;
    return absl::c_all_of(i_.operands(), [&](const HloInstruction* o) {
      return o->shape().rank() >= 2 && o->shape().element_type() == type;
    });
  }
  bool HasResults(std::initializer_list<Shape> shapes) const {
    return i_.shape() == (shapes.size() == 1 ? *shapes.begin() : Shape::Tuple(shapes));
  }
  static Dims Batch(const HloInstruction* x) {
    const Dims& dims = x->shape().dimensions();
    return Dims(dims.begin(), dims.end() - 2);
  }
  static Dims With(Dims dims, std::initializer_list<int64_t> more) {
    dims.insert(dims.end(), more);
    return dims;
  }
  static int64_t FromEnd(const HloInstruction* x, int64_t k) {
    return x->shape().dimension(x->shape().rank() - k);
  }
  bool IsSmall(const HloInstruction* x, int64_t rows, int64_t columns) const {
    return expand::IsWrittenOut(std::max(rows, columns), x->shape());
  }
  // Whether it is better than a call of LAPACK.
  bool IsOwn(const HloInstruction* x, int64_t rows, int64_t columns) const {
    return IsSmall(x, rows, columns) || expand::IsLibraryMatrix(target_, x->shape());
  }
  // One of the characters, or 0.
  char Character(std::string_view name, std::string_view choices) const {
    const absl::StatusOr<uint8_t> value = attributes_.Get<uint8_t>(name);
    if (!value.ok()) return 0;
    const auto c = static_cast<char>(*value);
    return choices.find(c) == std::string_view::npos ? '\0' : c;
  }
  // From the order of memory and back.
  HloInstruction* Turned(HloInstruction* x) {
    Dims order;
    for (int64_t d = 0; d < x->shape().rank(); ++d) order.push_back(d);
    std::swap(order[order.size() - 1], order[order.size() - 2]);
    return g_.Transpose(x, order);
  }

  // The number, from 1, of the first true element of each row; 0 where there is none.
  HloInstruction* FirstOf(HloInstruction* fails) {
    const Dims& dims = fails->shape().dimensions();
    HloInstruction* none = g_.Integer(dims[1] + 1);
    HloInstruction* number =
        g_.Add(HloOpcode::Add, {g_.Iota(dims, 1), g_.Splat(g_.Integer(1), dims)});
    HloInstruction* first = g_.Add(
        HloOpcode::Reduce, {g_.Select(fails, number, g_.Splat(none, dims)), none},
        DimensionsAttrs{{1}}, {BinaryComputation(module_, HloOpcode::Minimum, ElementType::S32)});
    const Dims batch{dims[0]};
    return g_.Select(g_.Compare(first, g_.Splat(none, batch), ComparisonDirection::kEq),
                     g_.Zeros(ElementType::S32, batch), first);
  }
  // [batch, k] of [batch, m, n].
  HloInstruction* Diagonal(HloInstruction* x) {
    const Dims& dims = x->shape().dimensions();
    const int64_t k = std::min(dims[1], dims[2]);
    if (!expand::IsWrittenOut(k, x->shape())) {
      HloInstruction* rows = g_.Reshape(x, {dims[0], dims[1] * dims[2]});
      const int64_t step = dims[2] + 1;
      return g_.Add(HloOpcode::Slice, {rows},
                    SliceAttrs{{0, 0}, {dims[0], k == 0 ? 0 : (k - 1) * step + 1}, {1, step}});
    }
    // Without a reshape, as elements of small matrices become arrays of their own.
    x = g_.Block(x, 0, k, 0, k);
    const Dims square{dims[0], k, k};
    HloInstruction* is_diagonal =
        g_.Compare(g_.Iota(square, 1), g_.Iota(square, 2), ComparisonDirection::kEq);
    return g_.Sum(g_.Select(is_diagonal, x, g_.Zeros(x->shape().element_type(), square)), {2});
  }

  HloInstruction* Getrf() {
    if (!HasMatrices(1)) return nullptr;
    HloInstruction* x = i_.operand(0);
    const Dims batch = Batch(x);
    const ElementType type = x->shape().element_type();
    const int64_t rows = FromEnd(x, 1), columns = FromEnd(x, 2), least = std::min(rows, columns);
    const Shape pivots(ElementType::S32, With(batch, {least})), info(ElementType::S32, batch);
    if (!IsOwn(x, rows, columns) || !HasResults({x->shape(), pivots, info})) return nullptr;
    CustomCallAttrs lu;
    lu.custom_call_target = "LuDecomposition";
    const Shape results = Shape::Tuple({Shape(type, With(batch, {rows, columns})), pivots,
                                        Shape(ElementType::S32, With(batch, {rows}))});
    HloInstruction* call = g_.Add(HloOpcode::CustomCall, {Turned(x)}, lu, {}, &results);
    HloInstruction* factors = g_.Element(call, 0);
    HloInstruction* from_one =
        g_.Add(HloOpcode::Add, {g_.Element(call, 1), g_.Splat(g_.Integer(1), pivots.dimensions())});
    HloInstruction* diagonal = Diagonal(expand::OneBatch(g_, factors));
    HloInstruction* is_zero = g_.Compare(diagonal, g_.Zeros(type, diagonal->shape().dimensions()),
                                         ComparisonDirection::kEq);
    return g_.Add(HloOpcode::Tuple,
                  {Turned(factors), from_one, g_.Reshape(FirstOf(is_zero), batch)});
  }

  HloInstruction* Potrf() {
    const char triangle = Character("uplo", "LU");
    if (!HasMatrices(1) || triangle == 0) return nullptr;
    HloInstruction* x = i_.operand(0);
    const Dims batch = Batch(x);
    const int64_t n = FromEnd(x, 1);
    if (FromEnd(x, 2) != n || !HasResults({x->shape(), Shape(ElementType::S32, batch)}))
      return nullptr;
    const bool lower = triangle == 'L';
    if (!IsSmall(x, n, n)) {
      if (!expand::IsLibraryMatrix(target_, x->shape())) return nullptr;
      HloInstruction* a = Turned(x);
      HloInstruction* factor = g_.Add(HloOpcode::Cholesky, {a}, CholeskyAttrs{lower});
      // All pivots of a matrix that has no factor are NaN.
      HloInstruction* pivot = FirstElement(factor);
      HloInstruction* fails =
          g_.Add(HloOpcode::Not, {g_.Compare(pivot, g_.Zeros(pivot->shape().element_type(), batch),
                                             ComparisonDirection::kGt)});
      return g_.Add(HloOpcode::Tuple,
                    {Turned(WithTriangle(a, factor, lower)), g_.Convert(fails, ElementType::S32)});
    }
    HloInstruction* a = expand::OneBatch(g_, Turned(x));
    // The lower factor L is R^T of the transposed matrix.
    HloInstruction* factor = expand::UpperFactor(module_, g_, i_, lower ? g_.Transposed(a) : a);
    HloInstruction* fails = Fails(factor);
    factor = WithTriangle(a, lower ? g_.Transposed(factor) : factor, lower);
    return g_.Add(HloOpcode::Tuple, {g_.Reshape(g_.Transposed(factor), x->shape().dimensions()),
                                     g_.Reshape(FirstOf(fails), batch)});
  }
  // The upper left one of each matrix.
  HloInstruction* FirstElement(HloInstruction* x) {
    const Dims batch = Batch(x);
    SliceAttrs slice{Dims(batch.size() + 2, 0), With(batch, {1, 1}), Dims(batch.size() + 2, 1)};
    return g_.Reshape(g_.Add(HloOpcode::Slice, {x}, std::move(slice)), batch);
  }
  // Of factors [batch, n, n]: where no positive number is on the diagonal.
  HloInstruction* Fails(HloInstruction* factor) {
    HloInstruction* diagonal = g_.RealPart(Diagonal(factor));
    HloInstruction* zeros =
        g_.Zeros(diagonal->shape().element_type(), diagonal->shape().dimensions());
    return g_.Add(HloOpcode::Not, {g_.Compare(diagonal, zeros, ComparisonDirection::kGt)});
  }
  // The matrices with their factors in one triangle; the other one stays as it was.
  HloInstruction* WithTriangle(HloInstruction* a, HloInstruction* factor, bool lower) {
    const Dims& dims = a->shape().dimensions();
    const int64_t row = a->shape().rank() - 2;
    HloInstruction* is_factor =
        g_.Compare(g_.Iota(dims, row), g_.Iota(dims, row + 1),
                   lower ? ComparisonDirection::kGe : ComparisonDirection::kLe);
    return g_.Select(is_factor, factor, a);
  }

  HloInstruction* Trsm() {
    const char side = Character("side", "LR"), triangle = Character("uplo", "LU"),
               transpose = Character("trans_x", "NTC"), diagonal = Character("diag", "NU");
    if (side == 0 || triangle == 0 || transpose == 0 || diagonal == 0 || !HasMatrices(2))
      return nullptr;
    HloInstruction *x = i_.operand(0), *y = i_.operand(1);
    const int64_t n = FromEnd(x, 1), rows = FromEnd(y, 1), columns = FromEnd(y, 2);
    if (FromEnd(x, 2) != n || n != (side == 'L' ? rows : columns) || Batch(x) != Batch(y) ||
        !HasResults({y->shape()}))
      return nullptr;
    const bool is_small =
        expand::IsWrittenOut(n, x->shape()) && expand::IsWrittenOut(n, y->shape());
    if (!is_small && !expand::IsLibrarySolve(target_, x->shape(), y->shape())) return nullptr;
    TriangularSolveAttrs attrs;
    attrs.left_side = side == 'L';
    attrs.lower = triangle == 'L';
    attrs.unit_diagonal = diagonal == 'U';
    attrs.transpose_a = transpose == 'N'   ? MatrixTranspose::kNoTranspose
                        : transpose == 'T' ? MatrixTranspose::kTranspose
                                           : MatrixTranspose::kAdjoint;
    if (is_small) return Turned(g_.Add(HloOpcode::TriangularSolve, {Turned(x), Turned(y)}, attrs));
    // op(a) x = b is x^T op(a^T) = b^T, and these are the rows in memory.
    attrs.left_side = !attrs.left_side;
    attrs.lower = !attrs.lower;
    return g_.Add(HloOpcode::TriangularSolve, {x, y}, attrs);
  }

  HloInstruction* Geqrf() {
    if (!HasMatrices(1)) return nullptr;
    HloInstruction* x = i_.operand(0);
    const ElementType type = x->shape().element_type();
    const int64_t rows = FromEnd(x, 1), columns = FromEnd(x, 2);
    const Shape taus(type, With(Batch(x), {std::min(rows, columns)}));
    if (!IsOwn(x, rows, columns) || !HasResults({x->shape(), taus})) return nullptr;
    CustomCallAttrs qr;
    qr.custom_call_target = "Qr";
    const Shape results = Shape::Tuple({Shape(type, With(Batch(x), {rows, columns})), taus});
    HloInstruction* call = g_.Add(HloOpcode::CustomCall, {Turned(x)}, qr, {}, &results);
    return g_.Add(HloOpcode::Tuple, {Turned(g_.Element(call, 0)), g_.Element(call, 1)});
  }

  // The first columns, as many as there are in the operand.
  HloInstruction* Orgqr() {
    if (i_.operands().size() != 2) return nullptr;
    HloInstruction *x = i_.operand(0), *taus = i_.operand(1);
    const Shape &shape = x->shape(), &reflections = taus->shape();
    const ElementType type = shape.element_type();
    if (shape.rank() < 2 || reflections.rank() != shape.rank() - 1 ||
        reflections.element_type() != type || BitWidth(type) < 32)
      return nullptr;
    const int64_t rows = FromEnd(x, 1), columns = FromEnd(x, 2), count = FromEnd(taus, 1);
    Dims batch = reflections.dimensions();
    batch.pop_back();
    if (batch != Batch(x) || columns > rows || count > columns || !IsOwn(x, rows, columns) ||
        !HasResults({shape}))
      return nullptr;
    CustomCallAttrs product;
    product.custom_call_target = "ProductOfElementaryHouseholderReflectors";
    const Shape result(type, With(batch, {rows, columns}));
    return Turned(g_.Add(HloOpcode::CustomCall, {Turned(x), taus}, product, {}, &result));
  }

  Matrices g_;
  HloModule& module_;
  const HloInstruction& i_;
  const TargetInfo& target_;
  CustomCallAttributes attributes_;
};

}  // namespace

std::unique_ptr<Pass> MakeExpandSmallMatricesPass(const TargetInfo& target) {
  return MakeExpansionPass(
      "expand-small-matrices",
      [target](HloComputation& c, HloInstruction& i) -> absl::StatusOr<HloInstruction*> {
        if (i.op() != HloOpcode::CustomCall) return nullptr;
        return LapackCall(c, i, target).Expand();
      });
}

}  // namespace sinter
