#include "compiler/region_cost.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "codegen/plan/plan.h"
#include "ir/analysis/index_map.h"
#include "ir/analysis/op_cost.h"

namespace sinter::compiler {
namespace {

// `count` of the coordinates in [lo, hi].
struct Interval {
  int64_t lo = 0, hi = -1, count = 0;
  bool operator==(const Interval&) const = default;
};

// Elements of an array that are read: a product of intervals, or `most` of it where they depend on
// each other. Where `moves`, nobody knows its place before the program runs.
struct Box {
  std::vector<Interval> dims;
  double most = HUGE_VAL;
  bool moves = false;

  double Elements() const {
    double n = 1;
    for (const Interval& i : dims) n *= static_cast<double>(i.count);
    return std::min(n, most);
  }
};

constexpr size_t kMostBoxes = 16;  // of one value; more become the one around them

Box WholeOf(const Shape& shape) {
  Box box;
  for (int64_t n : shape.dimensions()) box.dims.push_back({0, n - 1, n});
  return box;
}

// The shape of what a node computes; of several results the largest: a loop's state may have
// scalars beside its arrays, which are all alike.
const Shape& ArrayOf(const HloInstruction& i) {
  if (!i.shape().is_tuple() || i.shape().tuple_shapes().empty()) return i.shape();
  return *absl::c_max_element(i.shape().tuple_shapes(), [](const Shape& a, const Shape& b) {
    return a.element_count() < b.element_count();
  });
}

bool Contains(const Box& outer, const Box& inner) {
  if (outer.moves || inner.moves) return false;
  for (size_t d = 0; d < outer.dims.size(); ++d) {
    const Interval &o = outer.dims[d], &i = inner.dims[d];
    const bool dense = o.count == o.hi - o.lo + 1;
    if (!(o == i) && !(dense && o.lo <= i.lo && i.hi <= o.hi)) return false;
  }
  return outer.most >= inner.most;
}

Box Around(const std::vector<Box>& boxes) {
  Box around = boxes[0];
  around.most = HUGE_VAL;
  for (size_t d = 0; d < around.dims.size(); ++d) {
    Interval& i = around.dims[d];
    for (const Box& b : boxes) {
      i.lo = std::min(i.lo, b.dims[d].lo);
      i.hi = std::max(i.hi, b.dims[d].hi);
    }
    i.count = i.hi - i.lo + 1;
  }
  return around;
}

class Counter {
 public:
  explicit Counter(const HloComputation& region) : region_(region) {}

  program::Cost Run() {
    const std::vector<const HloInstruction*> outputs = plan::Outputs(region_);
    const HloInstruction* scatter = plan::ScatterOf(region_);
    for (const HloInstruction* o : outputs) {
      Read(o, WholeOf(o->shape()));
      cost_.bytes_written += o->shape().packed_byte_size();
    }
    const HloInstruction* window = plan::Window(region_);
    if (window != nullptr) {
      for (size_t k = 2; k < window->operands().size(); ++k)
        Read(window->operand(k), WholeOf(window->operand(k)->shape()));
    }
    if (scatter != nullptr) AddScatter(*scatter);
    const std::vector<HloInstruction*> order = region_.PostOrder();
    for (size_t k = order.size(); k-- > 0;) {
      auto read = read_.find(order[k]);
      if (read != read_.end()) Visit(*order[k], read->second);
    }
    return cost_;
  }

 private:
  void Read(const HloInstruction* i, Box box) {
    if (box.dims.size() != static_cast<size_t>(ArrayOf(*i).rank())) box = WholeOf(ArrayOf(*i));
    for (const Interval& d : box.dims) {
      if (d.count <= 0) return;
    }
    std::vector<Box>& known = read_[i];
    for (const Box& b : known) {
      if (Contains(b, box)) return;
    }
    std::erase_if(known, [&](const Box& b) { return Contains(box, b); });
    known.push_back(std::move(box));
    if (known.size() > kMostBoxes) known = {Around(known)};
  }

