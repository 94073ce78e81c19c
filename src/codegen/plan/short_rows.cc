#include "codegen/plan/short_rows.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "codegen/plan/merge_dimensions.h"
#include "codegen/plan/plan.h"
#include "ir/analysis/op_cost.h"
#include "ir/results.h"
#include "target/tuning.h"

namespace sinter::plan {
namespace {

// Rewrites what the elements of a matrix share with others of their column or row, r of [c] or q of
// [n], as look-ups by the element's number in the whole matrix.
class RowRepeater {
 public:
  RowRepeater(const HloComputation& region, int lanes)
      : region_(region), order_(region.PostOrder()), lanes_(lanes) {}

  // Null where nothing is shared, or more than look-ups and arithmetic on them would be repeated.
  std::unique_ptr<HloModule> Run() {
    for (const HloInstruction* i : order_) {
      if (!IsShared(*i)) continue;
      const Shape& s = i->shape();
      if (rows_ != 0 && (s.dimension(0) != rows_ || s.dimension(1) != columns_)) return nullptr;
      rows_ = s.dimension(0);
      columns_ = s.dimension(1);
    }
    if (rows_ == 0) return nullptr;
    auto module = std::make_unique<HloModule>(region_.name());
    out_ = module->AddComputation(region_.name());
    for (const HloInstruction* p : region_.parameters())
      copies_[p] = out_->AddParameter(p->attrs<ParameterAttrs>().number, p->shape(), p->name());
    for (const HloInstruction* i : order_) {
      if (copies_.contains(i)) continue;
      HloInstruction* copy = IsShared(*i) ? Repeated(*i) : Copy(*i);
      if (copy == nullptr) return nullptr;
      copy->set_metadata(i->metadata());
      copies_[i] = copy;
    }
    out_->set_root(copies_.at(region_.root()));
    module->set_entry(out_);
    return module;
  }
  int64_t columns() const { return columns_; }
  // Whether look-ups are loads, element by element, as of columns. Only AVX-512 has others, of
  // tables of up to 32 elements of 32 bits.
  bool has_loads() const { return has_loads_; }

 private:
  static int64_t DimensionOf(const HloInstruction& i) {
    return i.op() == HloOpcode::Iota ? i.attrs<IotaAttrs>().iota_dimension : i.dimensions()[0];
  }
  // Whether it is a matrix (or a part of a stack of some) of rows of less than two vectors, and the
  // same in all of them or in all of their elements.
  bool IsShared(const HloInstruction& i) const {
    const bool is_iota = i.op() == HloOpcode::Iota;
    const Shape& s = i.shape();
    if (!is_iota && (i.op() != HloOpcode::Broadcast || i.operand(0)->shape().rank() != 1))
      return false;
    for (int64_t d = 2; d < s.rank(); ++d)
      if (s.dimension(d) != 1) return false;
    return s.rank() >= 2 && DimensionOf(i) < 2 && s.dimension(0) > 1 && s.dimension(1) > 1 &&
           s.dimension(1) < 2 * lanes_ && s.dimension(1) % lanes_ != 0 &&
           s.element_count() <= INT32_MAX &&
           (is_iota || i.operand(0)->shape().dimension(0) == s.dimension(DimensionOf(i)));
  }
  Shape Flat(ElementType type) const { return Shape(type, {rows_ * columns_}); }

  HloInstruction* Copy(const HloInstruction& i) {
    std::vector<HloInstruction*> operands;
    for (const HloInstruction* o : i.operands()) operands.push_back(copies_.at(o));
    return out_->AddWithShape(i.op(), i.shape(), operands, i.attributes(), i.called(), i.name());
  }
  HloInstruction* Repeated(const HloInstruction& i) {
    const int64_t along = DimensionOf(i);
    HloInstruction* all = i.op() == HloOpcode::Iota ? Position(along, i.shape().element_type())
                                                    : Along(along, *i.operand(0));
    if (all == nullptr) return nullptr;
    return out_->AddWithShape(HloOpcode::Reshape, i.shape(), {all});
  }

