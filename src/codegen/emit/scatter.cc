// gather and scatter: slices at starts that are data.
#include <algorithm>

#include "base/text.h"
#include "codegen/emit/reducer.h"
#include "codegen/emit/region.h"
#include "codegen/emit/scalar_computation.h"
#include "target/tuning.h"

namespace sinter::emit {

using kernel::kNone;
using kernel::OpCode;
using kernel::Predicate;
using kernel::Value;
using kernel::Values;

namespace {

// Where `d` stands in the list, or -1.
int64_t Find(const Dims& dims, int64_t d) {
  auto it = std::find(dims.begin(), dims.end(), d);
  return it == dims.end() ? -1 : it - dims.begin();
}

// The coordinates of slices that `window` does not name: those of the index vectors' batch.
Coords BatchOf(const Coords& at, const Dims& window) {
  Coords batch;
  for (size_t d = 0; d < at.size(); ++d) {
    if (Find(window, static_cast<int64_t>(d)) < 0) batch.push_back(at[d]);
  }
  return batch;
}

}  // namespace

Value Region::IndexComponent(const HloInstruction* indices, int64_t index_vector_dim, size_t k,
                             const Coords& batch, const Frame& frame, int64_t lo, int64_t hi) {
  Coords at = batch;
  if (index_vector_dim < indices->shape().rank())
    at.insert(at.begin() + index_vector_dim, Coord{Int(static_cast<int64_t>(k))});
  // Under a guard, evaluation may have moved the coordinates to the innermost block.
  const int depth = frame.guard == kNone ? NodeDepth(at, frame) : b_.depth();
  const Value component = Eval(indices, at, frame).re;
  Value v = kNone;
  AtDepth(depth, [&] {
    Value s = component;
    ElementType t = b_.type(s).elem;
    // What is unsigned and as wide would turn negative.
    if (t == ElementType::U64 || (t == ElementType::U32 && hi <= INT32_MAX))
      s = b_.Min(s, b_.ConstInt(t, hi));
    // Narrow numbers are clamped as such: twice as many to a vector.
    t = BitWidth(t) <= 32 && hi <= INT32_MAX ? ElementType::S32 : ElementType::S64;
    s = b_.Max(b_.Min(b_.Convert(s, t), b_.ConstInt(t, hi)), b_.ConstInt(t, lo));
    v = b_.Convert(s, ElementType::S64);
  });
  int64_t known;
  if (!b_.IsInt(v, &known)) depth_of_.try_emplace(v, depth);
  return v;
}

Parts Region::EvalGather(const HloInstruction* node, const Coords& at, const Frame& frame) {
  const auto& a = node->attrs<GatherAttrs>();
  const HloInstruction* indices = node->operand(1);
  const Coords batch = BatchOf(at, a.offset_dims);
  const Shape& from = node->operand(0)->shape();
  // A slice of size 0 in a dimension that the result does not have holds no element to read: the
  // result has zeros there.
  if (Find(a.slice_sizes, 0) >= 0) return Zero(from.element_type());
  Coords index;
  size_t next = 0;
  for (int64_t d = 0; d < from.rank(); ++d) {
    Coord c{Int(0)};
    if (const int64_t k = Find(a.operand_batching_dims, d); k >= 0) {
      const int64_t dim = a.start_indices_batching_dims[static_cast<size_t>(k)];
      c = batch[static_cast<size_t>(dim - (dim > a.index_vector_dim ? 1 : 0))];
    } else if (Find(a.collapsed_slice_dims, d) < 0) {
      c = at[static_cast<size_t>(a.offset_dims[next++])];
    }
    const int64_t k = Find(a.start_index_map, d),
                  limit = from.dimension(d) - a.slice_sizes[static_cast<size_t>(d)];
    if (k >= 0 && limit > 0) {
      const Value start = IndexComponent(indices, a.index_vector_dim, static_cast<size_t>(k), batch,
                                         frame, 0, limit);
      if (!b_.type(start).is_scalar() && (c.rows != 0 || c.cols != 0)) {
        c = Coord{CoordValue(c, frame, ElementType::S64)};
        depth_of_.try_emplace(c.base, b_.depth());
      }
      c.base = IndexAdd(c.base, start);
      c.range = Interval{0, from.dimension(d)};
    }
    index.push_back(c);
  }
  return Eval(node->operand(0), index, frame);
}

bool Region::StartsBelowZero(int64_t last) const {
  const ElementType t = scatter_->operand(outputs_.size())->shape().element_type();
  return !IsSigned(t) || BitWidth(t) > 32 || last >= (int64_t{1} << (BitWidth(t) - 1));
}

// Of the index vectors at `at`: a component, brought to -1 or `last` + 1 where it is further
// outside of [0, last], so that sums do not overflow; or, unsigned, to something above `last`.
Value Region::WindowStart(size_t k, int64_t last, const Coords& at, const Frame& frame) {
  const auto& a = scatter_->attrs<ScatterAttrs>();
  const HloInstruction* indices = scatter_->operand(outputs_.size());
  const Coords batch = BatchOf(at, a.update_window_dims);
  const ElementType t = indices->shape().element_type();
  if (StartsBelowZero(last))
    return IndexComponent(indices, a.index_vector_dim, k, batch, frame, -1, last + 1);
  // Negative ones are large as unsigned numbers: one comparison tells whether it is inside.
  Coords place = batch;
  if (a.index_vector_dim < indices->shape().rank())
    place.insert(place.begin() + a.index_vector_dim, Coord{Int(static_cast<int64_t>(k))});
  const ElementType bits = BitWidth(t) == 8    ? ElementType::U8
                           : BitWidth(t) == 16 ? ElementType::U16
                                               : ElementType::U32;
  const int depth = frame.guard == kNone ? NodeDepth(place, frame) : b_.depth();
  const Value component = Eval(indices, place, frame).re;
  Value v = kNone;
  AtDepth(depth, [&] { v = b_.Convert(b_.Bitcast(component, bits), ElementType::S64); });
  int64_t known;
  if (!b_.IsInt(v, &known)) depth_of_.try_emplace(v, depth);
  return v;
}

Value Region::IsOwn(const Coords& at, const Frame& frame) {
  const Dims& map = scatter_->attrs<ScatterAttrs>().scatter_dims_to_operand_dims;
  const int64_t extent = scatter_->operand(0)->shape().dimension(plan_->owned_dim),
                part = (extent + plan_->owners - 1) / plan_->owners;
  const Value start =
      WindowStart(static_cast<size_t>(Find(map, plan_->owned_dim)), extent - 1, at, frame);
  return b_.Compare(Predicate::kEq, IndexOp(OpCode::kDiv, start, Int(part)), owner_);
}

// A window is combined if all of it is inside.
void Region::CombineScattered(const Coords& at, const Frame& frame) {
  const auto& a = scatter_->attrs<ScatterAttrs>();
  const size_t n = outputs_.size();
  const Coords batch = BatchOf(at, a.update_window_dims);
  const Shape& array = scatter_->operand(0)->shape();
  Coords index;
  Value inside = owner_ == kNone ? kNone : IsOwn(at, frame);
  size_t next = 0;
  for (int64_t d = 0; d < array.rank(); ++d) {
    Coord c{Int(0)};
    int64_t size = 1;
    if (const int64_t k = Find(a.input_batching_dims, d); k >= 0) {
      const int64_t dim = a.scatter_indices_batching_dims[static_cast<size_t>(k)];
      c = batch[static_cast<size_t>(dim - (dim > a.index_vector_dim ? 1 : 0))];
    } else if (Find(a.inserted_window_dims, d) < 0) {
      const int64_t u = a.update_window_dims[next++];
      c = at[static_cast<size_t>(u)];
      size = outputs_[0]->shape().dimension(u);
    }
    if (const int64_t k = Find(a.scatter_dims_to_operand_dims, d); k >= 0) {
      const int64_t last = array.dimension(d) - size;
      const Value start = WindowStart(static_cast<size_t>(k), last, at, frame);
      const Value p =
          InRange(Coord{start, 0, 0, {StartsBelowZero(last) ? INT64_MIN : 0, INT64_MAX}},
                  {0, last + 1}, frame);
      inside = inside == kNone ? p : b_.And(inside, p);
      c.base = IndexAdd(c.base, start);
      c.range = Interval{0, array.dimension(d)};
    }
    index.push_back(c);
  }
  const HloComputation& computation = *scatter_->called(0);
  const std::vector<ElementType> types = ResultTypes();
  Coords in_copy = index;
  if (copy_ != kNone) in_copy.insert(in_copy.begin(), Coord{CopyAt(bank_)});
  auto combine = [&] {
    std::vector<Parts> arguments;
    if (copy_ != kNone) {
      arguments = LoadPartials(copies_, types, in_copy, frame);
    } else {
      for (size_t k = 0; k < n; ++k) {
        const HloInstruction* current = computation.parameter(k);
        arguments.push_back(current->users().empty() && current != computation.root()
                                ? Zero(types[k])
                                : LoadBuffer(output_buffers_[k], types[k], index, frame));
      }
    }
    for (const HloInstruction* update : outputs_) arguments.push_back(Eval(update, at, frame));
    auto results = EvalScalarComputation(b_, computation, arguments, false);
    if (!results.ok()) {
      Fail(results.status(), array.element_type());
    } else if (copy_ != kNone) {
      StorePartials(copies_, in_copy, frame.cols, *results,
                    MaskOf(frame, kernel::Type{ElementType::PRED, 1, frame.cols}));
    } else {
      for (size_t k = 0; k < n; ++k)
        StoreBuffer(output_buffers_[k], types[k], index, frame, (*results)[k]);
    }
  };
  if (inside == kNone) return combine();
  b_.If(
      inside,
      [&] {
        Block block(*this);
        combine();
        return Values{};
      },
      [] { return Values{}; });
}

// --- indices and updates computed as vectors

std::vector<Region::KeptUpdate> Region::UpdatesAt(const Coords& at) {
  const auto& a = scatter_->attrs<ScatterAttrs>();
  const HloInstruction* indices = scatter_->operand(outputs_.size());
  std::vector<KeptUpdate> all;
  for (const HloInstruction* node : plan_->vectors) {
    if (node != indices) {
      all.push_back({node, at});
      continue;
    }
    const Coords batch = BatchOf(at, a.update_window_dims);
    const bool has_components = a.index_vector_dim < indices->shape().rank();
    const int64_t components = has_components ? indices->shape().dimension(a.index_vector_dim) : 1;
    for (int64_t k = 0; k < components; ++k) {
      all.push_back({node, batch});
      if (!has_components) continue;
      Coords& place = all.back().at;
      place.insert(place.begin() + a.index_vector_dim, Coord{Int(k)});
    }
  }
  return all;
}

void Region::KeepUpdates(const Coords& at, const Frame& frame, Value index) {
  kept_.clear();
  for (const KeptUpdate& update : UpdatesAt(at)) {
    const Parts value = Eval(update.node, update.at, frame);
    std::vector<int>& buffers = kept_.emplace_back();
    for (Value part : {value.re, value.im}) {
      if (part == kNone) continue;
      const ElementType elem = b_.type(part).elem;
      const kernel::Type type{elem, 1, frame.cols};
      buffers.push_back(b_.AddBuffer(Format("u{}", b_.kernel().buffers.size()), elem,
                                     Dims{tuning::kScatterBlock}, kernel::Space::kTask));
      b_.Store(Widen(part, type), buffers.back(), {kernel::Index{index, 0, 1}},
               MaskOf(frame, type));
    }
  }
}

void Region::BindUpdates(const Coords& at, const Frame& frame, Value index) {
  const std::vector<KeptUpdate> updates = UpdatesAt(at);
  for (size_t k = 0; k < kept_.size(); ++k) {
    Values parts;
    for (int buffer : kept_[k]) {
      const ElementType elem = b_.kernel().buffers[static_cast<size_t>(buffer)].elem;
      parts.push_back(b_.Load(buffer, {kernel::Index{index}}, kernel::Type{elem}));
    }
    Bind(updates[k].node, updates[k].at, frame,
         parts.size() == 1 ? Parts{parts[0]} : Parts{parts[0], parts[1]});
  }
}

// --- copies of the results

std::vector<ElementType> Region::ResultTypes() const {
  std::vector<ElementType> types;
  for (size_t k = 0; k < outputs_.size(); ++k)
    types.push_back(scatter_->operand(k)->shape().element_type());
  return types;
}

void Region::AddCopies() {
  copies_.chunks = plan_->copies;
  std::vector<int64_t> dims{plan_->copies * plan_->banks};
  const Dims& array = scatter_->operand(0)->shape().dimensions();
  dims.insert(dims.end(), array.begin(), array.end());
  for (ElementType t : ResultTypes()) {
    for (int p = 0; p < PartCount(t); ++p) {
      copies_.buffers.push_back(b_.AddBuffer(Format("s{}", copies_.buffers.size()), RealPart(t),
                                             dims, kernel::Space::kScratch));
    }
  }
}

// Rows of so many elements of the minor dimension.
static constexpr int64_t kResultBlock = 4096;

int64_t Region::ResultBlocks() const {
  const Shape& array = scatter_->operand(0)->shape();
  if (array.rank() == 0) return 1;
  const int64_t minor = array.dimension(array.rank() - 1);
  return array.element_count() / minor * ((minor + kResultBlock - 1) / kResultBlock);
}

void Region::ForResultBlock(Value number,
                            const std::function<void(const Coords&, const Frame&)>& body) {
  const Shape& array = scatter_->operand(0)->shape();
  if (array.rank() == 0) return body({}, Frame{});
  const int64_t minor = array.dimension(array.rank() - 1),
                blocks = (minor + kResultBlock - 1) / kResultBlock,
                width =
                    std::min<int64_t>(int64_t{4} * plan_->lanes, plan::PowerOfTwoAtLeast(minor));
  Coords at(static_cast<size_t>(array.rank()));
  const Value block = IndexOp(OpCode::kRem, number, Int(blocks));
  Value rest = IndexOp(OpCode::kDiv, number, Int(blocks));
  for (int64_t d = array.rank() - 1; d-- > 0;) {
    const int64_t extent = array.dimension(d);
    at[static_cast<size_t>(d)] =
        Coord{d == 0 ? rest : IndexOp(OpCode::kRem, rest, Int(extent)), 0, 0, {0, extent}};
    rest = IndexOp(OpCode::kDiv, rest, Int(extent));
  }
  const Value lo = IndexOp(OpCode::kMul, block, Int(kResultBlock)),
              hi = IndexOp(OpCode::kMin, IndexAdd(lo, Int(kResultBlock)), Int(minor));
  Loop(kernel::LoopKind::kSeq, lo, hi, width, kernel::Tail::kMasked, {},
       [&](Value iv, const Values&) {
         Frame frame;
         frame.cols = static_cast<int>(width);
         frame.cols_depth = b_.depth();
         frame.col_bound = Bound{iv, hi};
         at.back() = Coord{iv, 0, width > 1 ? 1 : 0, {0, minor}};
         body(at, frame);
         return Values{};
       });
}

// A copy begins with neutral elements; where there are none the results themselves may enter more
// than once.
void Region::BeginCopy(Value number) {
  copy_ = number;
  const std::vector<ElementType> types = ResultTypes();
  Loop(kernel::LoopKind::kSeq, Int(0), Int(ResultBlocks()), 1, kernel::Tail::kExact, {},
       [&](Value block, const Values&) {
         ForResultBlock(block, [&](const Coords& at, const Frame& frame) {
           std::vector<Parts> first;
           for (size_t k = 0; k < types.size(); ++k) {
             if (const std::optional<double> neutral = NeutralOf(*scatter_, k)) {
               Parts x{b_.Const(RealPart(types[k]), *neutral)};
               if (IsComplex(types[k])) x.im = x.re;
               first.push_back(x);
             } else {
               first.push_back(LoadBuffer(output_buffers_[k], types[k], at, frame));
             }
           }
           for (int64_t bank = 0; bank < plan_->banks; ++bank) StoreCopy(at, frame, bank, first);
         });
         return Values{};
       });
}

std::vector<Parts> Region::LoadCopy(Coords at, const Frame& frame, int64_t bank) {
  at.insert(at.begin(), Coord{CopyAt(bank)});
  return LoadPartials(copies_, ResultTypes(), at, frame);
}
void Region::StoreCopy(Coords at, const Frame& frame, int64_t bank,
                       const std::vector<Parts>& values) {
  at.insert(at.begin(), Coord{CopyAt(bank)});
  StorePartials(copies_, at, frame.cols, values,
                MaskOf(frame, kernel::Type{ElementType::PRED, 1, frame.cols}));
}

// Values combined with those of copy copy_, from its bank `first` on; nothing after an error.
std::vector<Parts> Region::CombineBanks(const Coords& at, const Frame& frame,
                                        std::vector<Parts> values, int64_t first, int64_t last) {
  for (int64_t bank = first; bank < last; ++bank) {
    for (const Parts& x : LoadCopy(at, frame, bank)) values.push_back(x);
    auto combined = EvalScalarComputation(b_, *scatter_->called(0), values, false);
    if (!combined.ok()) {
      Fail(combined.status(), ResultTypes()[0]);
      return {};
    }
    values = *std::move(combined);
  }
  return values;
}

void Region::FoldBanks() {
  if (plan_->banks < 2) return;
  Loop(kernel::LoopKind::kSeq, Int(0), Int(ResultBlocks()), 1, kernel::Tail::kExact, {},
       [&](Value block, const Values&) {
         ForResultBlock(block, [&](const Coords& at, const Frame& frame) {
           const std::vector<Parts> all =
               CombineBanks(at, frame, LoadCopy(at, frame, 0), 1, plan_->banks);
           if (!all.empty()) StoreCopy(at, frame, 0, all);
         });
         return Values{};
       });
}

void Region::CombineCopies() {
  copy_ = kNone;
  const std::vector<ElementType> types = ResultTypes();
  Loop(kernel::LoopKind::kPar, Int(0), Int(ResultBlocks()), 1, kernel::Tail::kExact, {},
       [&](Value block, const Values&) {
         ForResultBlock(block, [&](const Coords& at, const Frame& frame) {
           std::vector<Parts> results;
           for (size_t k = 0; k < types.size(); ++k)
             results.push_back(LoadBuffer(output_buffers_[k], types[k], at, frame));
           for (int64_t copy = 0; copy < copies_.chunks; ++copy) {
             copy_ = Int(copy);
             results = CombineBanks(at, frame, std::move(results), 0, 1);
             if (results.empty()) return;
           }
           copy_ = kNone;
           for (size_t k = 0; k < types.size(); ++k)
             StoreBuffer(output_buffers_[k], types[k], at, frame, results[k]);
         });
         return Values{};
       });
}

}  // namespace sinter::emit
