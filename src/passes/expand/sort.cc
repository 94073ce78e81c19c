#include "passes/expand/sort.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "ir/analysis/scalar_computation.h"
#include "ir/analysis/sort_key.h"
#include "pass/expansion.h"
#include "pass/graph.h"
#include "program/sort_layout.h"

namespace sinter {
namespace {

bool HasWholeBytes(ElementType t) { return IsPredicate(t) || BitWidth(t) >= 8; }

// Operations on arrays of the same dimensions.
class Arrays {
 public:
  Arrays(HloComputation& c, Dims dims, Metadata metadata)
      : c_(c), dims_(std::move(dims)), metadata_(std::move(metadata)) {}

  HloInstruction* Add(HloOpcode op, ElementType t, std::vector<HloInstruction*> operands,
                      Attributes attrs = NoAttrs{}) {
    HloInstruction* i = c_.AddWithShape(op, Shape(t, dims_), operands, std::move(attrs));
    i->set_metadata(metadata_);
    return i;
  }
  HloInstruction* Splat(const Literal& scalar) {
    return Add(HloOpcode::Broadcast, scalar.shape().element_type(), {c_.AddConstant(scalar)},
               DimensionsAttrs{});
  }
  HloInstruction* Ones(ElementType t) {
    Literal ones{Shape(t)};
    std::fill_n(static_cast<uint8_t*>(ones.untyped_data()), ByteWidth(t), uint8_t{0xff});
    return Splat(ones);
  }
  HloInstruction* SignBit(ElementType t) {
    Literal bit{Shape(t)};
    static_cast<uint8_t*>(bit.untyped_data())[ByteWidth(t) - 1] = 0x80;  // little-endian
    return Splat(bit);
  }
  HloInstruction* Zero(ElementType t) { return Splat(Literal{Shape(t)}); }
  HloInstruction* Compare(ComparisonDirection d, HloInstruction* a, HloInstruction* b) {
    return Add(HloOpcode::Compare, ElementType::PRED, {a, b}, CompareAttrs{d});
  }
  HloInstruction* Select(HloInstruction* p, HloInstruction* a, HloInstruction* b) {
    return Add(HloOpcode::Select, a->shape().element_type(), {p, a, b});
  }

  // The key's value, inside the comparator, on an array for the parameter that it has.
  HloInstruction* Mapped(const SortKey& key, HloInstruction* array) {
    const HloInstruction* value = key.value;
    absl::flat_hash_map<const HloInstruction*, HloInstruction*> copy;
    for (const HloInstruction* i : value->parent()->PostOrder()) {
      if (i->op() == HloOpcode::Parameter) {
        if (static_cast<size_t>(i->attrs<ParameterAttrs>().number) / 2 == key.operand)
          copy[i] = array;
      } else if (i->op() == HloOpcode::Constant) {
        copy[i] = Splat(i->literal());
      } else if (!IsElementwise(i->op()) &&
                 !IsElementwiseBitcast(*i)) {  // a reshape or broadcast between scalars
        if (copy.contains(i->operand(0))) copy[i] = copy[i->operand(0)];
      } else {
        std::vector<HloInstruction*> operands;
        for (const HloInstruction* o : i->operands()) {
          if (copy.contains(o)) operands.push_back(copy[o]);
        }
        if (operands.size() == i->operands().size())
          copy[i] = Add(i->op(), i->shape().element_type(), operands, i->attributes());
      }
      if (i == value) break;
    }
    return copy[value];
  }

  // Unsigned integers in the order of the values.
  HloInstruction* KeyOf(HloInstruction* x, bool total_order) {
    const ElementType t = x->shape().element_type(), u = UnsignedOf(t);
    if (IsPredicate(t)) return Add(HloOpcode::Convert, u, {x});
    if (IsUnsigned(t)) return x;
    if (!IsFloat(t)) return Add(HloOpcode::Xor, u, {Bits(x, u), SignBit(u)});
    if (!total_order) {
      HloInstruction* is_nan = Compare(ComparisonDirection::kNe, x, x);
      HloInstruction* is_zero = Compare(ComparisonDirection::kEq, x, Zero(t));
      return Select(is_nan, Ones(u), KeyOf(Select(is_zero, Zero(t), x), true));
    }
    // Negative numbers are the further below the smaller they are.
    HloInstruction *bits = Bits(x, u), *sign = SignBit(u);
    HloInstruction* negative = Compare(ComparisonDirection::kGe, bits, sign);
    return Select(negative, Add(HloOpcode::Not, u, {bits}), Add(HloOpcode::Xor, u, {bits, sign}));
  }
  // The inverse; `t` is the type of the values. Total order only.
  HloInstruction* ValueOf(HloInstruction* key, ElementType t) {
    const ElementType u = UnsignedOf(t);
    if (IsPredicate(t)) return Add(HloOpcode::Convert, t, {key});
    if (IsUnsigned(t)) return key;
    HloInstruction* sign = SignBit(u);
    HloInstruction* flipped = Add(HloOpcode::Xor, u, {key, sign});
    if (!IsFloat(t)) return Bits(flipped, t);
    HloInstruction* negative = Compare(ComparisonDirection::kLt, key, sign);
    return Bits(Select(negative, Add(HloOpcode::Not, u, {key}), flipped), t);
  }
  HloInstruction* Not(HloInstruction* x) {
    return Add(HloOpcode::Not, x->shape().element_type(), {x});
  }

