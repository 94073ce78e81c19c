#include "codegen/plan/pieces.h"
#include "target/tuning.h"

#include <algorithm>
#include <numeric>

#include "absl/algorithm/container.h"

namespace sinter::plan {
namespace {

using Intervals = std::vector<Interval>;

// Whether vectors along the axis are whole but for a few: parts shorter than a vector run element
// by element.
bool FillsVectors(const Intervals& parts, int64_t extent, int lanes) {
  int64_t narrow = 0;
  for (const Interval& p : parts) narrow += p.size() < lanes ? p.size() : 0;
  return narrow * 8 <= extent;
}

Box LargestOf(const std::vector<Intervals>& parts) {
  auto size = [](const Interval& a, const Interval& b) { return a.size() < b.size(); };
  Box box;
  for (const Intervals& axis : parts)
    box.push_back(*std::max_element(axis.begin(), axis.end(), size));
  return box;
}

// A box and slabs around it, at most two an axis, which decide for each element what their own axis
// leaves open.
std::vector<Box> Around(const Box& inner, const std::vector<int64_t>& dims) {
  std::vector<Box> all;
  Box rest;
  for (int64_t n : dims) rest.push_back({0, n});
  for (size_t d = 0; d < dims.size(); ++d) {
    for (const Interval& side : {Interval{0, inner[d].lo}, Interval{inner[d].hi, dims[d]}}) {
      if (side.empty()) continue;
      all.push_back(rest);
      all.back()[d] = side;
    }
    rest[d] = inner[d];
  }
  all.push_back(inner);
  return all;
}

// Cuts a box at its seams, axis by axis, each part at its own: of a stack of planes each plane only
// where it has any. False where the parts' code is too much.
class Divider {
 public:
  Divider(const std::vector<bool>& may_cut, const SeamsOf& look, int64_t most_operations)
      : may_cut_(may_cut), look_(look), most_operations_(most_operations) {}

  bool Add(const Box& box) {
    const std::optional<Seams> here = look_(box);
    if (!here) return false;
    for (size_t d = 0; d < box.size(); ++d) {
      if (!may_cut_[d] || here->cuts[d].empty()) continue;
      Box part = box;
      for (const Interval& along : Between(here->cuts[d], box[d])) {
        part[d] = along;
        if (!Add(part)) return false;
      }
      return true;
    }
    operations_ += here->operations;
    boxes_.push_back(box);
    return operations_ <= most_operations_;
  }
  std::vector<Box> Take() { return std::move(boxes_); }

