// Operations by which the participants of a program exchange values.
#include <algorithm>
#include <numeric>
#include <string>

#include "base/text.h"
#include "fuzz/maker.h"

namespace sinter::fuzz {
namespace {

using E = ElementType;

struct Groups {
  std::string attributes;
  int64_t size = 1;  // participants of each
};

// All of so many, in groups of one size, in any order.
std::string Split(Maker& m, int64_t count, int64_t size) {
  Dims all(static_cast<size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  m.random.Shuffle(all);
  std::string text;
  for (int64_t k = 0; k < count; k += size) {
    text += (k == 0 ? "" : ",") + Braces(Dims(all.begin() + k, all.begin() + k + size));
  }
  return "{" + text + "}";
}

int64_t DrawDivisor(Maker& m, int64_t count) {
  int64_t size = m.random.Chance(60) ? count : m.random.In(1, count);
  while (count % size != 0) --size;
  return size;
}

// A channel of its own, as each operation between partitions has.
std::string Channel(const Maker& m) { return Format(", channel_id={}", m.f.nodes.size() + 1); }

// `mixed`: an operation whose groups may be of replicas and partitions together.
Groups DrawGroups(Maker& m, bool mixed) {
  const int64_t replicas = m.program.replicas, partitions = m.program.partitions;
  const int64_t kind = m.random.Below(mixed ? 3 : 2);
  if (kind == 0) {
    if (m.random.Chance(30)) return {", replica_groups={}", replicas};
    const int64_t size = DrawDivisor(m, replicas);
    return {", replica_groups=" + Split(m, replicas, size), size};
  }
  if (kind == 2) {
    const int64_t size = DrawDivisor(m, replicas * partitions);
    return {", replica_groups=" + Split(m, replicas * partitions, size) + Channel(m) +
                ", use_global_device_ids=true",
            size};
  }
  // With a channel alone the numbers are of replicas, each with all of its partitions, where an
  // operation has both, else of partitions.
  const int64_t numbers = mixed ? replicas : partitions, size = DrawDivisor(m, numbers);
  return {", replica_groups=" + Split(m, numbers, size) + Channel(m),
          mixed ? size * partitions : size};
}

// A computation of two scalars and what is known of its results for `size` values.
std::string DrawFold(Maker& m, E type, int64_t size, Facts& facts) {
  if (type == E::PRED) return m.random.Of({"and", "or"});
  if (IsInteger(type)) {
    const std::string op = m.random.Of({"add", "add", "maximum", "minimum", "xor", "multiply"});
    if (op != "maximum" && op != "minimum") facts = Facts::Wild();
    return op;
  }
  if (IsFloat(type) && m.random.Chance(40)) return m.random.Of({"maximum", "minimum"});
  const auto n = static_cast<double>(size);
  facts.lo *= n, facts.hi *= n;
  if (!facts.exact) facts.error = n * (facts.error + facts.largest() * EpsilonOf(RealPart(type)));
  return "add";
}

std::pair<std::string, int> Folding(Maker& m, E type, const std::string& op) {
  const std::string s = ShapeText(type, {});
  return {
      "to_apply",
      AddText(m, Format("  a = {} parameter(0)\n  b = {} parameter(1)\n  ROOT r = {} {}(a, b)\n", s,
                        s, s, op))};
}

bool Narrow(E type) { return IsFloat(type) && IsNarrow(type); }

bool AllReduce(Maker& m) {
  const int x = m.Any();
  Node n = m.at(x);
  if (Narrow(n.type)) return false;
  const Groups groups = DrawGroups(m, true);
  n.op = "all-reduce";
  n.operands = {x};
  n.called = {Folding(m, n.type, DrawFold(m, n.type, groups.size, n.facts))};
  n.attributes = groups.attributes;
  n.literal.clear();
  if (!n.facts.exact && (!n.facts.tame() || n.facts.error > .01 * n.facts.largest())) return false;
  return m.Add(n) >= 0;
}

// Several arrays at once.
bool AllReduceSeveral(Maker& m) {
  const Groups groups = DrawGroups(m, true);
  const E type = m.random.Of({E::F32, E::S32, E::BF16, E::F64});
  Node n;
  n.op = "all-reduce";
  Facts facts = IsFloat(type) ? Facts::Within(-4, 4, true) : m.DrawFacts(type);
  std::vector<Node> results;
  for (int64_t k = m.random.In(2, 3); k > 0; --k) {
    n.operands.push_back(m.Parameter(type, m.DrawDims(500), facts));
    results.push_back(m.at(n.operands.back()));
  }
  n.called = {Folding(m, type, DrawFold(m, type, groups.size, facts))};
  n.attributes = groups.attributes;
  n.tuple = TupleText(results);
  const int t = m.Add(n);
  for (size_t k = 0; k < results.size(); ++k)
    m.Element(t, static_cast<int>(k), type, results[k].dims, facts);
  return true;
}

bool AllGather(Maker& m) {
  const int x = m.Any();
  const Node n = m.at(x);
  if (n.dims.empty()) return false;
  const Groups groups = DrawGroups(m, true);
  if (n.count() * groups.size > m.options.max_elements) return false;
  const auto d = static_cast<size_t>(m.random.Below(static_cast<int64_t>(n.dims.size())));
  Dims dims = n.dims;
  dims[d] *= groups.size;
  return m.Add("all-gather", n.type, dims, {x}, n.facts,
               Format(", dimensions={{{}}}{}", d, groups.attributes)) >= 0;
}

// An array one of whose dimensions is a multiple of `parts`, and which: there already, or new.
std::pair<int, int64_t> Divisible(Maker& m, int64_t parts) {
  const int x = m.Any();
  const Node n = m.at(x);
  for (size_t d = 0; d < n.dims.size(); ++d) {
    if (n.dims[d] % parts == 0 && !Narrow(n.type)) return {x, static_cast<int64_t>(d)};
  }
  Dims dims = m.DrawDims(300, 1);
  const int64_t d = m.random.Below(static_cast<int64_t>(dims.size()));
  dims[static_cast<size_t>(d)] *= parts;
  return {m.Like(Narrow(n.type) ? E::F32 : n.type, dims), d};
}

bool ReduceScatter(Maker& m) {
  const Groups groups = DrawGroups(m, true);
  const auto [x, d] = Divisible(m, groups.size);
  Node n = m.at(x);
  n.op = "reduce-scatter";
  n.literal.clear();
  n.operands = {x};
  n.dims[static_cast<size_t>(d)] /= groups.size;
  n.called = {Folding(m, n.type, DrawFold(m, n.type, groups.size, n.facts))};
  n.attributes = Format(", dimensions={{{}}}{}", d, groups.attributes);
  if (!n.facts.exact && (!n.facts.tame() || n.facts.error > .01 * n.facts.largest())) return false;
  return m.Add(n) >= 0;
}

bool AllToAll(Maker& m) {
  const Groups groups = DrawGroups(m, false);
  if (m.random.Chance(70)) {
    const auto [x, d] = Divisible(m, groups.size);
    const Node n = m.at(x);
    return m.Add("all-to-all", n.type, n.dims, {x}, n.facts,
                 Format(", dimensions={{{}}}{}", d, groups.attributes)) >= 0;
  }
  // A value to each.
  const int x = m.Any();
  Node n;
  n.op = "all-to-all";
  n.attributes = groups.attributes;
  std::vector<Node> results;
  Facts facts = m.at(x).facts;
  const E type = m.at(x).type;
  const Dims dims = m.at(x).dims;
  for (int64_t k = 0; k < groups.size; ++k) {
    n.operands.push_back(k == 0 ? x : m.Like(type, dims));
    facts = facts.Or(m.at(n.operands.back()).facts);
    results.push_back(m.at(x));
  }
  if (!facts.exact && !facts.tame()) return false;
  n.facts = facts;
  n.tuple = TupleText(results);
  const int t = m.Add(n);
  for (size_t k = 0; k < results.size(); ++k) m.Element(t, static_cast<int>(k), type, dims, facts);
  return true;
}

// To some, each from one; the others get zeros.
bool Permute(Maker& m) {
  const int x = m.Any();
  const Node n = m.at(x);
  const bool of_partitions = m.random.Chance(50);
  const int64_t count = of_partitions ? m.program.partitions : m.program.replicas;
  Dims from(static_cast<size_t>(count));
  std::iota(from.begin(), from.end(), 0);
  Dims to = from;
  m.random.Shuffle(from);
  m.random.Shuffle(to);
  std::string pairs;
  bool all = true;
  for (size_t k = 0; k < from.size(); ++k) {
    if (m.random.Chance(25)) {
      all = false;
      continue;
    }
    pairs += (pairs.empty() ? "" : ",") + Braces({from[k], to[k]});
  }
  if (pairs.empty()) return false;
  return m.Add("collective-permute", n.type, n.dims, {x},
               all ? n.facts : n.facts.Or(Facts::Within(0, 0, true)),
               ", source_target_pairs={" + pairs + "}" + (of_partitions ? Channel(m) : "")) >= 0;
}

bool BroadcastToGroup(Maker& m) {
  const int x = m.Any();
  const Node n = m.at(x);
  return m.Add("collective-broadcast", n.type, n.dims, {x}, n.facts,
               DrawGroups(m, false).attributes) >= 0;
}

// Who it is that runs, as a number to compute with.
bool Identity(Maker& m) {
  const bool replica = m.random.Chance(50);
  const int64_t count = replica ? m.program.replicas : m.program.partitions;
  const int id = m.Add(replica ? "replica-id" : "partition-id", E::U32, {}, {},
                       Facts::Within(0, static_cast<double>(count - 1), true));
  return m.Convert(id, m.random.Of({E::F32, E::S32, E::BF16, E::S64})) >= 0;
}

}  // namespace

bool ExchangePattern(Maker& m) {
  if (m.inner) return false;
  switch (m.random.Below(10)) {
    case 0:
    case 1:
      return AllReduce(m);
    case 2:
      return AllReduceSeveral(m);
    case 3:
    case 4:
      return AllGather(m);
    case 5:
      return ReduceScatter(m);
    case 6:
      return AllToAll(m);
    case 7:
      return Permute(m);
    case 8:
      return BroadcastToGroup(m);
    default:
      return Identity(m);
  }
}

}  // namespace sinter::fuzz
