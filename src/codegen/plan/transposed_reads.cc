#include "codegen/plan/transposed_reads.h"

#include <cstdlib>
#include <numeric>
#include <optional>

#include "target/tuning.h"

namespace sinter::plan {
namespace {

// One dimension of a read, if all of its places are known to lie in the dimension.
std::optional<IndexExpr> ExprOf(const AccessDim& terms, std::optional<int64_t> offset,
                                const Box& domain, int64_t extent) {
  if (terms.size() > 1 || !offset) return std::nullopt;
  IndexExpr e;
  e.offset = *offset;
  Interval range = Interval::Of(*offset);
  for (const AxisTerm& t : terms) {
    if (t.axis >= kInner) return std::nullopt;
    e.terms.push_back({t.axis, t.coefficient});
    range = range.Plus(domain[static_cast<size_t>(t.axis)].Times(t.coefficient));
  }
  if (!range.IsIn({0, extent})) return std::nullopt;
  return e;
}

}  // namespace

std::vector<TransposedRead> FindTransposedReads(const Accesses& accesses, const Box& domain,
                                                int row_dim, int col_dim) {
  const AccessDim along_rows = {{row_dim, 1}}, along_columns = {{col_dim, 1}};
  std::vector<TransposedRead> found;
  for (const HloInstruction* p : accesses.order) {
    if (p->op() != HloOpcode::Parameter) continue;
    int across = 0;
    std::optional<IndexMap> map;
    for (size_t k = 0; k < accesses.of.at(p).size(); ++k) {
      const Access& a = accesses.of.at(p)[k];
      if (!Uses(a, col_dim)) continue;
      const bool in_order = a.back() == along_columns;
      int columns = 0;
      for (const AccessDim& d : a)
        for (const AxisTerm& t : d) columns += t.axis == col_dim;
      if (in_order && columns == 1) continue;
      ++across;
      if (a.back() != along_rows) continue;
      if (columns != 1) return {};
      map.emplace();
      for (size_t d = 0; d < a.size(); ++d) {
        if (d + 1 < a.size() && Uses({a[d]}, col_dim) && a[d] != along_columns) return {};
        const auto e = ExprOf(a[d], accesses.offsets.at(p)[k][d], domain,
                              p->shape().dimension(static_cast<int64_t>(d)));
        if (!e) return {};
        map->push_back(*e);
      }
    }
    if (across == 0) continue;
    if (across > 1 || !map) return {};
    found.push_back({p, *std::move(map)});
  }
  return found;
}

int64_t StrideOf(const TransposedRead& read, int dim) {
  const Shape& s = read.parameter->shape();
  int64_t stride = 0, bytes = ByteWidth(s.element_type());
  for (size_t d = read.map.size(); d-- > 0; bytes *= s.dimension(static_cast<int64_t>(d))) {
    for (const IndexTerm& t : read.map[d].terms)
      if (t.dimension == dim) stride += t.coefficient * bytes;
  }
  return std::abs(stride);
}

int64_t LinesInCache(int64_t stride) {
  const int64_t sets =
      stride % tuning::kLineBytes == 0
          ? tuning::kCacheSets / std::gcd(stride / tuning::kLineBytes, tuning::kCacheSets)
          : tuning::kCacheSets;
  return sets * tuning::kCacheWays;
}

}  // namespace sinter::plan