  // Overlaps count once where that is easy to see.
  static double Elements(const HloInstruction& i, const std::vector<Box>& boxes) {
    double sum = 0;
    bool moves = false;
    for (const Box& b : boxes) {
      sum += b.Elements();
      moves |= b.moves;
    }
    const double own = static_cast<double>(ArrayOf(i).element_count());
    return std::min(sum, moves ? own : std::min(own, Around(boxes).Elements()));
  }

  void Add(double operations, ElementType type) {
    cost_.operations += operations;
    if (ByteWidth(type) >= (IsComplex(type) ? 16 : 8)) cost_.wide_operations += operations;
  }

  // Operations of a computation on scalars, run `times`.
  void AddCalls(const HloComputation& called, double times) {
    for (const HloInstruction* i : called.PostOrder()) {
      if (i->shape().is_array()) Add(times * OpCost(*i), i->shape().element_type());
    }
  }

  void AddScatter(const HloInstruction& scatter) {
    const size_t inputs = scatter.operands().size() / 2;
    const HloInstruction* indices = scatter.operand(inputs);
    Read(indices, WholeOf(indices->shape()));
    const Shape& updates = scatter.operand(inputs + 1)->shape();
    AddCalls(*scatter.called(0), static_cast<double>(updates.element_count()));
    // One that only replaces elements does not read them.
    const HloInstruction* root = scatter.called(0)->root();
    const bool replaces = root->op() == HloOpcode::Parameter &&
                          root->attrs<ParameterAttrs>().number >= static_cast<int64_t>(inputs);
    if (!replaces) cost_.bytes_read += cost_.bytes_written;
  }

  void Visit(const HloInstruction& i, const std::vector<Box>& boxes) {
    const double elements = Elements(i, boxes);
    switch (i.op()) {
      case HloOpcode::Parameter:
        cost_.bytes_read += std::llround(
            std::ceil(elements * static_cast<double>(i.shape().packed_byte_size()) /
                      static_cast<double>(std::max<int64_t>(1, i.shape().element_count()))));
        return;
      case HloOpcode::Tuple:
      case HloOpcode::GetTupleElement:
        for (const Box& b : boxes) Pass(i, b);
        return;
      case HloOpcode::While:  // each element, or scalar, by itself
        AddCalls(*i.called(0), elements);
        AddCalls(*i.called(1), elements);
        for (const Box& b : boxes) Pass(i, b);
        return;
      case HloOpcode::Reduce:
        return Reduce(i, boxes, elements);
      case HloOpcode::Dot:
        return Dot(i, boxes, elements);
      case HloOpcode::ReduceWindow:  // cumulative: one step an element
        AddCalls(*i.called(0), static_cast<double>(ArrayOf(i).element_count()));
        for (const HloInstruction* o : i.operands()) Read(o, WholeOf(o->shape()));
        return;
      default:
        Add(elements * OpCost(i), i.shape().element_type());
        for (const Box& b : boxes) {
          for (size_t k = 0; k < i.operands().size(); ++k) Operand(i, k, b);
        }
    }
  }

  void Pass(const HloInstruction& i, const Box& box) {
    for (const HloInstruction* o : i.operands()) Read(o, box);
  }

  void Reduce(const HloInstruction& i, const std::vector<Box>& boxes, double elements) {
    const Shape& from = i.operand(0)->shape();
    double reduced = 1;
    for (int64_t d : i.dimensions()) reduced *= static_cast<double>(from.dimension(d));
    AddCalls(*i.called(0), elements * reduced);
    const size_t inputs = i.operands().size() / 2;
    for (const Box& b : boxes) {
      Box full = WholeOf(from);
      size_t kept = 0;
      for (size_t d = 0; d < full.dims.size(); ++d) {
        if (!absl::c_linear_search(i.dimensions(), static_cast<int64_t>(d)))
          full.dims[d] = b.dims[kept++];
      }
      full.most = b.most * reduced;
      full.moves = b.moves;
      for (size_t k = 0; k < inputs; ++k) Read(i.operand(k), full);
    }
    for (size_t k = inputs; k < 2 * inputs; ++k) Read(i.operand(k), {});
  }

