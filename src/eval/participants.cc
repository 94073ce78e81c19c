// Collectives and transfers. Each participant computes its own results from what all of its group
// gave, so that each function reads as the specification does. Reductions go through a group in the
// order in which it is stated.
#include "ir/participants.h"

#include "base/status.h"
#include "eval/fold.h"
#include "eval/functions.h"
#include "ir/results.h"
#include "transfer/host.h"

namespace sinter::eval {
namespace {

// What the participants of a group gave: operands[member][operand].
struct Met {
  const Input& in;
  std::vector<int64_t> group;
  std::vector<std::vector<Value>> operands;
  int64_t self = 0;  // its place in the group

  int64_t size() const { return static_cast<int64_t>(group.size()); }
  const Literal& Get(int64_t member, size_t operand) const {
    return operands[static_cast<size_t>(member)][operand].array();
  }
  // Their operands of that number, as elements of the result's type.
  std::vector<Literal> All(size_t n) const {
    std::vector<Literal> all;
    for (int64_t k = 0; k < size(); ++k)
      all.push_back(ConvertTo(Get(k, n), ResultShape(in.instruction, n).element_type()));
    return all;
  }
};

Value OneOrTuple(const Input& in, std::vector<Value> results) {
  return in.shape().is_tuple() ? Value(std::move(results)) : std::move(results[0]);
}

std::vector<Value> Zeros(const Input& in) {
  if (!in.shape().is_tuple()) return {Value(Literal(in.shape()))};
  std::vector<Value> results;
  for (const Shape& s : in.shape().tuple_shapes()) results.emplace_back(Literal(s));
  return results;
}

// Part `index` of `count` along dimension d.
absl::StatusOr<Literal> Part(const Literal& x, int64_t d, int64_t index, int64_t count) {
  Dims dims = x.shape().dimensions();
  int64_t& size = dims[static_cast<size_t>(d)];
  if (size % count != 0) {
    return InvalidArgument("dimension {} of {} has no {} equal parts", d, x.shape().ToString(),
                           count);
  }
  size /= count;
  const Dims strides = RowMajorStrides(x.shape().dimensions());
  Literal part(Shape(x.shape().element_type(), dims));
  CopyStrided(dims, x, {index * size * strides[static_cast<size_t>(d)], strides}, part,
              {0, RowMajorStrides(dims)});
  return part;
}

// Side by side along dimension d.
Literal Joined(absl::Span<const Literal> parts, int64_t d) {
  Dims dims = parts[0].shape().dimensions();
  const int64_t size = dims[static_cast<size_t>(d)];
  dims[static_cast<size_t>(d)] *= static_cast<int64_t>(parts.size());
  Literal result(Shape(parts[0].shape().element_type(), dims));
  const Dims strides = RowMajorStrides(dims);
  for (size_t k = 0; k < parts.size(); ++k) {
    const Dims& own = parts[k].shape().dimensions();
    const int64_t at = static_cast<int64_t>(k) * size * strides[static_cast<size_t>(d)];
    CopyStrided(own, parts[k], {0, RowMajorStrides(own)}, result, {at, strides});
  }
  return result;
}

// reducer(reducer(x0, x1), x2) ... element by element.
absl::StatusOr<Literal> Reduced(const Input& in, std::vector<Literal> all) {
  const HloComputation& reducer = *in.called(0);
  Literal sum = std::move(all[0]);
  const ElementType t = sum.shape().element_type();
  const SimpleReducer simple = SimpleReducerOf(reducer, t);
  for (size_t k = 1; k < all.size(); ++k) {
    if (simple.kernel != nullptr) {
      RETURN_IF_ERROR(VisitWide(t, [&](auto wide) -> absl::Status {
        using W = decltype(wide);
        if (!Has(*simple.kernel, wide))
          return Unimplemented("{} of {}", Name(in.instruction.op()), Name(t));
        for (int64_t i = 0; i < sum.shape().element_count(); ++i) {
          W a = LoadOne<W>(sum, i), b = LoadOne<W>(all[k], i);
          if (simple.swapped) std::swap(a, b);
          W r = Apply(*simple.kernel, BitWidth(t), a, b);
          Store(sum, i, 1, &r);
        }
        return absl::OkStatus();
      }));
      continue;
    }
    for (int64_t i = 0; i < sum.shape().element_count(); ++i) {
      std::vector<Value> arguments;
      arguments.emplace_back(Scalar(sum, i));
      arguments.emplace_back(Scalar(all[k], i));
      ASSIGN_OR_RETURN(Value r, in.evaluator.Call(&reducer, std::move(arguments)));
      CopyStrided({}, r.array(), {}, sum, {i, {}});
    }
  }
  return sum;
}

// For each result, the place in the group of the participant that it is from or for.
absl::StatusOr<std::vector<int64_t>> Roots(const Met& met, size_t results) {
  if (!met.in.instruction.attrs<CollectiveAttrs>().has_dynamic_root)
    return std::vector<int64_t>(results, 0);
  std::vector<int64_t> roots;
  for (size_t n = 0; n < results; ++n) {
    for (int64_t k = 0; k < met.size(); ++k) {
      const int64_t root = LoadIndex(met.Get(k, results), static_cast<int64_t>(n));
      if (root < 0 || root >= met.size()) {
        return InvalidArgument("root {} of operand {} is not in a group of {}", root, n,
                               met.size());
      }
      if (k == 0) roots.push_back(root);
      if (root != roots.back()) {
        return InvalidArgument("participants {} and {} state roots {} and {} for operand {}",
                               met.group[0], met.group[static_cast<size_t>(k)], roots.back(), root,
                               n);
      }
    }
  }
  return roots;
}

absl::StatusOr<Value> AllToAll(const Met& met) {
  const Dims& dimensions = met.in.instruction.attrs<CollectiveAttrs>().dimensions;
  const auto self = static_cast<size_t>(met.self);
  if (dimensions.empty()) {
    std::vector<Value> results;
    if (met.in.operands.size() != met.group.size()) {
      return InvalidArgument("{} operands for a group of {}", met.in.operands.size(), met.size());
    }
    for (const auto& given : met.operands) results.push_back(given[self]);
    return Value(std::move(results));
  }
  std::vector<Literal> parts;
  for (int64_t k = 0; k < met.size(); ++k) {
    ASSIGN_OR_RETURN(Literal part, Part(met.Get(k, 0), dimensions[0], met.self, met.size()));
    parts.push_back(std::move(part));
  }
  return Value(Joined(parts, dimensions[0]));
}

// The sizes and offsets have an entry for each participant of the group, or equally many for each,
// one after the other.
absl::StatusOr<Value> RaggedAllToAll(const Met& met) {
  enum : uint8_t { kInput, kOutput, kInputOffsets, kSendSizes, kOutputOffsets, kRecvSizes };
  Literal result = met.Get(met.self, kOutput);
  const Dims strides = RowMajorStrides(result.shape().dimensions());
  const int64_t entries = met.Get(0, kSendSizes).shape().element_count();
  if (entries % met.size() != 0) {
    return InvalidArgument("{} sizes are not equally many for each of {} participants", entries,
                           met.size());
  }
  const int64_t each = entries / met.size();
  for (int64_t k = 0; k < met.size(); ++k) {
    const Literal& input = met.Get(k, kInput);
    for (int64_t at = met.self * each; at < (met.self + 1) * each; ++at) {
      const int64_t from = LoadIndex(met.Get(k, kInputOffsets), at);
      const int64_t rows = LoadIndex(met.Get(k, kSendSizes), at);
      const int64_t to = LoadIndex(met.Get(k, kOutputOffsets), at);
      auto outside = [](int64_t first, int64_t count, const Literal& x) {
        return first < 0 || first > x.shape().dimension(0) - count;
      };
      if (rows < 0 || outside(from, rows, input) || outside(to, rows, result)) {
        return InvalidArgument(
            "participant {} sends {} rows from {} on of {} to row {} of {} of participant {}",
            met.group[static_cast<size_t>(k)], rows, from, input.shape().ToString(), to,
            result.shape().ToString(), met.group[static_cast<size_t>(met.self)]);
      }
      Dims dims = result.shape().dimensions();
      dims[0] = rows;
      CopyStrided(dims, input, {from * strides[0], RowMajorStrides(input.shape().dimensions())},
                  result, {to * strides[0], strides});
    }
  }
  return Value(std::move(result));
}

absl::StatusOr<Value> Exchanged(const Met& met, const collective::Groups& pairs) {
  const HloInstruction& i = met.in.instruction;
  const size_t count = met.in.shape().is_tuple() ? met.in.shape().tuple_shapes().size() : 1;
  std::vector<Value> results;
  switch (i.op()) {
    case HloOpcode::AllToAll:
      return AllToAll(met);
    case HloOpcode::RaggedAllToAll:
      return RaggedAllToAll(met);
    case HloOpcode::AllGather:
      for (size_t n = 0; n < count; ++n) {
        results.emplace_back(Joined(met.All(n), i.attrs<CollectiveAttrs>().dimensions[0]));
        if (!Shape::Fits(results.back().array().shape(), ResultShape(i, n))) {
          return InvalidArgument("{} participants give {}, not {}", met.size(),
                                 results.back().array().shape().ToString(),
                                 ResultShape(i, n).ToString());
        }
      }
      break;
    case HloOpcode::AllReduce:
      for (size_t n = 0; n < count; ++n) {
        ASSIGN_OR_RETURN(Literal sum, Reduced(met.in, met.All(n)));
        results.emplace_back(std::move(sum));
      }
      break;
    case HloOpcode::ReduceScatter:
      for (size_t n = 0; n < count; ++n) {
        const int64_t d = i.attrs<CollectiveAttrs>().dimensions[0];
        std::vector<Literal> parts;
        for (const Literal& x : met.All(n)) {
          ASSIGN_OR_RETURN(Literal part, Part(x, d, met.self, met.size()));
          parts.push_back(std::move(part));
        }
        ASSIGN_OR_RETURN(Literal sum, Reduced(met.in, std::move(parts)));
        if (!Shape::Fits(sum.shape(), ResultShape(i, n))) {
          return InvalidArgument("{} participants give {}, not {}", met.size(),
                                 sum.shape().ToString(), ResultShape(i, n).ToString());
        }
        results.emplace_back(std::move(sum));
      }
      break;
    case HloOpcode::CollectiveBroadcast: {
      ASSIGN_OR_RETURN(const std::vector<int64_t> roots, Roots(met, count));
      for (size_t n = 0; n < count; ++n)
        results.push_back(met.operands[static_cast<size_t>(roots[n])][n]);
      break;
    }
    case HloOpcode::CollectiveReduce: {
      ASSIGN_OR_RETURN(const std::vector<int64_t> roots, Roots(met, count));
      results = Zeros(met.in);
      for (size_t n = 0; n < count; ++n) {
        if (roots[n] != met.self) continue;
        ASSIGN_OR_RETURN(Literal sum, Reduced(met.in, met.All(n)));
        results[n] = Value(std::move(sum));
      }
      break;
    }
    case HloOpcode::CollectivePermute: {
      const int64_t self = met.group[static_cast<size_t>(met.self)];
      const int64_t source = collective::SourceFor(pairs, self);
      if (source < 0) {
        results = Zeros(met.in);
      } else {
        results = met.operands[static_cast<size_t>(collective::IndexIn(met.group, source))];
      }
      break;
    }
    default:
      return Internal("'{}' is no collective", i.name());
  }
  return OneOrTuple(met.in, std::move(results));
}

absl::StatusOr<Value> Meet(const Input& in, Participant& self) {
  const HloInstruction& i = in.instruction;
  if (const auto* a = std::get_if<CollectivePermuteAttrs>(&i.attributes());
      a != nullptr && !a->slice_sizes.empty()) {
    return Unimplemented("{} '{}' of slices", Name(i.op()), i.name());
  }
  ASSIGN_OR_RETURN(const Exchange exchange, ExchangeOf(i, self.grid()));
  const std::vector<int64_t>* group = collective::GroupOf(exchange.groups, self.number());
  if (group == nullptr) return OneOrTuple(in, Zeros(in));
  Met met{in, *group, {}, collective::IndexIn(*group, self.number())};
  const collective::Operation op = OperationOf(i);
  ASSIGN_OR_RETURN(met.operands, self.Meet(op, *group, {in.operands.begin(), in.operands.end()}));
  absl::StatusOr<Value> result = Exchanged(met, exchange.pairs);
  if (!result.ok()) return Annotate(result.status(), op.text);
  return result;
}

absl::StatusOr<Value> TransferWithHost(const Input& in, const HostTransfer& transfer) {
  const HostTransfers* host = in.evaluator.options().host;
  if (in.instruction.op() == HloOpcode::Send) {
    RETURN_IF_ERROR(SendToHost(host, transfer, in.operands[0].ToLiteral()));
    return Value();
  }
  ASSIGN_OR_RETURN(Literal given, ReceiveFromHost(host, transfer, in.shape().tuple_shapes()[0]));
  return Value(std::move(given));
}

absl::StatusOr<Value> TransferBetweenDevices(const Input& in, const HloInstruction& begun,
                                             int64_t channel, Participant& self) {
  ASSIGN_OR_RETURN(const Exchange exchange, ExchangeOf(begun, self.grid()));
  if (exchange.pairs.empty()) {
    return InvalidArgument("{} '{}' between devices needs source_target_pairs", Name(begun.op()),
                           begun.name());
  }
  if (in.instruction.op() == HloOpcode::Send) {
    for (const auto& pair : exchange.pairs) {
      if (pair[0] == self.number()) self.Send(channel, pair[1], in.operands[0]);
    }
    return Value();
  }
  const int64_t source = collective::SourceFor(exchange.pairs, self.number());
  if (source < 0) return in.operands[0].tuple()[0];  // zeros
  ASSIGN_OR_RETURN(Value data, self.Receive(OperationOf(begun), channel, source));
  const Shape& expected = in.shape().tuple_shapes()[0];
  if (Shape given = data.ToLiteral().shape(); !Shape::Compatible(given, expected)) {
    return InvalidArgument("{} '{}' of {} is sent {}", Name(begun.op()), begun.name(),
                           expected.ToString(), given.ToString());
  }
  return data;
}

// Send and recv-done do the work: a sender waits for nobody, and what has begun may be received
// late. `self` is null where there is one participant.
absl::StatusOr<Value> Transfer(const Input& in, Participant* self) {
  const HloInstruction& i = in.instruction;
  const Value token(Literal(Shape::Token())), context(Literal(Shape(ElementType::U32)));
  if (i.op() == HloOpcode::Recv) {
    return Value(std::vector<Value>{Value(Literal(in.shape().tuple_shapes()[0])), context, token});
  }
  ASSIGN_OR_RETURN(const HloInstruction* begun, TransferOf(i));
  if (i.op() == HloOpcode::SendDone) return token;
  const auto& attrs = begun->attrs<TransferAttrs>();
  const int64_t channel = attrs.channel_id.value_or(0);
  Value received;
  if (attrs.is_host_transfer) {
    ASSIGN_OR_RETURN(received,
                     TransferWithHost(in, {channel, self == nullptr ? 0 : self->number()}));
  } else {
    if (self == nullptr) return AloneOnDevice(i).status();
    ASSIGN_OR_RETURN(received, TransferBetweenDevices(in, *begun, channel, *self));
  }
  if (i.op() == HloOpcode::Send) return Value(std::vector<Value>{in.operands[0], context, token});
  return Value(std::vector<Value>{std::move(received), token});
}

absl::StatusOr<Value> OnOneDevice(const Input& in) {
  ASSIGN_OR_RETURN(Alone alone, AloneOnDevice(in.instruction));
  if (alone == Alone::kZero) return OneOrTuple(in, Zeros(in));
  std::vector<Value> results;
  for (size_t n = 0; n < in.operands.size(); ++n)
    results.emplace_back(ConvertTo(in.array(n), ResultShape(in.instruction, n).element_type()));
  return OneOrTuple(in, std::move(results));
}

}  // namespace

absl::StatusOr<Value> Participants(const Input& in) {
  Participant* self = in.evaluator.participant();
  const HloOpcode op = in.instruction.op();
  switch (op) {
    case HloOpcode::Recv:
    case HloOpcode::RecvDone:
    case HloOpcode::Send:
    case HloOpcode::SendDone:
      return Transfer(in, self);
    default:
      break;
  }
  if (self == nullptr || op == HloOpcode::RngGetAndUpdateState) return OnOneDevice(in);
  switch (op) {
    case HloOpcode::PartitionId:
    case HloOpcode::ReplicaId: {
      const collective::Grid& grid = self->grid();
      const auto id =
          static_cast<uint64_t>(op == HloOpcode::ReplicaId ? grid.ReplicaOf(self->number())
                                                           : grid.PartitionOf(self->number()));
      Literal result(in.shape());
      Store(result, 0, 1, &id);
      return Value(std::move(result));
    }
    default:
      return Meet(in, *self);
  }
}

}  // namespace sinter::eval
