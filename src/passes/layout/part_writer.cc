#include "passes/layout/part_writer.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "eval/eval.h"
#include "ir/analysis/scalar_computation.h"
#include "pass/graph.h"
#include "pass/inline_elementwise.h"
#include "passes/layout/split_array.h"
#include "passes/layout/split_groups.h"

namespace sinter::layout {

// A part that is the same number throughout is a scalar.
class PartWriter::Writer : ShapedGraph {
 public:
  using Parts = std::vector<HloInstruction*>;

  explicit Writer(HloComputation& c) : c_(c) {}

  void Write(HloInstruction* x) {
    for (HloInstruction* o : x->operands()) Read(o);
    Begin(c_, *x);
    written_[x] = x->op() == HloOpcode::Constant ? Slices(x) : AllParts(x);
  }

  void Give(HloInstruction* x, Parts parts) {
    written_[x] = {*SplitArray::Of(*x), std::move(parts)};
  }

  Parts PartsOf(HloInstruction* x) {
    Read(x);
    Begin(c_, *x);
    auto [split, parts] = written_.at(x);
    for (HloInstruction*& p : parts) p = Long(p, split.part);
    return parts;
  }

  HloInstruction* Assembled(HloInstruction* x) {
    auto [split, parts] = written_.at(x);
    Begin(c_, *x);
    // Neighbouring short dimensions are one dimension until the end.
    Dims sizes;
    std::vector<size_t> runs;
    for (size_t d = 0; d < split.sizes.size(); ++d) {
      const bool is_short = split.IsShort(static_cast<int64_t>(d));
      if (!is_short || d == 0 || !split.IsShort(static_cast<int64_t>(d) - 1)) {
        if (is_short) runs.push_back(sizes.size());
        sizes.push_back(1);
      }
      sizes.back() *= split.sizes[d];
    }
    Dims one = sizes;
    for (size_t r : runs) one[r] = 1;
    for (HloInstruction*& p : parts) p = Reshape(Long(p, split.part), one);
    for (size_t r = runs.size(); r-- > 0;) {
      const auto n = static_cast<size_t>(sizes[runs[r]]);
      one[runs[r]] = sizes[runs[r]];
      Parts joined;
      for (size_t k = 0; k < parts.size(); k += n) {
        joined.push_back(n == 1 ? parts[k]
                                : Add(HloOpcode::Concatenate, one,
                                      absl::MakeConstSpan(parts).subspan(k, n),
                                      DimensionsAttrs{{static_cast<int64_t>(runs[r])}}));
      }
      parts = std::move(joined);
    }
    return Reshape(parts[0], split.sizes);
  }

 private:
  struct Written {
    SplitArray split;
    Parts parts;
  };

  HloInstruction* Add(HloOpcode op, const Dims& dims, absl::Span<HloInstruction* const> operands,
                      Attributes attrs = NoAttrs{}) {
    return AddOf(op, operands[0]->shape().element_type(), dims, operands, std::move(attrs));
  }
  HloInstruction* AddOf(HloOpcode op, ElementType type, const Dims& dims,
                        absl::Span<HloInstruction* const> operands, Attributes attrs = NoAttrs{}) {
    return Folded(ShapedGraph::Add(op, Shape(type, dims), operands, std::move(attrs)));
  }
  // One number that follows from constants as such.
  HloInstruction* Folded(HloInstruction* i) {
    if (i->shape().element_count() != 1) return i;
    std::vector<const Literal*> values;
    for (const HloInstruction* o : i->operands()) {
      if (o->op() != HloOpcode::Constant) return i;
      values.push_back(&o->literal());
    }
    absl::StatusOr<Literal> value = EvaluateInstruction(*i, values);
    return value.ok() ? c_.AddConstant(*std::move(value)) : i;
  }
  HloInstruction* Reshape(HloInstruction* x, const Dims& dims) {
    return x->shape().dimensions() == dims ? x : Add(HloOpcode::Reshape, dims, {x});
  }
  HloInstruction* Number(ElementType type, int64_t value) {
    return AddOf(HloOpcode::Convert, type, {}, {c_.AddConstant(Literal::R0(value))});
  }
  // A number repeated, if it is one.
  HloInstruction* Long(HloInstruction* x, const Dims& dims) {
    if (x->shape().dimensions() == dims) return x;
    HloInstruction*& repeated = repeated_[{x, dims}];
    if (repeated == nullptr) repeated = Add(HloOpcode::Broadcast, dims, {x}, DimensionsAttrs{});
    return repeated;
  }
  // A part whose dimension k becomes dimension `to[k]` of a part of sizes `dims`.
  HloInstruction* Spread(HloInstruction* x, Dims to, const Dims& dims) {
    if (x->shape().rank() == 0) return x;
    if (!absl::c_is_sorted(to)) {
      Dims order(to.size()), sizes;
      for (size_t k = 0; k < order.size(); ++k) order[k] = static_cast<int64_t>(k);
      absl::c_sort(order, [&](int64_t a, int64_t b) {
        return to[static_cast<size_t>(a)] < to[static_cast<size_t>(b)];
      });
      for (int64_t k : order) sizes.push_back(x->shape().dimension(k));
      x = Add(HloOpcode::Transpose, sizes, {x}, DimensionsAttrs{order});
      absl::c_sort(to);
    }
    if (x->shape().dimensions() == dims) return x;
    return Add(HloOpcode::Broadcast, dims, {x}, DimensionsAttrs{to});
  }

