// Shape rules of ops that move values between participants.
#include <numeric>

#include "ir/ops/rule.h"

namespace sinter::infer {
namespace {

Shape OneOrTuple(std::vector<Shape> results) {
  if (results.size() == 1) return std::move(results[0]);
  return Shape::Tuple(std::move(results));
}

// A group's number of participants; 0 where there are no groups, so that it is not known.
int64_t GroupSize(const Groups& groups) {
  return groups.empty() ? 0 : static_cast<int64_t>(groups[0].size());
}

// Whether a group is of replicas with all of their partitions, so that rules know its size but for
// a factor.
bool HasPartitions(const CollectiveAttrs& a) {
  return a.channel_id.value_or(0) > 0 && !a.use_global_device_ids;
}

bool HasChannelForGlobalIds(const CollectiveAttrs& a) {
  return !a.use_global_device_ids || a.channel_id.value_or(0) > 0;
}

// Whether every participant is in a group, so that those in groups are numbered from 0.
enum class Participants { kAll, kSome };
absl::Status CheckReplicaGroups(const CollectiveAttrs& a, std::string_view unique,
                                std::string_view size, std::string_view range,
                                std::string_view channel,
                                Participants participants = Participants::kAll) {
  Dims all;
  for (const Dims& group : a.replica_groups) {
    REQUIRE(!group.empty(), "({}) a group of no participants", size);
    all.insert(all.end(), group.begin(), group.end());
  }
  REQUIRE(absl::c_all_of(all, [](int64_t n) { return n >= 0; }),
          "({}) a participant has a negative number", range);
  const auto count = static_cast<int64_t>(all.size());
  const bool numbered = InRange(all, count);
  REQUIRE(IsUnique(std::move(all)), "({}) a participant is in replica_groups twice", unique);
  REQUIRE(numbered || participants == Participants::kSome,
          "({}) the participants in replica_groups must be 0 to {}", range, count - 1);
  REQUIRE(channel.empty() || HasChannelForGlobalIds(a),
          "({}) use_global_device_ids needs a positive channel_id", channel);
  return absl::OkStatus();
}

// Groups that take parts must all be of one size.
absl::Status CheckEqualGroups(const Groups& groups, std::string_view label) {
  for (const Dims& group : groups) {
    REQUIRE(group.size() == groups[0].size(), "({}) replica_groups must be of one size", label);
  }
  return absl::OkStatus();
}

absl::Status CheckArrays(const InferInput& in) {
  REQUIRE(!in.operands.empty(), "needs an operand");
  for (const Shape* s : in.operands) REQUIRE(s->is_array(), "the operands must be arrays");
  return absl::OkStatus();
}

absl::StatusOr<int64_t> OneDimension(const InferInput& in, std::string_view label) {
  const Dims& dims = in.as<CollectiveAttrs>().dimensions;
  REQUIRE(dims.size() == 1, "({}) dimensions={} must be one", label, Text(dims));
  for (const Shape* s : in.operands) {
    REQUIRE(0 <= dims[0] && dims[0] < s->rank(),
            "({}) dimensions={} must be a dimension of the operands", label, Text(dims));
  }
  return dims[0];
}

// What the program states as the size along `d` of result i, else `otherwise`.
int64_t Declared(const InferInput& in, size_t i, int64_t d, int64_t otherwise) {
  if (!in.declared) return otherwise;
  const Shape* s = in.declared;
  if (s->is_tuple()) {
    if (i >= s->tuple_shapes().size()) return otherwise;
    s = &s->tuple_shapes()[i];
  }
  return s->is_array() && d < s->rank() && s->dimension(d) != Shape::kUnbounded ? s->dimension(d)
                                                                                : otherwise;
}

// The type that the computation has `operands` combined in.
absl::StatusOr<ElementType> CombinedType(const InferInput& in,
                                         absl::Span<const Shape* const> operands,
                                         std::string_view label) {
  const ComputationShape& c = in.called[0];
  REQUIRE(c.parameters.size() == 2 && c.result.is_array() && c.result.is_scalar() &&
              Agree(c.parameters[0], c.result) && Agree(c.parameters[1], c.result),
          "({}) the computation must take two scalars and give one of their type", label);
  for (const Shape* s : operands) {
    REQUIRE(IsPromotable(s->element_type(), c.result.element_type()),
            "({}) the computation combines {}, an operand is {}", label, c.result.ToString(),
            s->ToString());
  }
  return c.result.element_type();
}

// The operands but the roots: where there are some, the last operand has one for each of the
// others.
absl::StatusOr<absl::Span<const Shape* const>> CheckRoot(const InferInput& in,
                                                         std::string_view label) {
  absl::Span<const Shape* const> data = in.operands;
  if (!in.as<CollectiveAttrs>().has_dynamic_root) return data;
  const Shape& root = *data.back();
  data.remove_suffix(1);
  const auto count = static_cast<int64_t>(data.size());
  REQUIRE(count > 0 && root.rank() == 1 && root.dimension(0) == count,
          "({}) the last operand must have a number for each of {} others", label, count);
  return data;
}

}  // namespace

absl::StatusOr<Shape> AllReduce(const InferInput& in) {
  RETURN_IF_ERROR(CheckArrays(in));
  RETURN_IF_ERROR(CheckReplicaGroups(in.as<CollectiveAttrs>(), "C1", "C2", "C3", "C4"));
  ASSIGN_OR_RETURN(ElementType type, CombinedType(in, in.operands, "C5"));
  std::vector<Shape> results;
  for (const Shape* s : in.operands) results.push_back(WithElementType(*s, type));
  return OneOrTuple(std::move(results));
}

absl::StatusOr<Shape> AllGather(const InferInput& in) {
  RETURN_IF_ERROR(CheckArrays(in));
  const auto& a = in.as<CollectiveAttrs>();
  ASSIGN_OR_RETURN(int64_t d, OneDimension(in, "C1"));
  RETURN_IF_ERROR(CheckReplicaGroups(a, "C2", "C3", "C4", "C5"));
  RETURN_IF_ERROR(CheckEqualGroups(a.replica_groups, "C6"));
  std::vector<Shape> results;
  for (size_t i = 0; i < in.operands.size(); ++i) {
    const Shape& x = in.operand(i);
    Dims dims = x.dimensions();
    int64_t& size = dims[static_cast<size_t>(d)];
    if (size == Shape::kUnbounded) {
      results.push_back(x);
      continue;
    }
    const int64_t n = GroupSize(a.replica_groups), least = n == 0 ? 1 : n;
    REQUIRE(size <= INT64_MAX / least, "the result is too large");
    if (n != 0 && !HasPartitions(a)) {
      size *= n;
    } else {
      size *= least;
      int64_t stated = Declared(in, i, d, size);
      REQUIRE(size == 0 ? stated == 0 : stated > 0 && stated % size == 0,
              "(C6) dimension {} of result {} must be a multiple of {}", d, i, size);
      size = stated;
    }
    ASSIGN_OR_RETURN(Shape result, MakeResult(x.element_type(), dims));
    results.push_back(std::move(result));
  }
  return OneOrTuple(std::move(results));
}

absl::StatusOr<Shape> ReduceScatter(const InferInput& in) {
  RETURN_IF_ERROR(CheckArrays(in));
  const auto& a = in.as<CollectiveAttrs>();
  ASSIGN_OR_RETURN(int64_t d, OneDimension(in, "C2"));
  RETURN_IF_ERROR(CheckReplicaGroups(a, "C3", "C4", "C5", "C6"));
  RETURN_IF_ERROR(CheckEqualGroups(a.replica_groups, "C1"));
  ASSIGN_OR_RETURN(ElementType type, CombinedType(in, in.operands, "C7"));
  std::vector<Shape> results;
  for (size_t i = 0; i < in.operands.size(); ++i) {
    Dims dims = in.operand(i).dimensions();
    int64_t& size = dims[static_cast<size_t>(d)];
    if (size == Shape::kUnbounded) {
      results.push_back(WithElementType(in.operand(i), type));
      continue;
    }
    const int64_t n = GroupSize(a.replica_groups), least = n == 0 ? 1 : n;
    REQUIRE(size % least == 0, "(C1) {} participants do not divide dimension {} of size {}", least,
            d, size);
    size /= least;
    if (n == 0 || HasPartitions(a)) {
      int64_t stated = Declared(in, i, d, size);
      REQUIRE(size == 0 ? stated == 0 : stated > 0 && size % stated == 0,
              "(C8) dimension {} of result {} must divide the operand's", d, i);
      size = stated;
    }
    results.push_back(Shape(type, std::move(dims)));
  }
  return OneOrTuple(std::move(results));
}

// Along one dimension, whose parts are exchanged; or, without, an operand is the part for one
// participant, and the results are a tuple however many there are.
absl::StatusOr<Shape> AllToAll(const InferInput& in) {
  RETURN_IF_ERROR(CheckArrays(in));
  const auto& a = in.as<CollectiveAttrs>();
  RETURN_IF_ERROR(CheckReplicaGroups(a, "C5", "C6", "C7", ""));
  RETURN_IF_ERROR(CheckEqualGroups(a.replica_groups, "C8"));
  const int64_t n = GroupSize(a.replica_groups);
  const Shape& first = in.operand(0);
  if (!a.dimensions.empty()) {
    ASSIGN_OR_RETURN(int64_t d, OneDimension(in, "C1"));
    REQUIRE(in.operands.size() == 1, "takes one operand where it has a dimension");
    REQUIRE(n == 0 || first.dimension(d) == Shape::kUnbounded || first.dimension(d) % n == 0,
            "(C2) {} participants do not divide dimension {} of size {}", n, d, first.dimension(d));
    return first;
  }
  REQUIRE(n == 0 || in.operands.size() == static_cast<size_t>(n),
          "(C8) {} operands for groups of {} participants", in.operands.size(), n);
  std::vector<Shape> results;
  for (const Shape* s : in.operands) {
    REQUIRE(SameType(*s, first), "the operands must be of one shape");
    results.push_back(*s);
  }
  return Shape::Tuple(std::move(results));
}

// Rows of operand 0 go to others, into their operand 1; operands 2 to 5 count, for each
// participant, where what it is sent begins and how much that is, where it is put, and how much is
// received.
absl::StatusOr<Shape> RaggedAllToAll(const InferInput& in) {
  RETURN_IF_ERROR(CheckArrays(in));
  RETURN_IF_ERROR(CheckReplicaGroups(in.as<CollectiveAttrs>(), "C5", "C6", "C7", ""));
  const Shape &input = in.operand(0), &output = in.operand(1), &sizes = in.operand(2);
  REQUIRE(input.element_type() == output.element_type() && input.rank() == output.rank() &&
              input.rank() > 0,
          "operands 0 and 1 must have one element type and one rank, which is not 0");
  for (size_t i = 2; i < 6; ++i) {
    const Shape& s = in.operand(i);
    REQUIRE(IsInteger(s.element_type()) && s.rank() == 1 && SameType(s, sizes),
            "operands 2 to 5 must be vectors of integers of one length");
  }
  return output;
}

absl::StatusOr<Shape> CollectiveBroadcast(const InferInput& in) {
  RETURN_IF_ERROR(CheckArrays(in));
  RETURN_IF_ERROR(
      CheckReplicaGroups(in.as<CollectiveAttrs>(), "C1", "C2", "C2", "", Participants::kSome));
  ASSIGN_OR_RETURN(const auto data, CheckRoot(in, "C4"));
  std::vector<Shape> results;
  for (const Shape* s : data) results.push_back(*s);
  return OneOrTuple(std::move(results));
}

absl::StatusOr<Shape> CollectiveReduce(const InferInput& in) {
  RETURN_IF_ERROR(CheckArrays(in));
  const auto& a = in.as<CollectiveAttrs>();
  RETURN_IF_ERROR(CheckReplicaGroups(a, "C1", "C2", "C2", "", Participants::kSome));
  // StableHLO 1.20 states no constraint on this; the participants are those of all_reduce.
  REQUIRE(HasChannelForGlobalIds(a), "use_global_device_ids needs a positive channel_id");
  ASSIGN_OR_RETURN(const auto data, CheckRoot(in, "C3"));
  ASSIGN_OR_RETURN(ElementType type, CombinedType(in, data, "C4"));
  std::vector<Shape> results;
  for (const Shape* s : data) results.push_back(WithElementType(*s, type));
  return OneOrTuple(std::move(results));
}

absl::StatusOr<Shape> CollectivePermute(const InferInput& in) {
  const bool slices = !in.as<CollectivePermuteAttrs>().slice_sizes.empty();
  if (slices) {
    REQUIRE(in.operands.size() == 4,
            "slices have an input, an output and where they start in each, got {} operands",
            in.operands.size());
  } else {
    RETURN_IF_ERROR(CheckArrays(in));
  }
  Dims sources, targets;
  for (const Dims& pair : in.as<CollectivePermuteAttrs>().source_target_pairs) {
    REQUIRE(pair.size() == 2, "(C1) source_target_pairs holds {}, which is no pair", Text(pair));
    REQUIRE(pair[0] >= 0 && pair[1] >= 0, "(C4) a participant has a negative number");
    sources.push_back(pair[0]);
    targets.push_back(pair[1]);
  }
  // With slices, participants may send and be sent several.
  REQUIRE(slices || IsUnique(std::move(sources)), "(C2) a source is in source_target_pairs twice");
  REQUIRE(slices || IsUnique(std::move(targets)), "(C3) a target is in source_target_pairs twice");
  if (slices) return in.operand(1);
  std::vector<Shape> results;
  for (const Shape* s : in.operands) results.push_back(*s);
  return OneOrTuple(std::move(results));
}

absl::StatusOr<Shape> ParticipantId(const InferInput&) { return Shape(ElementType::U32); }

absl::StatusOr<Shape> Infeed(const InferInput& in) {
  REQUIRE(in.operand(0).is_token(), "the operand must be a token");
  REQUIRE(in.declared, "needs the result's shape");
  const Shape& s = *in.declared;
  REQUIRE(s.is_tuple() && s.tuple_shapes().size() == 2 && s.tuple_shapes()[1].is_token(),
          "(C3) the result must be a tuple of data and a token");
  return s;
}

absl::StatusOr<Shape> Outfeed(const InferInput& in) {
  REQUIRE(in.operand(1).is_token(), "operand 1 must be a token");
  return Shape::Token();
}

absl::StatusOr<Shape> Recv(const InferInput& in) {
  REQUIRE(in.operand(0).is_token(), "the operand must be a token");
  REQUIRE(in.declared, "needs the result's shape");
  const Shape& s = *in.declared;
  REQUIRE(s.is_tuple() && s.tuple_shapes().size() == 3 &&
              SameType(s.tuple_shapes()[1], Shape(ElementType::U32)) &&
              s.tuple_shapes()[2].is_token(),
          "the result must be a tuple of data, a context u32[] and a token");
  return s;
}

absl::StatusOr<Shape> RecvDone(const InferInput& in) {
  const Shape& s = in.operand(0);
  REQUIRE(s.is_tuple() && s.tuple_shapes().size() == 3, "the operand must be that of a recv");
  return Shape::Tuple({s.tuple_shapes()[0], Shape::Token()});
}

absl::StatusOr<Shape> Send(const InferInput& in) {
  REQUIRE(in.operand(1).is_token(), "operand 1 must be a token");
  return Shape::Tuple({in.operand(0), Shape(ElementType::U32), Shape::Token()});
}

absl::StatusOr<Shape> SendDone(const InferInput& in) {
  const Shape& s = in.operand(0);
  REQUIRE(s.is_tuple() && s.tuple_shapes().size() == 3, "the operand must be that of a send");
  return Shape::Token();
}

}  // namespace sinter::infer
