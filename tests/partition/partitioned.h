// Runs a program of whole arrays, and the program of partitions that the pass makes of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "eval/eval.h"
#include "ir/module.h"
#include "ir/text/printer.h"
#include "ir/verify/verify.h"
#include "passes/partition/partition.h"
#include "pipelines/pipeline.h"
#include "sinter/testing.h"

namespace sinter::partition_testing {

// The part of each partition along each dimension; empty: all have all.
inline std::vector<Dims> PartsOf(const Sharding& s, int64_t partitions, size_t rank) {
  std::vector<Dims> parts(static_cast<size_t>(partitions), Dims(rank, 0));
  if (s.kind != Sharding::Kind::kTiled) return parts;
  Dims at(s.tiles.size(), 0);
  for (int64_t device : s.devices) {
    parts[static_cast<size_t>(device)].assign(at.begin(), at.begin() + static_cast<int64_t>(rank));
    for (size_t d = at.size(); d-- > 0;) {
      if (++at[d] < s.tiles[d]) break;
      at[d] = 0;
    }
  }
  return parts;
}

inline Dims PartSizes(const Shape& whole, const Sharding& s) {
  Dims sizes = whole.dimensions();
  for (size_t d = 0; s.kind == Sharding::Kind::kTiled && d < sizes.size(); ++d)
    sizes[d] = (sizes[d] + s.tiles[d] - 1) / s.tiles[d];
  return sizes;
}

// Calls f(position in the whole or -1, position in the part) for each element of a part.
template <class F>
void ForEachOfPart(const Shape& whole, const Dims& sizes, const Dims& part, F&& f) {
  int64_t count = 1;
  for (int64_t n : sizes) count *= n;
  for (int64_t k = 0; k < count; ++k) {
    int64_t rest = k, at = 0, stride = 1;
    bool inside = true;
    for (size_t d = sizes.size(); d-- > 0;) {
      const int64_t position = rest % sizes[d] + part[d] * sizes[d];
      rest /= sizes[d];
      inside = inside && position < whole.dimensions()[d];
      at += position * stride;
      stride *= whole.dimensions()[d];
    }
    f(inside ? at : -1, k);
  }
}

// What partitions hold beyond the end of an array is anything: here bytes that make numbers of
// neither use nor sense.
inline std::vector<Literal> Split(const Literal& x, const Sharding& s, int64_t partitions) {
  const Shape& whole = x.shape();
  const std::vector<Dims> parts = PartsOf(s, partitions, whole.dimensions().size());
  const auto width = static_cast<size_t>(ByteWidth(whole.element_type()));
  std::vector<Literal> out;
  for (int64_t p = 0; p < partitions; ++p) {
    Literal mine(Shape(whole.element_type(), PartSizes(whole, s)));
    auto* to = static_cast<char*>(mine.untyped_data());
    const auto* from = static_cast<const char*>(x.untyped_data());
    const bool absent = s.kind == Sharding::Kind::kMaximal && s.device != p;
    ForEachOfPart(whole, mine.shape().dimensions(), parts[static_cast<size_t>(p)],
                  [&](int64_t at, int64_t k) {
                    char* element = to + static_cast<size_t>(k) * width;
                    if (at >= 0 && !absent) {
                      std::copy_n(from + static_cast<size_t>(at) * width, width, element);
                    } else if (whole.element_type() != ElementType::PRED) {
                      std::fill_n(element, width, static_cast<char>(0xff));
                    }
                  });
    out.push_back(std::move(mine));
  }
  return out;
}

// FailedPrecondition where partitions that have the same elements disagree.
inline absl::StatusOr<Literal> Joined(const std::vector<Literal>& each, const Shape& whole,
                                      const Sharding& s) {
  Literal out(whole);
  const auto partitions = static_cast<int64_t>(each.size());
  const std::vector<Dims> parts = PartsOf(s, partitions, whole.dimensions().size());
  const auto width = static_cast<size_t>(ByteWidth(whole.element_type()));
  std::vector<bool> known(static_cast<size_t>(whole.element_count()));
  absl::Status status;
  for (int64_t p = 0; p < partitions; ++p) {
    const Literal& mine = each[static_cast<size_t>(p)];
    if (mine.shape().dimensions() != PartSizes(whole, s)) {
      return FailedPrecondition("partition {} has {} of {} under {}", p, mine.shape().ToString(),
                                whole.ToString(), ToText(s));
    }
    const auto* from = static_cast<const char*>(mine.untyped_data());
    auto* to = static_cast<char*>(out.untyped_data());
    ForEachOfPart(whole, mine.shape().dimensions(), parts[static_cast<size_t>(p)],
                  [&](int64_t at, int64_t k) {
                    if (at < 0) return;
                    char* element = to + static_cast<size_t>(at) * width;
                    const char* own = from + static_cast<size_t>(k) * width;
                    if (known[static_cast<size_t>(at)] && !std::equal(own, own + width, element))
                      status = FailedPrecondition("partition {} has another element {}", p, at);
                    known[static_cast<size_t>(at)] = true;
                    std::copy_n(own, width, element);
                  });
  }
  if (!status.ok()) return status;
  return out;
}

inline std::vector<Literal> LeavesOf(const Literal& x) {
  if (!x.shape().is_tuple()) return {x};
  std::vector<Literal> out;
  for (const Literal& e : x.tuple()) {
    for (Literal& leaf : LeavesOf(e)) out.push_back(std::move(leaf));
  }
  return out;
}

struct Comparison {
  absl::Status status;  // what differs
  PartitionLog log;
  std::unique_ptr<HloModule> partitioned;
};

// Arrays as arguments. `whole` is a module that states shardings, for several partitions;
// `expected` its result, where something else gives it than the interpreter.
inline Comparison Compare(const HloModule& whole, const std::vector<Literal>& arguments,
                          const Tolerance& tolerance,
                          const std::optional<Literal>& expected = std::nullopt) {
  Comparison out;
  auto run = [&]() -> absl::Status {
    const int64_t partitions = whole.partition_count();
    Literal wanted;
    if (expected) {
      wanted = *expected;
    } else {
      auto alone = whole.Clone();
      alone->set_partition_count(1);
      ASSIGN_OR_RETURN(wanted, Evaluate(*alone, arguments));
    }
    out.partitioned = whole.Clone();
    ASSIGN_OR_RETURN(const bool changed, MakePartitionPass({}, &out.log)->Run(*out.partitioned));
    if (!changed) return FailedPrecondition("the pass left it as it was");
    RETURN_IF_ERROR(VerifyModule(*out.partitioned));
    std::vector<std::vector<Literal>> each(static_cast<size_t>(partitions));
    for (size_t a = 0; a < arguments.size(); ++a) {
      std::vector<Literal> parts = Split(arguments[a], out.log.parameters[a], partitions);
      for (size_t p = 0; p < each.size(); ++p) each[p].push_back(std::move(parts[p]));
    }
    ASSIGN_OR_RETURN(const std::vector<Literal> results,
                     EvaluateParticipants(*out.partitioned, each));
    const std::vector<Literal> wanted_leaves = LeavesOf(wanted);
    for (size_t k = 0; k < wanted_leaves.size(); ++k) {
      std::vector<Literal> of_leaf;
      for (const Literal& r : results) of_leaf.push_back(LeavesOf(r)[k]);
      ASSIGN_OR_RETURN(const Literal joined,
                       Joined(of_leaf, wanted_leaves[k].shape(), out.log.results[k]));
      const bool is_exact = tolerance.max_ulp == 0 && tolerance.relative_to_largest == 0 &&
                            tolerance.rtol == 0 && tolerance.atol == 0;
      const absl::Status same = is_exact ? ExpectEqual(joined, wanted_leaves[k])
                                         : ExpectClose(joined, wanted_leaves[k], tolerance);
      if (!same.ok()) return Annotate(same, Format("result {}", k));
    }
    return absl::OkStatus();
  };
  out.status = run();
  return out;
}

}  // namespace sinter::partition_testing