  // A vector along a dimension of the matrix, for each element of it.
  HloInstruction* Along(int64_t dimension, const HloInstruction& vector) {
    const auto [known, is_new] = along_[dimension].try_emplace(&vector, nullptr);
    if (!is_new) return known->second;
    HloInstruction* made = nullptr;
    const ElementType type = vector.shape().element_type();
    if (vector.op() == HloOpcode::Parameter) {
      made = LookUp(dimension, vector);
    } else if (vector.op() == HloOpcode::Iota) {
      made = Position(dimension, type);
    } else if (vector.op() == HloOpcode::Broadcast && vector.operand(0)->shape().rank() == 0) {
      made = out_->AddWithShape(HloOpcode::Broadcast, Flat(type), {copies_.at(vector.operand(0))},
                                DimensionsAttrs{});
    } else if (IsElementwise(vector.op()) && OpCost(vector) <= 1) {
      std::vector<HloInstruction*> operands;
      for (const HloInstruction* o : vector.operands()) {
        operands.push_back(o->shape().rank() == 0 ? copies_.at(o) : Along(dimension, *o));
        if (operands.back() == nullptr) return nullptr;
      }
      made = out_->AddWithShape(vector.op(), Flat(type), operands, vector.attributes(),
                                vector.called());
    }
    along_[dimension][&vector] = made;
    return made;
  }
  HloInstruction* LookUp(int64_t dimension, const HloInstruction& table) {
    const ElementType type = table.shape().element_type();
    has_loads_ |= lanes_ < 16 || dimension == 0 || ByteWidth(type) != 4;
    GatherAttrs at;
    at.collapsed_slice_dims = at.start_index_map = {0};
    at.slice_sizes = {1};
    at.index_vector_dim = 1;
    return out_->AddWithShape(HloOpcode::Gather, Flat(type),
                              {copies_.at(&table), Position(dimension, ElementType::S32)}, at);
  }
  // The row, or the column, of each element.
  HloInstruction* Position(int64_t dimension, ElementType type) {
    HloInstruction*& position = positions_[dimension];
    if (position == nullptr) {
      const Shape s32 = Flat(ElementType::S32);
      HloInstruction* columns = out_->AddConstant(Literal::R0(static_cast<int32_t>(columns_)));
      HloInstruction* each =
          out_->AddWithShape(HloOpcode::Broadcast, s32, {columns}, DimensionsAttrs{});
      position =
          out_->AddWithShape(dimension == 0 ? HloOpcode::Divide : HloOpcode::Remainder, s32,
                             {out_->AddWithShape(HloOpcode::Iota, s32, {}, IotaAttrs{0}), each});
    }
    if (type == ElementType::S32) return position;
    return out_->AddWithShape(HloOpcode::Convert, Flat(type), {position});
  }

  const HloComputation& region_;
  const std::vector<HloInstruction*> order_;
  const int lanes_;
  int64_t rows_ = 0, columns_ = 0;  // of the matrix
  bool has_loads_ = false;
  HloComputation* out_ = nullptr;
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> copies_;
  // By dimension of the matrix.
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> along_[2];
  HloInstruction* positions_[2] = {nullptr, nullptr};
};

const Shape& ShapeOf(const HloComputation& region) { return Outputs(region)[0]->shape(); }

// Whether whole vectors with look-ups take less time than a masked vector, or two, a row. Where
// what is computed of an element is stored apart, as part of a stack, each vector of a row would be
// one element.
bool IsWorthLookUps(const HloComputation& region, const RowRepeater& repeater, int lanes) {
  double work = 0;
  for (const HloInstruction* i : region.PostOrder()) work += OpCost(*i);
  if (ShapeOf(region).rank() > 2) {
    const bool is_narrow = BitWidth(ShapeOf(region).element_type()) < 32;
    return !repeater.has_loads() ||
           work > (is_narrow ? tuning::kLoadedNarrowRow : tuning::kLoadedRow);
  }
  if (repeater.has_loads()) return false;
  const double elements = static_cast<double>(repeater.columns()) / lanes;
  const bool is_whole = std::has_single_bit(static_cast<uint64_t>(repeater.columns()));
  const double moved = is_whole ? 2 : 2 * tuning::kMaskedVector;
  return std::ceil(elements) * (work + moved) > elements * (work + tuning::kLookedUpRow);
}

}  // namespace

std::unique_ptr<HloModule> MergeShortRows(const HloComputation& region, const CpuMachine& machine) {
  const int lanes = machine.vector_bytes / 4;
  RowRepeater repeater(region, lanes);
  const std::unique_ptr<HloModule> repeated = repeater.Run();
  if (repeated == nullptr) return nullptr;
  std::unique_ptr<HloModule> merged = MergeDimensions(*repeated->entry());
  if (merged == nullptr || ShapeOf(*merged->entry()).rank() >= ShapeOf(region).rank() ||
      !IsWorthLookUps(region, repeater, lanes))
    return nullptr;
  return merged;
}

}  // namespace sinter::plan
