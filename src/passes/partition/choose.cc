#include "passes/partition/choose.h"

#include <algorithm>
#include <numeric>

#include "passes/partition/moves.h"

namespace sinter::partition {
namespace {

// What a partition computes, an operation an element of all that the factors run over, weighs as
// much as moving so many bytes: more than it takes, so that what is cut stays cut, in memory too,
// unless moving parts of it costs much.
constexpr double kBytesPerOperation = 1;

struct Tensor {
  const std::vector<Dims>* along;
  const AxesOfDims* dims;
};

class Chooser {
 public:
  Chooser(const Mesh& mesh, const HloInstruction& i, const Rule& rule,
          const std::vector<AxesOfDims>& operands, const std::vector<AxesOfDims>& results,
          AxisSet taken)
      : mesh_(mesh),
        i_(i),
        rule_(rule),
        operands_(operands),
        results_(results),
        taken_(taken),
        leaves_(LeavesOf(i.shape())) {}

  OperationCut Run() {
    std::vector<Tensor> of_results, of_operands;
    for (size_t k = 0; k < results_.size(); ++k)
      of_results.push_back({&rule_.results[k], &results_[k]});
    std::vector<size_t> order(operands_.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return i_.operand(a)->shape().byte_size() > i_.operand(b)->shape().byte_size();
    });
    for (size_t k : order) of_operands.push_back({&rule_.operands[k], &operands_[k]});

    std::vector<std::vector<Tensor>> orders(5);
    orders[0] = of_results;
    orders[0].insert(orders[0].end(), of_operands.begin(), of_operands.end());
    orders[1] = of_operands;
    orders[1].insert(orders[1].end(), of_results.begin(), of_results.end());
    orders[2] = of_results;
    orders[3].assign(of_operands.rbegin(), of_operands.rend());
    orders[3].insert(orders[3].end(), of_results.begin(), of_results.end());
    OperationCut best;
    double least = -1;
    for (const auto& tensors : orders) {
      OperationCut cut = Cut(tensors);
      const double cost = Cost(cut);
      if (least < 0 || cost < least) {
        least = cost;
        best = std::move(cut);
      }
    }
    return best;
  }

 private:
  // What comes first takes its axes.
  OperationCut Cut(const std::vector<Tensor>& tensors) const {
    OperationCut cut;
    cut.of_factors.resize(rule_.factors.size());
    AxisSet used = taken_;
    for (const Tensor& tensor : tensors) {
      for (size_t d = 0; d < tensor.along->size(); ++d) {
        const Dims& along = (*tensor.along)[d];
        if (along.empty()) continue;
        std::vector<Axes> mine(rule_.factors.size());
        rule_.AddAxes(mesh_, along, (*tensor.dims)[d], mine);
        for (int64_t f : along) {
          Axes& known = cut.of_factors[static_cast<size_t>(f)];
          if (!known.empty()) continue;
          for (int64_t a : mine[static_cast<size_t>(f)]) {
            if ((used >> a & 1) != 0) break;
            known.push_back(a);
            used |= AxisSet{1} << a;
          }
        }
      }
    }
    Settle(cut.of_factors);
    for (const auto& along : rule_.operands) cut.operands.push_back(Along(along, cut.of_factors));
    for (const auto& along : rule_.results) cut.results.push_back(Along(along, cut.of_factors));
    for (size_t f = 0; f < rule_.factors.size(); ++f) {
      if (rule_.factors[f].kind == FactorKind::kReduce ||
          rule_.factors[f].kind == FactorKind::kLookup)
        cut.combined.insert(cut.combined.end(), cut.of_factors[f].begin(), cut.of_factors[f].end());
    }
    std::sort(cut.combined.begin(), cut.combined.end());
    return cut;
  }

  // A factor that stands in some dimension behind one that is not cut into single elements is not
  // cut.
  void Settle(std::vector<Axes>& of_factors) const {
    for (bool changed = true; changed;) {
      changed = false;
      auto settle = [&](const std::vector<Dims>& dims) {
        for (const Dims& along : dims) {
          bool whole = false;
          for (int64_t f : along) {
            Axes& axes = of_factors[static_cast<size_t>(f)];
            if (whole && !axes.empty()) {
              axes.clear();
              changed = true;
            }
            whole |= mesh_.Parts(axes) != rule_.factors[static_cast<size_t>(f)].size;
          }
        }
      };
      for (const auto& dims : rule_.operands) settle(dims);
      for (const auto& dims : rule_.results) settle(dims);
    }
  }