 private:
  const std::vector<bool>& may_cut_;
  const SeamsOf& look_;
  int64_t most_operations_, operations_ = 0;
  std::vector<Box> boxes_;
};

// Boxes that one nest may compute, and what it takes to run and to compile, each of a nest of its
// own and together: in nanoseconds of a thread.
struct Joined {
  std::vector<Box> boxes;
  double tasks = 0, vectors = 0, run = 0, code = 0;
};
double CodeOf(double operations) {
  return tuning::kCodeOfOperation * (tuning::kFunctionOperations + operations);
}

bool DifferOnlyIn(const Box& a, const Box& b, size_t dim) {
  for (size_t d = 0; d < a.size(); ++d)
    if (d != dim && a[d] != b[d]) return false;
  return true;
}

// Pieces that differ in columns alone, and stand side by side, become one, of parts of rows.
void JoinColumns(size_t dim, std::vector<Piece>& pieces) {
  auto columns_of = [&](const Piece& piece) { return piece.boxes[0][dim]; };
  absl::c_stable_sort(
      pieces, [&](const Piece& a, const Piece& b) { return columns_of(a).lo < columns_of(b).lo; });
  std::vector<Piece> joined;
  for (Piece& piece : pieces) {
    const auto left = absl::c_find_if(joined, [&](const Piece& other) {
      return other.boxes.size() == 1 && piece.boxes.size() == 1 &&
             columns_of(other).hi == columns_of(piece).lo &&
             DifferOnlyIn(other.boxes[0], piece.boxes[0], dim);
    });
    if (left == joined.end()) {
      joined.push_back(std::move(piece));
      continue;
    }
    if (left->columns.empty()) left->columns.push_back(columns_of(*left));
    left->columns.push_back(columns_of(piece));
    left->boxes[0][dim].hi = columns_of(piece).hi;
  }
  pieces = std::move(joined);
}

}  // namespace

Box HullOf(const std::vector<Box>& boxes) {
  Box hull = boxes[0];
  for (const Box& box : boxes) {
    for (size_t d = 0; d < hull.size(); ++d)
      hull[d] = {std::min(hull[d].lo, box[d].lo), std::max(hull[d].hi, box[d].hi)};
  }
  return hull;
}

std::vector<std::vector<Box>> JoinSmall(std::vector<Box> boxes, const std::vector<bool>& may_differ,
                                        int lanes, const SeamsOf& look) {
  if (boxes.size() < 3 || std::count(may_differ.begin(), may_differ.end(), true) == 0) {
    std::vector<std::vector<Box>> each;
    for (Box& box : boxes) each.push_back({std::move(box)});
    return each;
  }
  auto vectors_of = [&](const Box& box) {
    const int64_t columns = box.back().size();
    return static_cast<double>(ElementsIn(box) / std::max<int64_t>(columns, 1) *
                               ((columns + lanes - 1) / lanes));
  };
  auto run_of = [&](double vectors, double operations) {
    return vectors * operations * tuning::kCpuVectorOperation;
  };
  std::vector<double> operations;
  double all = 0;
  for (const Box& box : boxes) {
    const std::optional<Seams> here = look(box);
    operations.push_back(here ? static_cast<double>(here->operations) : 0);
    all += run_of(vectors_of(box), operations.back());
  }
  std::vector<size_t> order(boxes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return ElementsIn(boxes[a]) < ElementsIn(boxes[b]); });
  order.pop_back();  // the largest
  std::vector<Joined> groups;
  std::vector<bool> taken(boxes.size(), false);
  for (size_t k : order) {
    const double tasks = static_cast<double>(ElementsIn(boxes[k]) / boxes[k].back().size()),
                 vectors = vectors_of(boxes[k]), run = run_of(vectors, operations[k]),
                 code = CodeOf(operations[k]);
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Joined& g) {
      for (size_t d = 0; d < boxes[k].size(); ++d)
        if (!may_differ[d] && g.boxes[0][d] != boxes[k][d]) return false;
      return true;
    });
    if (group == groups.end()) {
      groups.push_back({{boxes[k]}, tasks, vectors, run, code});
      taken[k] = true;
      continue;
    }
    Joined more = *group;
    more.boxes.push_back(boxes[k]);
    more.tasks += tasks;
    more.vectors += vectors;
    more.run += run;
    more.code += code;
    const std::optional<Seams> here = look(HullOf(more.boxes));
    if (!here) continue;
    const double tested = tuning::kTestedOperation * static_cast<double>(here->operations),
                 choice = tuning::kBoxOperations * static_cast<double>(more.boxes.size()),
                 loss = tuning::kBoxTask * more.tasks + run_of(more.vectors, tested) - more.run,
                 gain = more.code - CodeOf(tested + choice);
    if (gain <= 0 || (loss > tuning::kMostTested * all && loss * tuning::kRunsOfCode > gain))
      continue;
    *group = std::move(more);
    taken[k] = true;
  }
  std::vector<std::vector<Box>> joined;
  for (size_t k = 0; k < boxes.size(); ++k)
    if (!taken[k]) joined.push_back({std::move(boxes[k])});
  for (Joined& g : groups) joined.insert(joined.begin(), std::move(g.boxes));
  return joined;
}