  // A part may be a constant array too.
  static bool IsKnownNumber(const HloInstruction* x) {
    return x->op() == HloOpcode::Constant && x->shape().rank() == 0;
  }

  HloInstruction* Elementwise(HloOpcode op, ElementType type,
                              absl::Span<HloInstruction* const> operands, const Attributes& attrs,
                              const Dims& part) {
    if (op == HloOpcode::Select && IsKnownNumber(operands[0]))
      return operands[operands[0]->literal().GetAsDouble(0) != 0 ? 1 : 2];
    const bool is_number =
        absl::c_all_of(operands, [](const HloInstruction* o) { return o->shape().rank() == 0; });
    if (is_number) return AddOf(op, type, {}, operands, attrs);
    Parts all(operands.begin(), operands.end());
    for (HloInstruction*& o : all) o = Long(o, part);
    return AddOf(op, type, part, all, attrs);
  }
  HloInstruction* Combined(const HloComputation& reducer, HloInstruction* x, HloInstruction* y,
                           const Dims& part) {
    return InlineElementwise(c_, reducer, {Long(x, part), Long(y, part)}, part);
  }

  // The parts of what is not written here.
  void Read(HloInstruction* x) {
    if (written_.contains(x)) return;
    Begin(c_, *x);
    written_[x] = IsFree(*x) && CanSplit(*x) ? PartsOfFree(x) : Slices(x);
  }
  Written Slices(HloInstruction* x) {
    SplitArray split = *SplitArray::Of(*x);
    Parts parts;
    for (int64_t k = 0; k < split.parts; ++k) {
      SliceAttrs slice{split.IndexOf(k), split.sizes, Dims(split.sizes.size(), 1)};
      Dims sizes = split.sizes;
      for (int64_t d : split.short_dims) {
        slice.limits[static_cast<size_t>(d)] = slice.starts[static_cast<size_t>(d)] + 1;
        sizes[static_cast<size_t>(d)] = 1;
      }
      HloInstruction* part = sizes == split.sizes ? x : Add(HloOpcode::Slice, sizes, {x}, slice);
      parts.push_back(Reshape(part, split.part));
    }
    return {std::move(split), std::move(parts)};
  }

  Written PartsOfFree(HloInstruction* x) {
    // The number that a broadcast repeats.
    for (HloInstruction* o : x->operands())
      written_.try_emplace(o, Written{*SplitArray::Of(*o), {o}});
    return AllParts(x);
  }
  Written AllParts(HloInstruction* x) {
    SplitArray split = *SplitArray::Of(*x);
    std::optional<RowIndices> rows;
    if (x->op() == HloOpcode::Gather || x->op() == HloOpcode::Scatter)
      rows = layout::RowIndicesOf(*x);
    Parts parts;
    for (int64_t k = 0; k < split.parts; ++k) {
      const Dims index = split.IndexOf(k);
      parts.push_back(!rows                          ? Part(x, split, index)
                      : x->op() == HloOpcode::Gather ? GatheredPart(x, *rows, split, index)
                                                     : ScatteredPart(x, *rows, split, index));
    }
    return {std::move(split), std::move(parts)};
  }

