#include "codegen/plan/gemm.h"

#include <algorithm>
#include <functional>

#include "absl/algorithm/container.h"
#include "ir/analysis/access.h"
#include "ir/analysis/op_cost.h"
#include "ir/analysis/packing.h"
#include "target/tuning.h"

namespace sinter::plan {
namespace {

int64_t ElementsOf(absl::Span<const int64_t> extents) {
  return absl::c_accumulate(extents, int64_t{1}, std::multiplies<>());
}

// Elements that the last of several contracted dimensions is a multiple of, so that vectors lie in
// it; and where the right operand is transposed, by squares of at most 16 words of four.
constexpr int64_t kRun = 32, kTransposedRun = 64;
// The same of words, of which fewer are a vector.
constexpr int64_t kRunOfWords = 16;

// Rows that a register tile is to have at least, on any machine, where they lie in one dimension.
constexpr int64_t kLeastTiledRows = 3;

MatrixProduct::Side SideOf(const Shape& operand, const std::vector<int64_t>& batch,
                           const std::vector<int64_t>& contracted) {
  MatrixProduct::Side side{batch, {}, contracted};
  for (int64_t d = 0; d < operand.rank(); ++d)
    if (!absl::c_linear_search(contracted, d) && !absl::c_linear_search(batch, d))
      side.free.push_back(d);
  return side;
}

// The dimension of a value along which memory runs where it is computed from: what most of the
// elements that are read say.
int64_t MinorOf(const HloInstruction& x) {
  const Accesses accesses = FindAccesses({&x}, WholeOf(x.shape()));
  std::vector<int64_t> votes(static_cast<size_t>(x.shape().rank()), 0);
  for (const HloInstruction* i : accesses.order) {
    if (i->op() != HloOpcode::Parameter) continue;
    for (const Access& a : accesses.of.at(i)) {
      if (!a.empty() && a.back().size() == 1 && a.back()[0].axis < kInner)
        votes[static_cast<size_t>(a.back()[0].axis)] += i->shape().element_count();
    }
  }
  // The last of the largest: its own, if nothing is read.
  return votes.rend() - std::max_element(votes.rbegin(), votes.rend()) - 1;
}

// Units of OpCost of an element of an operand, in the region that its product is in.
double CostWithin(const HloInstruction& x) {
  double cost = 0;
  for (const HloInstruction* i : FindAccesses({&x}, WholeOf(x.shape())).order) cost += OpCost(*i);
  return cost;
}

// The words that the machine's instruction for vectors adds up, of those of a product (WordOf):
// bytes are S16 where it has none for them.
int WordOfVectors(int word, const CpuMachine& machine) {
  if (word == 4) return machine.dot_bytes ? 4 : 2;
  return machine.dot_bf16 ? word : 1;
}

constexpr int64_t kTile = GemmBlocks::kTile;

// The most rows of a register tile that a dimension of so many elements is a multiple of.
int64_t TiledRows(int64_t extent, int64_t most) {
  int64_t rows = std::min(extent, most);
  while (extent % rows != 0) --rows;
  return rows;
}
constexpr int64_t kFewestRows = 6;  // that a machine's register tiles have at most
int64_t MostRows(const CpuMachine& machine) {
  return machine.vector_registers >= 32 ? 2 * kFewestRows : kFewestRows;
}

// Whether tiles of words can be read of the left operand as it is in memory: rows one after
// another, of whole tiles.
bool IsMadeOfTiles(const HloInstruction& left, const MatrixProduct& product, int rows, int word) {
  return left.op() == HloOpcode::Parameter && !product.sides[0].is_free_minor &&
         product.sides[0].contracted == std::vector<int64_t>{left.shape().rank() - 1} &&
         product.rows.size() == 1 && product.m % rows == 0 && product.k % (kTile * word) == 0;
}

// Two tiles by two, of which each is loaded for two products; fewer where the last would have
// nothing to do, unless that is an eighth of the rows or less and they are not all whole.
void ChooseTilesOfWords(const MatrixProduct& product, GemmBlocks& g) {
  const int64_t over = product.m % (2 * kTile);
  const bool halves = product.has_tiled_rows()
                          ? product.rows.back() % (2 * kTile) != 0
                          : over == kTile || (over > 0 && over < kTile && product.m < 16 * kTile);
  g.tiles = true;
  g.rows = static_cast<int>(halves ? kTile : 2 * kTile);
  g.cols = static_cast<int>(product.n <= kTile ? kTile : 2 * kTile);
}

// Rows of equal tiles, of few of which there are as few more than the product's as can be; and as
// many vectors of columns as there are registers for, but for a row of B and a broadcast.
void ChooseTile(const MatrixProduct& product, const CpuMachine& machine, int lanes, GemmBlocks& g) {
  const int64_t most = MostRows(machine), tiles = (product.m + most - 1) / most;
  g.rows = static_cast<int>(product.has_tiled_rows() ? TiledRows(product.rows.back(), most)
                                                     : (product.m + tiles - 1) / tiles);
  int64_t least = INT64_MAX;
  const int fewest = product.n <= lanes ? 1 : 2;
  for (int v = fewest; v == fewest || (g.rows + 1) * v + 1 < machine.vector_registers; ++v) {
    const int64_t cols = v * lanes, padded = (product.n + cols - 1) / cols * cols;
    if (padded > least) continue;
    least = padded;
    g.cols = static_cast<int>(cols);
  }
}

// Whether it is worth more tasks than threads.
bool IsLong(const MatrixProduct& product, const CpuMachine& machine) {
  return machine.threads > 1 && product.batches() == 1 &&
         static_cast<double>(product.m) * static_cast<double>(product.n) *
                 static_cast<double>(product.k) >=
             static_cast<double>(tuning::kLongProduct) * machine.threads;
}

// Cuts a product into several tasks for each thread. One that is cut into parts of its rows, into
// more of them; of few rows, into bands of columns, each of which packs the rows for itself; of
// many, into blocks of rows, for which B is packed before.
void CutIntoMore(const MatrixProduct& product, int64_t element, const CpuMachine& machine,
                 GemmBlocks& g) {
  const int64_t tasks = tuning::kProductTasks * machine.threads,
                most = std::max<int64_t>(1, product.n / tuning::kColumnsOfBand),
                blocks = (product.m + g.height - 1) / g.height;
  if (g.parts > 1) {
    g.parts = std::max(g.parts, std::min(tasks, product.m / (tuning::kTilesOfPart * g.rows)));
    return;
  }
  if (blocks == 1) {
    g.bands = std::max(g.bands, std::min(most, tasks / 2));
    return;
  }
  // What a block adds up over several slices stays in the second-level cache beside its rows of A.
  const int64_t sums = g.depth < product.k ? product.n * g.height * element : 0;
  const int64_t enough =
      std::max((tasks + blocks - 1) / blocks, (4 * sums + machine.l2_bytes - 1) / machine.l2_bytes);
  const int64_t bands = std::min(most, enough);
  const int64_t packed = (product.n + g.cols - 1) / g.cols * g.cols * product.k / g.word * element;
  if (!g.packs_b || g.tiles || 2 * blocks * bands < tasks || packed > machine.l3_bytes / 2) return;
  g.shares_b = true;
  g.bands = bands;
  g.parts = blocks;
}

}  // namespace

int64_t MatrixProduct::batches() const { return ElementsOf(batch); }

bool SuitsTiles(const HloInstruction& dot, const MatrixProduct& product,
                const CpuMachine& machine) {
  if (!IsOfTiledWords(dot, machine) || product.m < tuning::kLeastRowsOfTiles) return false;
  if (!product.sides[0].is_free_minor) return true;
  return (product.rows.size() == 1 || product.rows.back() % kTile == 0) &&
         (product.depth.size() == 1 || product.run() % (kTile * WordOf(dot)) == 0);
}

std::optional<MatrixProduct> PackedProduct(const HloInstruction& dot, const CpuMachine& machine) {
  return IsWorthPacking(dot, &machine) ? MatrixProductOf(dot) : std::nullopt;
}

std::optional<MatrixProduct> MatrixProductOf(const HloInstruction& dot) {
  const auto& a = dot.attrs<DotAttrs>();
  const ElementType t = dot.shape().element_type();
  if (!IsFloat(t) && !IsInteger(t)) return std::nullopt;
  const Shape& lhs = dot.operand(0)->shape();
  MatrixProduct p{
      .sides = {SideOf(lhs, a.lhs_batch_dims, a.lhs_contracting_dims),
                SideOf(dot.operand(1)->shape(), a.rhs_batch_dims, a.rhs_contracting_dims)}};
  auto& [left, right] = p.sides;
  if (left.free.empty() || right.free.size() != 1 || left.contracted.empty()) return std::nullopt;
  // Memory runs along the last of the contracted dimensions.
  std::optional<size_t> last;
  for (size_t k : {0, 1}) {
    MatrixProduct::Side& side = p.sides[k];
    const auto minor = absl::c_find(side.contracted, MinorOf(*dot.operand(k)));
    side.is_free_minor = absl::c_linear_search(side.free, MinorOf(*dot.operand(k)));
    if (minor == side.contracted.end()) continue;
    const auto at = static_cast<size_t>(minor - side.contracted.begin());
    if (last && *last != at) return std::nullopt;
    last = at;
  }
  for (MatrixProduct::Side& side : p.sides) {
    const auto at =
        side.contracted.begin() + static_cast<ptrdiff_t>(last.value_or(side.contracted.size() - 1));
    std::rotate(at, at + 1, side.contracted.end());
  }
  const auto& dims = dot.shape().dimensions();
  const auto batch = dims.begin() + static_cast<ptrdiff_t>(a.lhs_batch_dims.size());
  p.batch.assign(dims.begin(), batch);
  p.rows.assign(batch, dims.end() - 1);
  for (int64_t d : left.contracted) p.depth.push_back(lhs.dimension(d));
  if (p.has_tiled_rows() && (MinorOf(*dot.operand(0)) != left.free.back() ||
                             TiledRows(p.rows.back(), kFewestRows) < kLeastTiledRows))
    return std::nullopt;
  if (p.depth.size() > 1 && p.has_vectors_in_depth() &&
      p.run() % (!right.is_free_minor ? kTransposedRun
                 : WordOf(dot) > 1    ? kRunOfWords
                                      : kRun) !=
          0)
    return std::nullopt;
  p.m = ElementsOf(p.rows);
  p.n = dims.back();
  p.k = ElementsOf(p.depth);
  return p;
}

// B's panel streams from the second-level cache against rows of A that stay in the first.
GemmBlocks ChooseGemmBlocks(const HloInstruction& dot, const MatrixProduct& product,
                            const CpuMachine& machine, int lanes) {
  GemmBlocks g;
  const int word = WordOf(dot);
  if (SuitsTiles(dot, product, machine)) {
    ChooseTilesOfWords(product, g);
  } else {
    ChooseTile(product, machine, lanes, g);
  }
  g.word = g.tiles ? word : WordOfVectors(word, machine);
  int64_t deepest = (g.tiles && product.m > tuning::kRowsPastCache ? tuning::kDepthOfTiles
                                                                   : tuning::kProductDepth) *
                    g.word;
  const HloInstruction& left = *dot.operand(0);
  // Whether the rows of a register tile are read as they are, in loops over whole runs.
  const bool by_runs = !g.tiles && product.has_tiled_rows() &&
                       left.shape().element_type() == dot.shape().element_type() &&
                       BitWidth(left.shape().element_type()) >= 32 && CostWithin(left) == 0;
  g.packs_a = g.tiles ? !IsMadeOfTiles(left, product, g.rows, word) : !by_runs;
  if (by_runs && product.run() < deepest) deepest -= deepest % product.run();
  const int64_t slices = (product.k + deepest - 1) / deepest;
  // Vectors that begin where a slice does are not to leave one dimension.
  const bool several = product.depth.size() > 1 && product.has_vectors_in_depth();
  int64_t unit = !several ? 16 : product.run() % kTransposedRun == 0 ? kTransposedRun : kRun;
  if (g.tiles) unit = std::max(unit, kTile * g.word);
  if (by_runs && product.run() <= deepest) {
    g.depth = std::min(product.k, deepest);
  } else if (product.k % (slices * (several || (g.tiles && slices > 1) ? unit : g.word)) == 0) {
    g.depth = product.k / slices;
  } else {
    g.depth = std::min(product.k, ((product.k + slices - 1) / slices + unit - 1) / unit * unit);
  }
  const int64_t tiles = (product.m + g.rows - 1) / g.rows, rows = tiles * g.rows;
  const int64_t row_bytes = g.depth / g.word * 4;  // of a slice
  g.height = 8 * g.rows;
  if (by_runs || rows * row_bytes <= machine.l2_bytes / 4) g.height = std::max(g.height, rows);
  const int64_t panels = (product.n + g.cols - 1) / g.cols, batches = product.batches();
  int64_t bands = (machine.threads + batches - 1) / batches;
  const int64_t element = std::max(4, ByteWidth(dot.shape().element_type()));
  if (batches > 1) {
    // What a task packs is its own, and stays in the second-level cache.
    const int64_t panel = g.cols * element * (g.depth / g.word + (slices > 1 ? product.m : 0));
    const int64_t most = std::max<int64_t>(1, machine.l2_bytes / panel);
    bands = std::max(bands, (panels + most - 1) / most);
  }
  g.bands = std::clamp<int64_t>(bands, 1, panels);
  // Each band packs all rows, each part all columns: of tall products the columns are fewer.
  const int64_t packed = panels * g.cols * std::min(g.depth, product.k) / g.word * 4;
  if (product.m >= 2 * product.n && batches < machine.threads && packed <= machine.l2_bytes / 2) {
    g.bands = 1;
    g.parts = std::clamp<int64_t>((machine.threads + batches - 1) / batches, 1,
                                  std::max<int64_t>(1, product.m / (4 * g.rows)));
  }
  // Bands of few columns would pack and read all rows, each for itself, for little to multiply.
  if (batches == 1 && std::max(product.m, product.n) <= tuning::kFewResults &&
      slices >= tuning::kProductChunks &&
      8 * tuning::kProductChunks * product.m * product.n <= (product.m + product.n) * product.k) {
    g.bands = g.parts = 1;
    g.chunks = tuning::kProductChunks;
  }
  // In one tile each element is used once. In a few, packing costs more than to read it again, but
  // not to compute it again.
  const bool is_moved = g.word == 1 && CostWithin(*dot.operand(1)) == 0;
  const bool in_lines = panels > 1 && g.cols * element <= tuning::kLineBytes;
  const int64_t unpacked = in_lines ? tuning::kMostUnpackedInLines : tuning::kMostUnpackedTiles;
  g.packs_b = g.tiles || !product.sides[1].is_free_minor || tiles > (is_moved ? unpacked : 1);
  if (!g.packs_b && g.packs_a && product.m <= tuning::kMostSteppedRows &&
      dot.operand(1)->shape().byte_size() / batches > machine.l2_bytes) {
    g.step = tuning::kProductStep;
    g.group = std::max<int64_t>(1, tuning::kWaitingBytes / (rows * g.cols * 4));
  }
  // What is packed of B for a few rows is soon used up: it should not leave the second-level cache.
  if (rows <= g.height && g.parts == 1 && g.packs_b)
    g.group = std::max<int64_t>(1, machine.l2_bytes / 2 / (g.cols * row_bytes));
  if (g.chunks == 1 && IsLong(product, machine)) CutIntoMore(product, element, machine, g);
  return g;
}

void ReadInPlace(const HloInstruction& dot, const MatrixProduct& product, const CpuMachine& machine,
                 GemmBlocks& g) {
  const ElementType type = dot.shape().element_type();
  for (size_t k : {0, 1}) {
    const HloInstruction& side = *dot.operand(k);
    if (!product.sides[k].is_free_minor || side.shape().element_type() != type ||
        CostWithin(side) > 0)
      return;
  }
  if (g.tiles || g.word > 1 || BitWidth(type) < 32 || product.rows.size() > 1 ||
      product.depth.size() > 1 || product.m < g.rows ||
      std::max(product.m, product.n) > tuning::kFewResults)
    return;
  const int64_t thin = tuning::kSliceInPlace / ((product.m + g.cols) * ByteWidth(type));
  if (thin < tuning::kThinnestSlice || product.k < 2 * thin) return;
  g.packs_a = g.packs_b = false;
  g.depth = thin;
  g.step = 0;
  g.group = INT64_MAX;
  const int64_t tiles = (product.m + g.rows - 1) / g.rows,
                panels = (product.n + g.cols - 1) / g.cols;
  g.height = tiles * g.rows;
  if (g.chunks > 1 || product.batches() > 1) return;
  // Nothing is packed twice, whichever axis tasks share: that which falls into equal shares.
  auto longest = [&](int64_t count, int64_t other) {
    return (count + machine.threads - 1) / machine.threads * other;
  };
  const bool by_rows = longest(tiles, panels) < longest(panels, tiles);
  g.bands = by_rows ? 1 : std::min<int64_t>(machine.threads, panels);
  g.parts = by_rows ? std::min<int64_t>(machine.threads, tiles) : 1;
}

void PlanChain(const ProductChain& chain, const HloInstruction& second, const CpuMachine& machine,
               Plan& plan) {
  const MatrixProduct outer = *MatrixProductOf(second), inner = *MatrixProductOf(*chain.first);
  plan.nest = Nest::kGemm;
  plan.dot = &second;
  plan.chained = chain.first;
  plan.chain_reductions = chain.reductions;
  plan.gemm = ChooseGemmBlocks(second, outer, machine, plan.lanes);
  plan.chained_gemm = ChooseGemmBlocks(*chain.first, inner, machine, plan.lanes);
  // A row is there as a whole. It is held twice: as the first product gives it, and as the second
  // takes it.
  for (GemmBlocks* g : {&plan.gemm, &plan.chained_gemm}) {
    g->bands = g->parts = 1;
    g->shares_b = false;
  }
  plan.gemm.depth = outer.k;
  plan.chained_gemm.depth = inner.k;
  const int64_t rows = machine.l2_bytes / 4 / (2 * 4 * outer.k) / plan.gemm.rows * plan.gemm.rows;
  plan.gemm.height = std::clamp<int64_t>(rows, plan.gemm.rows, plan.gemm.height);
  plan.chained_gemm.height = plan.gemm.height;
  // What a task packs is to be little beside what it multiplies, and there are to be tasks enough.
  const int64_t tasks = std::max((machine.threads + outer.batches() - 1) / outer.batches(),
                                 outer.m / tuning::kChainRows);
  plan.chain_rows =
      ((outer.m + tasks - 1) / tasks + plan.gemm.rows - 1) / plan.gemm.rows * plan.gemm.rows;
  plan.reduce_cols = 4 * plan.lanes;
}

}  // namespace sinter::plan