void JoinAlongLoop(std::vector<Piece>& pieces, Plan& plan) {
  if (pieces.size() < 2 || plan.first.empty()) return;
  const size_t rank = pieces[0].boxes[0].size();
  if (plan.GoesAlongRows(rank) && !plan.aligns_rows && plan.columns.empty() &&
      absl::c_all_of(pieces, [](const Piece& piece) { return piece.columns.empty(); })) {
    JoinColumns(rank - 1, pieces);
    if (pieces.size() == 1) {
      plan.columns = std::move(pieces[0].columns);
      plan.non_temporal = plan.non_temporal && absl::c_all_of(plan.columns, [&](const Interval& c) {
                            return c.lo % plan.lanes == 0;
                          });
      pieces.clear();
      return;
    }
  }
  const Box& box = pieces[0].boxes[0];
  int along = -1;
  for (const Piece& piece : pieces) {
    if (piece.boxes.size() > 1 || !piece.columns.empty()) return;
    for (size_t d = 0; d < rank; ++d) {
      const auto dim = static_cast<int>(d);
      if (dim == along || piece.boxes[0][d] == box[d]) continue;
      if (along >= 0 || !absl::c_linear_search(plan.loop_dims, dim)) return;
      along = dim;
    }
  }
  if (along < 0) return;
  for (const Piece& piece : pieces)
    plan.parts.push_back(piece.boxes[0][static_cast<size_t>(along)]);
  absl::c_sort(plan.parts, [](const Interval& a, const Interval& b) { return a.lo < b.lo; });
  plan.parts_dim = along;
  pieces.clear();
}

std::vector<Interval> Between(const std::vector<int64_t>& cuts, const Interval& domain) {
  std::vector<Interval> all;
  int64_t lo = domain.lo;
  for (int64_t cut : cuts) {
    all.push_back({lo, cut});
    lo = cut;
  }
  all.push_back({lo, domain.hi});
  return all;
}

std::vector<Box> ChoosePieces(const Seams& whole, const std::vector<int64_t>& dims, int lanes,
                              const SeamsOf& look) {
  std::vector<Intervals> parts;
  std::vector<bool> may_cut(dims.size(), true);
  Box all;
  int64_t elements = 1, boxes = 1;
  for (size_t d = 0; d < dims.size(); ++d) {
    all.push_back({0, dims[d]});
    parts.push_back(Between(whole.cuts[d], all[d]));
    // Of a single row there is no line of memory that several parts would go through.
    if (d + 1 == dims.size() && elements > 1 && !FillsVectors(parts[d], dims[d], lanes)) {
      parts[d] = {all[d]};
      may_cut[d] = false;
    }
    elements *= dims[d];
    boxes = std::min(boxes * static_cast<int64_t>(parts[d].size()), tuning::kMostPieceOperations);
  }
  if (boxes == 1) return {};
  auto divided = [&](int64_t most_operations) {
    Divider divider(may_cut, look, most_operations);
    return divider.Add(all) ? divider.Take() : std::vector<Box>();
  };
  // Masks compute all parts for each vector of a tile.
  const int64_t vectors =
      std::min<int64_t>((dims.back() + lanes - 1) / lanes, tuning::kMaskedVectors);
  const int64_t masked = vectors * (whole.operations + boxes);
  // Where there is no time to save, code decides.
  if (elements < boxes * tuning::kElementsAPiece) return divided(masked);
  const Box inner = LargestOf(parts);
  std::vector<Box> around = Around(inner, dims);
  const auto slabs = static_cast<int64_t>(around.size());
  auto is_decided = [&](const Box& box) {
    const std::optional<Seams> here = look(box);
    return here && std::all_of(here->cuts.begin(), here->cuts.end(),
                               [](const std::vector<int64_t>& cuts) { return cuts.empty(); });
  };
  if (slabs < boxes && std::all_of(around.begin(), around.end(), is_decided)) return around;
  const bool is_border = 8 * (elements - ElementsIn(inner)) <= elements && slabs < boxes;
  if (!is_border) {
    std::vector<Box> each = divided(std::max(tuning::kMostPieceOperations, masked));
    if (!each.empty()) return each;
  }
  if (2 * ElementsIn(inner) < elements ||
      slabs * whole.operations > 2 * tuning::kMostPieceOperations)
    return {};
  return around;
}

}  // namespace sinter::plan