  const SplitArray& SplitOf(const HloInstruction* x, size_t o) const {
    return written_.at(x->operand(o)).split;
  }
  HloInstruction* NumberAt(const HloInstruction* x, size_t o) const {
    return written_.at(x->operand(o)).parts[0];
  }
  // The part of operand `o` at an index.
  HloInstruction* At(const HloInstruction* x, size_t o, const Dims& index) const {
    const Written& w = written_.at(x->operand(o));
    return w.parts[static_cast<size_t>(w.split.PartAt(index))];
  }
  // The same as a part of the result, whose dimension `where[d]` is the operand's dimension d.
  HloInstruction* Aligned(const HloInstruction* x, size_t o, const Dims& index, const Dims& where,
                          const SplitArray& result) {
    Dims to;
    for (int64_t d : SplitOf(x, o).long_dims)
      to.push_back(result.PartDimension(where[static_cast<size_t>(d)]));
    return Spread(At(x, o, index), std::move(to), result.part);
  }
  // An index whose entry d is entry `where[d]` of `index`, 0 where that is -1.
  static Dims Picked(const Dims& index, const Dims& where) {
    Dims at(where.size(), 0);
    for (size_t d = 0; d < at.size(); ++d)
      if (where[d] >= 0) at[d] = index[static_cast<size_t>(where[d])];
    return at;
  }

  HloInstruction* Part(HloInstruction* x, const SplitArray& split, const Dims& index) {
    const ElementType type = x->shape().element_type();
    const size_t rank = index.size();
    switch (x->op()) {
      case HloOpcode::Iota: {
        const int64_t d = x->attrs<IotaAttrs>().iota_dimension;
        if (split.IsShort(d)) return Number(type, index[static_cast<size_t>(d)]);
        return AddOf(HloOpcode::Iota, type, split.part, {}, IotaAttrs{split.PartDimension(d)});
      }
      case HloOpcode::Broadcast:
      case HloOpcode::Transpose:
        return MovedPart(x, split, index);
      case HloOpcode::Reshape: {
        // With the same long dimensions, and as many elements between them.
        int64_t number = 0;
        for (size_t d = 0; d < rank; ++d) number = number * split.sizes[d] + index[d];
        Dims from = x->operand(0)->shape().dimensions();
        for (size_t d = from.size(); d-- > 0;) {
          const int64_t n = from[d];
          from[d] = number % n;
          number /= n;
        }
        return At(x, 0, from);
      }
      case HloOpcode::Reverse: {
        Dims from = index;
        for (int64_t d : x->dimensions()) {
          const auto at = static_cast<size_t>(d);
          from[at] = split.sizes[at] - 1 - from[at];
        }
        return At(x, 0, from);
      }
      case HloOpcode::Slice: {
        const auto& a = x->attrs<SliceAttrs>();
        Dims from = index;
        for (size_t d = 0; d < rank; ++d) from[d] = a.starts[d] + index[d] * a.strides[d];
        return At(x, 0, from);
      }
      case HloOpcode::Pad: {
        const auto& a = x->attrs<PadAttrs>();
        Dims from = index;
        for (size_t d = 0; d < rank; ++d) {
          from[d] -= a.low[d];
          const int64_t step = a.interior[d] + 1;
          if (from[d] < 0 || from[d] % step != 0 ||
              from[d] / step >= x->operand(0)->shape().dimensions()[d])
            return x->operand(1);
          from[d] /= step;
        }
        return At(x, 0, from);
      }
      case HloOpcode::Concatenate: {
        const auto d = static_cast<size_t>(x->dimensions()[0]);
        Dims from = index;
        size_t o = 0;
        for (; from[d] >= x->operand(o)->shape().dimensions()[d]; ++o)
          from[d] -= x->operand(o)->shape().dimensions()[d];
        return At(x, o, from);
      }
      case HloOpcode::DynamicUpdateSlice: {
        const Dims& update = x->operand(1)->shape().dimensions();
        Dims from = index;
        for (size_t d = 0; d < rank; ++d) {
          const auto last = static_cast<double>(split.sizes[d] - update[d]);
          const double start = x->operand(d + 2)->literal().GetAsDouble(0);
          from[d] -= static_cast<int64_t>(std::clamp(start, 0.0, last));
          if (from[d] < 0 || from[d] >= update[d]) return At(x, 0, index);
        }
        return At(x, 1, from);
      }
      case HloOpcode::Reduce:
        return ReducedPart(x, split, index);
      case HloOpcode::Dot:
        return ProductPart(x, split, index);
      default: {
        Parts operands;
        for (size_t o = 0; o < x->operands().size(); ++o) {
          const bool is_number = x->operand(o)->shape().rank() == 0;
          operands.push_back(is_number ? NumberAt(x, o) : At(x, o, index));
        }
        return Elementwise(x->op(), type, operands, x->attributes(), split.part);
      }
    }
  }