  void Dot(const HloInstruction& i, const std::vector<Box>& boxes, double elements) {
    const auto& a = i.attrs<DotAttrs>();
    double depth = 1;
    for (int64_t d : a.lhs_contracting_dims)
      depth *= static_cast<double>(i.operand(0)->shape().dimension(d));
    const ElementType type = i.shape().element_type();
    Add(elements * depth * (IsComplex(type) ? 8 : 2), type);
    for (const Box& b : boxes) {
      size_t free = a.lhs_batch_dims.size();
      for (size_t side = 0; side < 2; ++side) {
        const Dims& batch = side == 0 ? a.lhs_batch_dims : a.rhs_batch_dims;
        const Dims& contracting = side == 0 ? a.lhs_contracting_dims : a.rhs_contracting_dims;
        Box read = WholeOf(i.operand(side)->shape());
        for (size_t d = 0; d < read.dims.size(); ++d) {
          const auto at = absl::c_find(batch, static_cast<int64_t>(d));
          if (at != batch.end()) {
            read.dims[d] = b.dims[static_cast<size_t>(at - batch.begin())];
          } else if (!absl::c_linear_search(contracting, static_cast<int64_t>(d))) {
            read.dims[d] = b.dims[free++];
          }
        }
        read.moves = b.moves;
        Read(i.operand(side), std::move(read));
      }
    }
  }

  // What an operation with an index map reads of an operand for `box` of its result.
  void Operand(const HloInstruction& i, size_t k, const Box& box) {
    const HloInstruction* o = i.operand(k);
    Box read = WholeOf(ArrayOf(*o));
    const auto map = OperandIndexMap(i, k);
    if (!map || map->size() != read.dims.size()) {
      // A reshape reads as many elements as it has, wherever they are.
      if (i.op() == HloOpcode::Reshape) {
        read.most = box.Elements();
        read.moves = true;
      }
      return Read(o, std::move(read));
    }
    for (size_t d = 0; d < read.dims.size(); ++d) {
      if (!Project((*map)[d], box, read.dims[d])) return;
    }
    read.moves = box.moves;
    if (k == 0 && (i.op() == HloOpcode::DynamicSlice || i.op() == HloOpcode::Gather)) {
      read.moves = true;
      read.most = box.Elements();
      for (size_t d = 0; d < read.dims.size(); ++d) {
        const int64_t n = o->shape().dimension(static_cast<int64_t>(d));
        // The coordinates of a run-time start reach everywhere.
        const bool starts =
            i.op() == HloOpcode::Gather &&
            absl::c_linear_search(i.attrs<GatherAttrs>().start_index_map, static_cast<int64_t>(d));
        read.dims[d] = {0, n - 1, starts ? n : std::min(n, read.dims[d].count)};
      }
    }
    Read(o, std::move(read));
  }

  // The coordinates that an expression takes over a box, as far as they are in `to`, which is the
  // operand's whole extent; false: none.
  static bool Project(const IndexExpr& e, const Box& box, Interval& to) {
    if (e.terms.empty()) {
      // A broadcast's extent of 1, or positions that depend on the program's data.
      return to.count > 0;
    }
    Interval r{e.offset, e.offset, 1};
    for (const IndexTerm& t : e.terms) {
      const Interval& axis = box.dims[static_cast<size_t>(t.dimension)];
      const int64_t a = axis.lo * t.coefficient, b = axis.hi * t.coefficient;
      r.lo += std::min(a, b);
      r.hi += std::max(a, b);
      if (t.coefficient != 0) r.count *= axis.count;
    }
    const int64_t length = r.hi - r.lo + 1;
    r.count = std::min(r.count, length);
    Interval clipped{std::max(r.lo, to.lo), std::min(r.hi, to.hi), 0};
    const int64_t left = clipped.hi - clipped.lo + 1;
    if (left <= 0) return false;
    // Of a strided interval the same share.
    clipped.count = left == length ? r.count : std::max<int64_t>(1, r.count * left / length);
    to = clipped;
    return true;
  }

  const HloComputation& region_;
  absl::flat_hash_map<const HloInstruction*, std::vector<Box>> read_;
  program::Cost cost_;
};

}  // namespace

program::Cost CostOf(const HloComputation& region) { return Counter(region).Run(); }

}  // namespace sinter::compiler