 private:
  HloInstruction* Bits(HloInstruction* x, ElementType t) {
    return Add(HloOpcode::BitcastConvert, t, {x});
  }

  HloComputation& c_;
  const Dims dims_;
  const Metadata metadata_;
};

// a < b (or a > b) on operand `operand` of operands of these types.
HloComputation* Comparator(HloModule& module, const std::vector<HloInstruction*>& operands,
                           size_t operand, CompareAttrs attrs) {
  HloComputation* c = module.AddComputation("comparator");
  for (size_t i = 0; i < 2 * operands.size(); ++i) {
    c->AddParameter(static_cast<int64_t>(i), Shape(operands[i / 2]->shape().element_type()));
  }
  c->set_root(c->AddWithShape(HloOpcode::Compare, Shape(ElementType::PRED),
                              {c->parameter(2 * operand), c->parameter(2 * operand + 1)}, attrs));
  return c;
}

HloInstruction* AddSort(HloComputation& c, const std::vector<HloInstruction*>& operands,
                        SortAttrs attrs, HloComputation* comparator) {
  std::vector<Shape> shapes;
  for (const HloInstruction* o : operands) shapes.push_back(o->shape());
  Shape shape = shapes.size() == 1 ? shapes[0] : Shape::Tuple(shapes);
  return c.AddWithShape(HloOpcode::Sort, shape, operands, std::move(attrs), {comparator});
}
HloInstruction* Element(HloComputation& c, HloInstruction* tuple, size_t k) {
  return c.AddWithShape(HloOpcode::GetTupleElement, tuple->shape().tuple_shapes()[k], {tuple},
                        TupleElementAttrs{static_cast<int64_t>(k)});
}

// Keys of 32 bits in the order of x, whose elements are narrower.
HloInstruction* TopOfKeys(HloComputation& c, const HloInstruction& topk) {
  HloInstruction* x = topk.operand(0);
  const ElementType t = x->shape().element_type(), wide = ElementType::U32;
  const Shape& shape = topk.shape();
  Arrays arrays(c, x->shape().dimensions(), topk.metadata());
  HloInstruction* key = arrays.Add(HloOpcode::Convert, wide, {arrays.KeyOf(x, true)});
  Shape of_keys =
      Shape::Tuple({Shape(wide, shape.tuple_shapes()[0].dimensions()), shape.tuple_shapes()[1]});
  HloInstruction* best = c.AddWithShape(HloOpcode::TopK, of_keys, {key}, topk.attributes());
  best->set_metadata(topk.metadata());
  Arrays results(c, shape.tuple_shapes()[0].dimensions(), topk.metadata());
  HloInstruction* values = results.Add(HloOpcode::Convert, UnsignedOf(t), {Element(c, best, 0)});
  return c.AddWithShape(HloOpcode::Tuple, shape, {results.ValueOf(values, t), Element(c, best, 1)});
}

HloInstruction* SortForTopK(HloComputation& c, const HloInstruction& topk) {
  HloInstruction* x = topk.operand(0);
  const auto& attrs = topk.attrs<TopKAttrs>();
  const Dims& dims = x->shape().dimensions();
  const int64_t last = x->shape().rank() - 1;
  HloInstruction* positions =
      c.AddWithShape(HloOpcode::Iota, Shape(ElementType::S32, dims), {}, IotaAttrs{last});
  HloInstruction* sorted = AddSort(c, {x, positions}, SortAttrs{{last}, true},
                                   Comparator(*c.module(), {x, positions}, 0, ComparisonOf(topk)));
  sorted->set_metadata(topk.metadata());
  SliceAttrs first{Dims(dims.size(), 0), dims, Dims(dims.size(), 1)};
  first.limits.back() = attrs.k;
  std::vector<HloInstruction*> results;
  for (size_t k = 0; k < 2; ++k) {
    results.push_back(c.AddWithShape(HloOpcode::Slice, topk.shape().tuple_shapes()[k],
                                     {Element(c, sorted, k)}, first));
  }
  return c.AddWithShape(HloOpcode::Tuple, topk.shape(), results);
}

HloInstruction* ExpandTopK(HloComputation& c, const HloInstruction& topk,
                           const TargetInfo& target) {
  const Shape& x = topk.operand(0)->shape();
  const ElementType t = x.element_type();
  const int64_t bits = HasWholeBytes(t) ? (IsPredicate(t) ? 8 : BitWidth(t)) : 64;
  const int64_t extent = x.dimension(x.rank() - 1);
  if (!target.calls_library() || bits > 32 || extent > INT32_MAX || extent <= 1)
    return SortForTopK(c, topk);
  return bits == 32 ? nullptr : TopOfKeys(c, topk);
}

HloInstruction* Transposed(HloComputation& c, HloInstruction* x, const Dims& permutation) {
  Dims dims;
  for (int64_t d : permutation) dims.push_back(x->shape().dimension(d));
  return c.AddWithShape(HloOpcode::Transpose, Shape(x->shape().element_type(), dims), {x},
                        DimensionsAttrs{permutation});
}

int64_t BitsOf(const std::vector<SortKey>& keys) {
  int64_t bits = 0;
  for (const SortKey& key : keys) {
    const ElementType t = key.value->shape().element_type();
    bits += IsPredicate(t) ? 8 : BitWidth(t);
  }
  return bits;
}

bool HaveWholeBytes(const std::vector<SortKey>& keys) {
  for (const SortKey& key : keys)
    if (!HasWholeBytes(key.value->shape().element_type())) return false;
  return !keys.empty();
}

// The operands' keys [first, last) as one unsigned integer, of as many bits as they have together.
HloInstruction* JointKey(Arrays& arrays, const HloInstruction& sort,
                         absl::Span<const SortKey> keys) {
  auto bits = [](ElementType t) { return IsPredicate(t) ? 8 : BitWidth(t); };
  int64_t all = 0;
  for (const SortKey& key : keys) all += bits(key.value->shape().element_type());
  const ElementType type = all <= 8    ? ElementType::U8
                           : all <= 16 ? ElementType::U16
                           : all <= 32 ? ElementType::U32
                                       : ElementType::U64;
  HloInstruction* joint = nullptr;
  for (const SortKey& found : keys) {
    HloInstruction* of = sort.operand(found.operand);
    HloInstruction* key = arrays.KeyOf(arrays.Mapped(found, of), found.total_order);
    if (found.descending) key = arrays.Not(key);
    if (key->shape().element_type() != type) key = arrays.Add(HloOpcode::Convert, type, {key});
    if (joint) {
      Literal width{Shape(type)};
      *static_cast<uint8_t*>(width.untyped_data()) =  // little-endian
          static_cast<uint8_t>(bits(found.value->shape().element_type()));
      joint = arrays.Add(HloOpcode::ShiftLeft, type, {joint, arrays.Splat(width)});
      key = arrays.Add(HloOpcode::Or, type, {joint, key});
    }
    joint = key;
  }
  return joint;
}

// One sort, or several stable ones that begin with the least significant keys, where they have more
// than 64 bits together.
HloInstruction* ByUnsignedKeys(HloComputation& c, const HloInstruction& sort, bool calls_library) {
  if (calls_library ? !LibraryKeysOf(sort).empty() : OnlyKeyOf(sort).has_value()) return nullptr;
  const std::vector<SortKey> keys = SortKeysOf(sort);
  if (!HaveWholeBytes(keys)) return nullptr;
  Arrays arrays(c, sort.operand(0)->shape().dimensions(), sort.metadata());
  std::vector<HloInstruction*> operands;  // the keys, the most significant last; and what is sorted
  for (size_t last = keys.size(); last > 0;) {
    int64_t bits = 0;
    size_t first = last;
    while (first > 0) {
      const ElementType t = keys[first - 1].value->shape().element_type();
      bits += IsPredicate(t) ? 8 : BitWidth(t);
      if (bits > 64) break;
      --first;
    }
    operands.push_back(
        JointKey(arrays, sort, absl::MakeConstSpan(keys).subspan(first, last - first)));
    last = first;
  }
  // Results that nobody reads are whatever has their shape.
  const size_t groups = operands.size();
  const std::vector<bool> read = ReadResults(sort);
  std::vector<HloInstruction*> results = sort.operands();
  for (size_t k = 0; k < results.size(); ++k)
    if (read[k]) operands.push_back(results[k]);
  for (size_t group = 0; group < groups; ++group) {
    SortAttrs attrs = sort.attrs<SortAttrs>();
    attrs.is_stable |= groups > 1;
    HloInstruction* sorted =
        AddSort(c, operands, attrs,
                Comparator(*c.module(), operands, 0, CompareAttrs{ComparisonDirection::kLt}));
    sorted->set_metadata(sort.metadata());
    operands.erase(operands.begin());
    for (size_t k = 0; k < operands.size(); ++k) operands[k] = Element(c, sorted, k + 1);
  }
  for (size_t k = 0, next = 0; k < results.size(); ++k)
    if (read[k]) results[k] = operands[next++];
  return sort.shape().is_tuple() ? c.AddWithShape(HloOpcode::Tuple, sort.shape(), results)
                                 : results[0];
}

// How many elements of each row are read, where all users are slices of the first ones; else 0.
int64_t FirstRead(const HloInstruction& sort) {
  const size_t d = static_cast<size_t>(sort.attrs<SortAttrs>().dimensions[0]);
  int64_t most = 0;
  std::vector<const HloInstruction*> arrays{&sort};
  if (sort.shape().is_tuple()) {
    arrays.clear();
    for (const HloInstruction* user : sort.users()) {
      if (user->op() != HloOpcode::GetTupleElement) return 0;
      arrays.push_back(user);
    }
  }
  for (const HloInstruction* array : arrays) {
    if (array->parent()->root() == array) return 0;
    for (const HloInstruction* user : array->users()) {
      if (user->op() != HloOpcode::Slice) return 0;
      const auto& slice = user->attrs<SliceAttrs>();
      if (slice.starts[d] != 0 || slice.strides[d] != 1) return 0;
      most = std::max(most, slice.limits[d]);
    }
  }
  return sort.parent()->root() == &sort ? 0 : most;
}

// A sort of which the first elements are read: a top-k of keys, and what the operands have where
// those are. What nobody reads follows as zeros.
HloInstruction* FirstByTopK(HloComputation& c, const HloInstruction& sort) {
  const Shape& shape = sort.operand(0)->shape();
  const int64_t last = shape.rank() - 1, extent = shape.dimension(last), k = FirstRead(sort);
  if (k == 0 || 2 * k > extent || extent > INT32_MAX) return nullptr;
  HloInstruction* key = nullptr;
  TopKAttrs attrs{k, /*largest=*/false};
  const std::vector<LibraryKey> own = LibraryKeysOf(sort);
  if (own.size() == 1 && BitWidth(sort.operand(own[0].operand)->shape().element_type()) == 32) {
    key = sort.operand(own[0].operand);
    attrs.largest = own[0].descending;
    attrs.merged = own[0].order == SortOrder::kMerged;
  } else {
    const std::vector<SortKey> keys = SortKeysOf(sort);
    if (!HaveWholeBytes(keys) || BitsOf(keys) > 32) return nullptr;
    Arrays arrays(c, shape.dimensions(), sort.metadata());
    key = arrays.Add(HloOpcode::Convert, ElementType::U32, {JointKey(arrays, sort, keys)});
  }
  Dims dims = shape.dimensions();
  dims[static_cast<size_t>(last)] = k;
  const Shape positions(ElementType::S32, dims);
  HloInstruction* best = c.AddWithShape(
      HloOpcode::TopK, Shape::Tuple({Shape(key->shape().element_type(), dims), positions}), {key},
      attrs);
  best->set_metadata(sort.metadata());
  // Positions as index vectors of one entry, batched over the other dimensions.
  GatherAttrs gather;
  for (int64_t d = 0; d < last; ++d) {
    gather.operand_batching_dims.push_back(d);
    gather.start_indices_batching_dims.push_back(d);
  }
  gather.collapsed_slice_dims = {last};
  gather.start_index_map = {last};
  gather.index_vector_dim = last + 1;
  gather.slice_sizes = Dims(dims.size(), 1);
  Dims vectors = dims;
  vectors.push_back(1);
  HloInstruction* at =
      c.AddWithShape(HloOpcode::Reshape, Shape(ElementType::S32, vectors), {Element(c, best, 1)});
  std::vector<HloInstruction*> results;
  for (HloInstruction* operand : sort.operands()) {
    const ElementType t = operand->shape().element_type();
    HloInstruction* first =
        c.AddWithShape(HloOpcode::Gather, Shape(t, dims), {operand, at}, gather);
    PadAttrs pad;
    pad.low = pad.high = pad.interior = Dims(dims.size(), 0);
    pad.high.back() = extent - k;
    results.push_back(c.AddWithShape(HloOpcode::Pad, operand->shape(),
                                     {first, c.AddConstant(Literal{Shape(t)})}, pad));
  }
  return results.size() == 1 ? results[0] : c.AddWithShape(HloOpcode::Tuple, sort.shape(), results);
}

// Whether the library sorts it where it is, though the elements of a row lie apart: there are many
// short rows side by side, and one key for each element.
bool HasShortColumns(const HloInstruction& sort) {
  const Shape& shape = sort.operand(0)->shape();
  const int64_t extent = shape.dimension(sort.attrs<SortAttrs>().dimensions[0]);
  const std::vector<SortKey> keys = SortKeysOf(sort);
  return extent > 0 &&
         program::SortLayout::TakesShortRows(extent, shape.element_count() / extent) &&
         (!LibraryKeysOf(sort).empty() || (HaveWholeBytes(keys) && BitsOf(keys) <= 64));
}

// The dimension that is sorted becomes the minor one, but for those of extent 1 and short ones:
// rows of elements that lie apart would be read a cache line an element.
HloInstruction* ExpandSort(HloComputation& c, const HloInstruction& sort, bool calls_library) {
  const Shape& shape = sort.operand(0)->shape();
  const int64_t dimension = sort.attrs<SortAttrs>().dimensions[0], last = shape.rank() - 1;
  if (shape.dimension(dimension) <= 1) {
    if (sort.operands().size() == 1) return sort.operand(0);
    return c.AddWithShape(HloOpcode::Tuple, sort.shape(), sort.operands());
  }
  bool is_minor = true;
  for (int64_t d = dimension + 1; d <= last; ++d) is_minor &= shape.dimension(d) == 1;
  if (is_minor && dimension == last && calls_library) {
    if (HloInstruction* first = FirstByTopK(c, sort)) return first;
  }
  if (is_minor || (calls_library && HasShortColumns(sort)))
    return ByUnsignedKeys(c, sort, calls_library);
  Dims permutation;  // its own inverse
  for (int64_t d = 0; d <= last; ++d)
    permutation.push_back(d == dimension ? last : d == last ? dimension : d);
  std::vector<HloInstruction*> operands;
  for (HloInstruction* o : sort.operands()) operands.push_back(Transposed(c, o, permutation));
  HloInstruction* rows =
      AddSort(c, operands, SortAttrs{{last}, sort.attrs<SortAttrs>().is_stable}, sort.called(0));
  rows->set_metadata(sort.metadata());
  if (HloInstruction* by_key = ByUnsignedKeys(c, *rows, calls_library)) rows = by_key;
  if (operands.size() == 1) return Transposed(c, rows, permutation);
  std::vector<HloInstruction*> results;
  for (size_t k = 0; k < operands.size(); ++k)
    results.push_back(Transposed(
        c, rows->op() == HloOpcode::Tuple ? rows->operand(k) : Element(c, rows, k), permutation));
  return c.AddWithShape(HloOpcode::Tuple, sort.shape(), results);
}

}  // namespace

std::unique_ptr<Pass> MakeExpandTopKPass(const TargetInfo& target) {
  return MakeExpansionPass(
      "expand-topk",
      [target](HloComputation& c, HloInstruction& i) -> absl::StatusOr<HloInstruction*> {
        if (i.op() != HloOpcode::TopK) return nullptr;
        return ExpandTopK(c, i, target);
      });
}

std::unique_ptr<Pass> MakeExpandSortPass(const TargetInfo& target) {
  return MakeExpansionPass(
      "expand-sort",
      [target](HloComputation& c, HloInstruction& i) -> absl::StatusOr<HloInstruction*> {
        if (i.op() != HloOpcode::Sort) return nullptr;
        return ExpandSort(c, i, target.calls_library());
      });
}

}  // namespace sinter