  // Of a broadcast or a transpose.
  HloInstruction* MovedPart(HloInstruction* x, const SplitArray& split, const Dims& index) {
    const Dims& sizes = SplitOf(x, 0).sizes;
    Dims where = x->dimensions();  // of the operand's dimensions
    if (x->op() == HloOpcode::Transpose)
      for (size_t d = 0; d < where.size(); ++d)
        where[static_cast<size_t>(x->dimensions()[d])] = static_cast<int64_t>(d);
    for (size_t d = 0; d < where.size(); ++d)
      if (sizes[d] == 1) where[d] = -1;
    return Aligned(x, 0, Picked(index, where), where, split);
  }

  static bool IsZero(const HloInstruction* x) {
    return IsKnownNumber(x) && !IsComplex(x->shape().element_type()) &&
           x->literal().GetAsDouble(0) == 0;
  }
  static bool IsAddition(const HloComputation& c) {
    const HloInstruction* r = c.root();
    return r->op() == HloOpcode::Add && r->operand(0) != r->operand(1) &&
           absl::c_all_of(r->operands(),
                          [](const HloInstruction* o) { return o->op() == HloOpcode::Parameter; });
  }

  HloInstruction* ReducedPart(HloInstruction* x, const SplitArray& split, const Dims& index) {
    const SplitArray& from = SplitOf(x, 0);
    HloInstruction* sum = NumberAt(x, 1);
    // A sum that begins with +0 never is -0, so that zeros of either sign add nothing.
    const bool adds_to_zero =
        IsZero(sum) && !std::signbit(sum->literal().GetAsDouble(0)) && IsAddition(*x->called(0));
    for (int64_t k = 0; k < from.parts; ++k) {
      const Dims at = from.IndexOf(k);
      Dims rest;
      for (size_t d = 0; d < at.size(); ++d)
        if (!absl::c_linear_search(x->dimensions(), static_cast<int64_t>(d))) rest.push_back(at[d]);
      if (rest != index) continue;
      HloInstruction* term = At(x, 0, at);
      if (adds_to_zero && IsZero(term)) continue;
      const bool is_number = term->shape().rank() == 0 && sum->shape().rank() == 0;
      sum = Combined(*x->called(0), sum, term, is_number ? Dims() : split.part);
    }
    return sum;
  }

  HloInstruction* ProductPart(HloInstruction* x, const SplitArray& split, const Dims& index) {
    const auto& a = x->attrs<DotAttrs>();
    const SplitArray &lhs = SplitOf(x, 0), &rhs = SplitOf(x, 1);
    // Where each dimension of the operands is in the result: batch, rows, columns.
    Dims lhs_to(lhs.sizes.size(), -1), rhs_to(rhs.sizes.size(), -1);
    int64_t next = 0;
    for (size_t k = 0; k < a.lhs_batch_dims.size(); ++k) {
      lhs_to[static_cast<size_t>(a.lhs_batch_dims[k])] = next;
      rhs_to[static_cast<size_t>(a.rhs_batch_dims[k])] = next++;
    }
    auto rest = [&](Dims& to, const Dims& contracted) {
      for (size_t d = 0; d < to.size(); ++d)
        if (to[d] < 0 && !absl::c_linear_search(contracted, static_cast<int64_t>(d)))
          to[d] = next++;
    };
    rest(lhs_to, a.lhs_contracting_dims);
    rest(rhs_to, a.rhs_contracting_dims);
    Dims i = Picked(index, lhs_to), j = Picked(index, rhs_to);
    const ElementType type = x->shape().element_type();
    HloInstruction* sum = Number(type, 0);  // so that no sum is -0
    for (;;) {
      HloInstruction* const factors[] = {Aligned(x, 0, i, lhs_to, split),
                                         Aligned(x, 1, j, rhs_to, split)};
      HloInstruction* term = Elementwise(HloOpcode::Multiply, type, factors, NoAttrs{}, split.part);
      sum = Elementwise(HloOpcode::Add, type, {sum, term}, NoAttrs{}, split.part);
      size_t k = a.lhs_contracting_dims.size();
      for (; k > 0; --k) {
        const auto l = static_cast<size_t>(a.lhs_contracting_dims[k - 1]),
                   r = static_cast<size_t>(a.rhs_contracting_dims[k - 1]);
        j[r] = ++i[l];
        if (i[l] < lhs.sizes[l]) break;
        i[l] = j[r] = 0;
      }
      if (k == 0) return sum;
    }
  }