  AxesOfDims Along(const std::vector<Dims>& dims, const std::vector<Axes>& of_factors) const {
    AxesOfDims out;
    for (const Dims& along : dims) out.push_back(rule_.AxesAlong(mesh_, along, of_factors));
    return out;
  }

  double Cost(const OperationCut& cut) const {
    double bytes = 0;
    for (size_t k = 0; k < cut.operands.size(); ++k)
      bytes += MoveBytes(i_.operand(k)->shape(), operands_[k], cut.operands[k]);
    for (size_t k = 0; k < cut.results.size(); ++k) {
      AxesOfDims now = cut.results[k];
      if (!leaves_[k].is_array()) continue;
      if (!cut.combined.empty()) {
        const ScatteredDimension scatter =
            FindScatter(mesh_, leaves_[k], now, results_[k], cut.combined);
        Axes rest;
        for (int64_t a : cut.combined) {
          if (std::find(scatter.axes.begin(), scatter.axes.end(), a) == scatter.axes.end())
            rest.push_back(a);
        }
        if (!scatter.axes.empty()) {
          const auto parts = static_cast<double>(mesh_.Parts(scatter.axes));
          bytes += Bytes(leaves_[k], now) * (parts - 1) / parts;
          now[scatter.d].insert(now[scatter.d].end(), scatter.axes.begin(), scatter.axes.end());
        }
        const auto parts = static_cast<double>(mesh_.Parts(rest));
        bytes += 2 * Bytes(leaves_[k], now) * (parts - 1) / parts;
      }
      bytes += MoveBytes(leaves_[k], now, results_[k]);
    }
    // What all factors run over, or at least all of the largest array.
    double work = 1, largest = 1;
    for (size_t f = 0; f < rule_.factors.size(); ++f) {
      work *= static_cast<double>(PartSize(rule_.factors[f].size, mesh_.Parts(cut.of_factors[f])));
    }
    for (size_t k = 0; k < cut.operands.size(); ++k)
      largest = std::max(largest, Bytes(i_.operand(k)->shape(), cut.operands[k]));
    for (size_t k = 0; k < cut.results.size(); ++k)
      largest = std::max(largest, Bytes(leaves_[k], cut.results[k]));
    return bytes + (work + largest) * kBytesPerOperation;
  }

  double Bytes(const Shape& whole, const AxesOfDims& dims) const {
    return whole.is_array() ? static_cast<double>(PartBytes(mesh_, whole, dims)) : 0;
  }
  double MoveBytes(const Shape& whole, const AxesOfDims& from, const AxesOfDims& to) const {
    if (!whole.is_array() || from == to) return 0;
    return static_cast<double>(BytesOf(mesh_, whole, from, PlanMoves(mesh_, whole, from, to)));
  }

  const Mesh& mesh_;
  const HloInstruction& i_;
  const Rule& rule_;
  const std::vector<AxesOfDims>& operands_;
  const std::vector<AxesOfDims>& results_;
  AxisSet taken_;
  std::vector<Shape> leaves_;
};

}  // namespace

OperationCut ChooseCut(const Mesh& mesh, const HloInstruction& i, const Rule& rule,
                       const std::vector<AxesOfDims>& operands,
                       const std::vector<AxesOfDims>& results, AxisSet taken) {
  return Chooser(mesh, i, rule, operands, results, taken).Run();
}

ScatteredDimension FindScatter(const Mesh& mesh, const Shape& whole, const AxesOfDims& now,
                               const AxesOfDims& wanted, const Axes& combined) {
  const AxisSet free = SetOf(combined);
  for (size_t d = 0; d < now.size(); ++d) {
    const size_t known = now[d].size();
    if (wanted[d].size() <= known || !std::equal(now[d].begin(), now[d].end(), wanted[d].begin()))
      continue;
    Axes axes;
    for (size_t k = known; k < wanted[d].size() && (free >> wanted[d][k] & 1) != 0; ++k)
      axes.push_back(wanted[d][k]);
    const int64_t parts = mesh.Parts(now[d]) * mesh.Parts(axes);
    if (!axes.empty() && whole.dimension(static_cast<int64_t>(d)) % parts == 0) return {d, axes};
  }
  return {};
}

}  // namespace sinter::partition
