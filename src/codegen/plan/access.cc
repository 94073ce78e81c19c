#include "codegen/plan/access.h"

#include <algorithm>

#include "ir/analysis/index_map.h"

namespace sinter::plan {
namespace {

constexpr size_t kLimit = 1 << 14;

class Finder {
 public:
  explicit Finder(Accesses& result) : result_(result) {}

  void Visit(const HloInstruction* root, Access access) {
    stack_.push_back({root, std::move(access)});
    while (!stack_.empty()) {
      auto [node, at] = std::move(stack_.back());
      stack_.pop_back();
      std::vector<Access>& known = result_.of[node];
      if (std::find(known.begin(), known.end(), at) != known.end()) continue;
      if (++visited_ > kLimit) return;
      known.push_back(at);
      Operands(node, at);
    }
  }

 private:
  void Push(const HloInstruction* node, Access at) { stack_.push_back({node, std::move(at)}); }

  void Operands(const HloInstruction* node, const Access& at) {
    switch (node->op()) {
      case HloOpcode::GetTupleElement:
        return Push(node->operand(0), at);
      case HloOpcode::While:  // each element runs it by itself
        return Push(node->operand(0), at);
      case HloOpcode::Tuple:
        for (const HloInstruction* o : node->operands())
          Push(o, o->shape().rank() == static_cast<int64_t>(at.size()) ? at : Access());
        return;
      case HloOpcode::Reduce:
        return Reduce(node, at);
      case HloOpcode::Dot:
        return Dot(node, at);
      default:
        break;
    }
    for (size_t k = 0; k < node->operands().size(); ++k) {
      const HloInstruction* o = node->operand(k);
      auto map = OperandIndexMap(*node, k);
      // Not affine (interior padding), or a scalar beside the data.
      if (!map) {
        Push(o, Access(static_cast<size_t>(o->shape().rank())));
        continue;
      }
      Access next;
      for (const IndexExpr& e : *map) {
        AccessDim d;
        for (const IndexTerm& t : e.terms) {
          for (const AxisTerm& a : at[static_cast<size_t>(t.dimension)])
            d.push_back({a.axis, a.coefficient * t.coefficient});
        }
        next.push_back(std::move(d));
      }
      Push(o, std::move(next));
    }
  }

  // The axes that a reduction or product opens are the same for every access to it.
  int Inner(const HloInstruction* node, size_t k, int64_t extent) {
    std::vector<int>& axes = opened_[node];
    while (axes.size() <= k) {
      axes.push_back(kInner + static_cast<int>(result_.inner_extents.size()));
      result_.inner_extents.push_back(extent);
    }
    return axes[k];
  }

  void Reduce(const HloInstruction* node, const Access& at) {
    const size_t n = node->operands().size() / 2;
    const Shape& from = node->operand(0)->shape();
    Access full;
    size_t kept = 0, opened = 0;
    for (int64_t d = 0; d < from.rank(); ++d) {
      const bool reduced = std::find(node->dimensions().begin(), node->dimensions().end(), d) !=
                           node->dimensions().end();
      if (reduced) {
        full.push_back({{Inner(node, opened++, from.dimension(d)), 1}});
      } else {
        full.push_back(kept < at.size() ? at[kept] : AccessDim{});
        ++kept;
      }
    }
    for (size_t k = 0; k < n; ++k) Push(node->operand(k), full);
    for (size_t k = n; k < 2 * n; ++k) Push(node->operand(k), {});
  }

  void Dot(const HloInstruction* node, const Access& at) {
    const auto& a = node->attrs<DotAttrs>();
    const size_t batch = a.lhs_batch_dims.size();
    size_t next_free = batch;
    for (size_t side = 0; side < 2; ++side) {
      const Shape& s = node->operand(side)->shape();
      const Dims& batch_dims = side == 0 ? a.lhs_batch_dims : a.rhs_batch_dims;
      const Dims& contracting = side == 0 ? a.lhs_contracting_dims : a.rhs_contracting_dims;
      Access c(static_cast<size_t>(s.rank()));
      std::vector<bool> taken(c.size(), false);
      for (size_t k = 0; k < batch; ++k) {
        c[static_cast<size_t>(batch_dims[k])] = at[k];
        taken[static_cast<size_t>(batch_dims[k])] = true;
      }
      for (size_t k = 0; k < contracting.size(); ++k) {
        c[static_cast<size_t>(contracting[k])] = {{Inner(node, k, s.dimension(contracting[k])), 1}};
        taken[static_cast<size_t>(contracting[k])] = true;
      }
      for (size_t d = 0; d < c.size(); ++d) {
        if (!taken[d]) c[d] = at[next_free++];
      }
      Push(node->operand(side), std::move(c));
    }
  }

  Accesses& result_;
  std::vector<std::pair<const HloInstruction*, Access>> stack_;
  absl::flat_hash_map<const HloInstruction*, std::vector<int>> opened_;
  size_t visited_ = 0;
};

}  // namespace

Accesses FindAccesses(const std::vector<const HloInstruction*>& outputs) {
  Accesses result;
  Finder finder(result);
  for (const HloInstruction* o : outputs) {
    Access identity;
    for (int64_t d = 0; d < o->shape().rank(); ++d) identity.push_back({{static_cast<int>(d), 1}});
    finder.Visit(o, std::move(identity));
  }
  for (const HloInstruction* i : outputs[0]->parent()->PostOrder()) {
    if (result.of.contains(i)) result.order.push_back(i);
  }
  return result;
}

bool Uses(const Access& access, int axis) {
  for (const AccessDim& d : access) {
    for (const AxisTerm& t : d) {
      if (t.axis == axis) return true;
    }
  }
  return false;
}

}  // namespace sinter::plan