  HloInstruction* IndexIs(ComparisonDirection direction, HloInstruction* index, int64_t value,
                          const Dims& part) {
    HloInstruction* number = Number(index->shape().element_type(), value);
    return Elementwise(HloOpcode::Compare, ElementType::PRED, {index, number},
                       CompareAttrs{direction, ComparisonType::kDefault}, part);
  }
  HloInstruction* Chosen(HloInstruction* p, HloInstruction* x, HloInstruction* y,
                         const Dims& part) {
    return Elementwise(HloOpcode::Select, x->shape().element_type(), {p, x, y}, NoAttrs{}, part);
  }

  // The row's element at the index, which is clamped.
  HloInstruction* GatheredPart(HloInstruction* x, const RowIndices& rows, const SplitArray& split,
                               const Dims& index) {
    HloInstruction* chosen = Aligned(x, 1, Picked(index, rows.indices), rows.indices, split);
    Dims at = Picked(index, rows.array);
    const auto axis = static_cast<size_t>(rows.axis);
    at[axis] = SplitOf(x, 0).sizes[axis] - 1;
    HloInstruction* element = Aligned(x, 0, at, rows.array, split);
    while (at[axis]-- > 0) {
      HloInstruction* is_here = IndexIs(ComparisonDirection::kLe, chosen, at[axis], split.part);
      element = Chosen(is_here, Aligned(x, 0, at, rows.array, split), element, split.part);
    }
    return element;
  }

  // The element after the updates whose index is its own, one after another.
  HloInstruction* ScatteredPart(HloInstruction* x, const RowIndices& rows, const SplitArray& split,
                                const Dims& index) {
    const SplitArray& updates = SplitOf(x, 2);
    // Where each dimension of the updates and of the indices is in the array.
    Dims to(updates.sizes.size(), -1), indices_to(rows.indices.size(), -1);
    for (size_t d = 0; d < rows.array.size(); ++d)
      if (rows.array[d] >= 0) to[static_cast<size_t>(rows.array[d])] = static_cast<int64_t>(d);
    for (size_t d = 0; d < indices_to.size(); ++d)
      if (rows.indices[d] >= 0) indices_to[d] = to[static_cast<size_t>(rows.indices[d])];
    HloInstruction* element = At(x, 0, index);
    for (int64_t k = 0; k < updates.parts; ++k) {
      const Dims at = updates.IndexOf(k);
      bool is_here = true;
      for (size_t d = 0; d < at.size(); ++d) {
        if (to[d] >= 0 && to[d] != rows.axis) is_here &= at[d] == index[static_cast<size_t>(to[d])];
      }
      if (!is_here) continue;
      HloInstruction* place = Aligned(x, 1, Picked(at, rows.indices), indices_to, split);
      HloInstruction* own = IndexIs(ComparisonDirection::kEq, place,
                                    index[static_cast<size_t>(rows.axis)], split.part);
      HloInstruction* update = Aligned(x, 2, at, to, split);
      element =
          Chosen(own, Combined(*x->called(0), element, update, split.part), element, split.part);
    }
    return element;
  }

  HloComputation& c_;
  absl::flat_hash_map<const HloInstruction*, Written> written_;
  absl::flat_hash_map<std::pair<HloInstruction*, Dims>, HloInstruction*> repeated_;
};

PartWriter::PartWriter(HloComputation& c) : writer_(std::make_unique<Writer>(c)) {}
PartWriter::~PartWriter() = default;
void PartWriter::Write(HloInstruction* x) { writer_->Write(x); }
void PartWriter::Give(HloInstruction* x, std::vector<HloInstruction*> parts) {
  writer_->Give(x, std::move(parts));
}
std::vector<HloInstruction*> PartWriter::PartsOf(HloInstruction* x) { return writer_->PartsOf(x); }
HloInstruction* PartWriter::Assembled(HloInstruction* x) { return writer_->Assembled(x); }

}  // namespace sinter::layout
