#include "passes/partition/moves.h"

#include <algorithm>

namespace sinter::partition {
namespace {

using Kind = ShardMove::Kind;

size_t CommonPrefix(const Axes& a, const Axes& b) {
  size_t n = 0;
  while (n < a.size() && n < b.size() && a[n] == b[n]) ++n;
  return n;
}

class Planner {
 public:
  Planner(const Mesh& mesh, const Shape& whole, const AxesOfDims& from, const AxesOfDims& to)
      : mesh_(mesh), now_(from), to_(to) {
    for (size_t d = 0; d < from.size(); ++d) {
      const int64_t size = whole.dimension(static_cast<int64_t>(d));
      uneven_.push_back(from[d] != to[d] &&
                        (size % mesh.Parts(from[d]) != 0 || size % mesh.Parts(to[d]) != 0));
    }
  }

  std::vector<ShardMove> Run() {
    while (now_ != to_) {
      // One of them can, unless an axis cuts two dimensions.
      if (!TryPermute() && !TryCut() && !TryAllToAll() && !TryGather()) break;
    }
    return std::move(moves_);
  }

 private:
  void Add(Kind kind, size_t d, size_t to, Axes axes) {
    moves_.push_back(
        {kind, static_cast<int64_t>(d), static_cast<int64_t>(to), std::move(axes), now_});
  }

  // Parts of the same sizes at other places.
  bool TryPermute() {
    for (size_t d = 0; d < now_.size(); ++d) {
      if (mesh_.Parts(now_[d]) != mesh_.Parts(to_[d])) return false;
    }
    now_ = to_;
    Add(Kind::kPermute, 0, 0, {});
    return true;
  }

  bool TryCut() {
    const AxisSet used = SetOf(now_);
    for (size_t d = 0; d < now_.size(); ++d) {
      const size_t known = now_[d].size();
      if (CommonPrefix(now_[d], to_[d]) != known || known == to_[d].size()) continue;
      if (uneven_[d] && known != 0) continue;
      Axes axes;
      for (size_t k = known; k < to_[d].size() && (used >> to_[d][k] & 1) == 0; ++k)
        axes.push_back(to_[d][k]);
      if (axes.empty() || (uneven_[d] && axes != to_[d])) continue;
      now_[d].insert(now_[d].end(), axes.begin(), axes.end());
      Add(Kind::kCut, d, d, std::move(axes));
      return true;
    }
    return false;
  }

  bool TryAllToAll() {
    for (size_t d = 0; d < now_.size(); ++d) {
      const size_t extra = now_[d].size() - CommonPrefix(now_[d], to_[d]);
      if (uneven_[d] || extra == 0) continue;
      for (size_t other = 0; other < now_.size(); ++other) {
        const size_t known = now_[other].size();
        if (other == d || uneven_[other] || CommonPrefix(now_[other], to_[other]) != known)
          continue;
        for (size_t n = std::min(extra, to_[other].size() - known); n > 0; --n) {
          Axes axes(now_[d].end() - static_cast<int64_t>(n), now_[d].end());
          if (!std::equal(axes.begin(), axes.end(),
                          to_[other].begin() + static_cast<int64_t>(known)))
            continue;
          now_[d].resize(now_[d].size() - n);
          now_[other].insert(now_[other].end(), axes.begin(), axes.end());
          Add(Kind::kAllToAll, d, other, std::move(axes));
          return true;
        }
      }
    }
    return false;
  }

  bool TryGather() {
    for (size_t d = 0; d < now_.size(); ++d) {
      const size_t common = uneven_[d] ? 0 : CommonPrefix(now_[d], to_[d]);
      if (common == now_[d].size() || now_[d] == to_[d]) continue;
      Axes axes(now_[d].begin() + static_cast<int64_t>(common), now_[d].end());
      now_[d].resize(common);
      Add(Kind::kGather, d, d, std::move(axes));
      return true;
    }
    return false;
  }

  const Mesh& mesh_;
  AxesOfDims now_;
  const AxesOfDims& to_;
  std::vector<bool> uneven_;
  std::vector<ShardMove> moves_;
};

}  // namespace

std::vector<ShardMove> PlanMoves(const Mesh& mesh, const Shape& whole, const AxesOfDims& from,
                                 const AxesOfDims& to) {
  return Planner(mesh, whole, from, to).Run();
}

int64_t PartBytes(const Mesh& mesh, const Shape& whole, const AxesOfDims& dims) {
  int64_t bytes = ByteWidth(whole.element_type());
  for (int64_t d = 0; d < whole.rank(); ++d)
    bytes *= PartSize(whole.dimension(d), mesh.Parts(dims[static_cast<size_t>(d)]));
  return bytes;
}

int64_t BytesOf(const Mesh& mesh, const Shape& whole, const AxesOfDims& from,
                const std::vector<ShardMove>& moves) {
  int64_t bytes = 0;
  const AxesOfDims* now = &from;
  for (const ShardMove& m : moves) {
    const int64_t part = PartBytes(mesh, whole, *now), parts = mesh.Parts(m.axes);
    if (m.kind == Kind::kGather) bytes += part * (parts - 1);
    if (m.kind == Kind::kAllToAll) bytes += part / parts * (parts - 1);
    if (m.kind == Kind::kPermute) bytes += part;
    now = &m.after;
  }
  return bytes;
}

}  // namespace sinter::partition
