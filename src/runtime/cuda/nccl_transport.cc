#include "runtime/cuda/nccl_transport.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "base/status.h"
#include "runtime/cuda/memory.h"
#include "runtime/executable.h"
#include "runtime/processes.h"

namespace sinter::runtime::cuda {
namespace {

using program::Collective;
using CollectiveKind = Collective::Kind;

class NoWork final : public ExchangeWork {
 public:
  int64_t pieces() const override { return 0; }
  void Run(int64_t) const override {}
};

// How NCCL reduces a type: complex numbers are two each, predicates bytes.
struct Reduced {
  NcclType type;
  int width;
};
std::optional<Reduced> ReducedAs(ElementType t) {
  switch (t) {
    case ElementType::S8:
      return Reduced{NcclType::kS8, 1};
    case ElementType::PRED:
    case ElementType::U8:
      return Reduced{NcclType::kU8, 1};
    case ElementType::S32:
      return Reduced{NcclType::kS32, 4};
    case ElementType::U32:
      return Reduced{NcclType::kU32, 4};
    case ElementType::S64:
      return Reduced{NcclType::kS64, 8};
    case ElementType::U64:
      return Reduced{NcclType::kU64, 8};
    case ElementType::F16:
      return Reduced{NcclType::kF16, 2};
    case ElementType::BF16:
      return Reduced{NcclType::kBF16, 2};
    case ElementType::F32:
    case ElementType::C64:
      return Reduced{NcclType::kF32, 4};
    case ElementType::F64:
    case ElementType::C128:
      return Reduced{NcclType::kF64, 8};
    default:
      return std::nullopt;
  }
}

std::optional<NcclReduction> ReductionBy(collective::Reduction r) {
  switch (r) {
    case collective::Reduction::kSum:
      return NcclReduction::kSum;
    case collective::Reduction::kProduct:
      return NcclReduction::kProduct;
    case collective::Reduction::kMaximum:
      return NcclReduction::kMaximum;
    case collective::Reduction::kMinimum:
      return NcclReduction::kMinimum;
    case collective::Reduction::kOther:
      return std::nullopt;
  }
  return std::nullopt;
}

// Whether the moves of the plan are what NCCL has a call for.
bool HasCall(CollectiveKind kind) {
  return kind == CollectiveKind::kAllGather || kind == CollectiveKind::kBroadcast;
}

char* OperandAt(const Exchange& e, int64_t member, size_t k) {
  return static_cast<char*>(e.pointers[static_cast<size_t>(member)][k]);
}
char* ResultAt(const Exchange& e, int64_t member, size_t k) {
  return OperandAt(e, member, e.step->operands.size() + k);
}
bool IsHere(const Exchange& e, int64_t member) {
  return e.pointers[static_cast<size_t>(member)] != nullptr;
}

}  // namespace

std::unique_ptr<ExchangeWork> NcclTransport::Submitted() { return std::make_unique<NoWork>(); }

size_t NcclTransport::IndexOf(const Exchange& exchange, size_t member) const {
  const Processes* processes = exchange.participants->processes.get();
  const int first = processes == nullptr ? 0 : processes->FirstDeviceOf(processes->id());
  return static_cast<size_t>(exchange.devices[member] - first);
}

const std::shared_ptr<Context>& NcclTransport::ContextOf(const Exchange& exchange,
                                                         size_t member) const {
  return contexts_[IndexOf(exchange, member)];
}

std::unique_lock<std::mutex> NcclTransport::LockFor(const Exchange& exchange) {
  std::unique_lock<std::mutex> lock(cliques_->mutex);
  cliques_->AwaitSettled(exchange.devices);
  return lock;
}

Watched NcclTransport::WatchedOf(const Exchange& exchange) {
  return {Format("{}: {}", exchange.program, exchange.step->operation.text),
          exchange.participants->timeout, exchange.participants->processes};
}

Clique NcclTransport::Unmade(const Exchange& exchange) const {
  Clique clique;
  clique.devices = exchange.devices;
  const Processes* processes = exchange.participants->processes.get();
  for (size_t m = 0; m < exchange.devices.size(); ++m) {
    if (exchange.pointers[m] != nullptr) {
      clique.ranks.push_back({static_cast<int>(m), ContextOf(exchange, m)});
    } else {
      clique.processes.push_back(processes->ProcessOf(exchange.devices[m]));
    }
  }
  return clique;
}

absl::StatusOr<std::vector<std::vector<char>>> NcclTransport::ReadIndices(const Exchange& exchange,
                                                                          size_t member) const {
  std::vector<std::vector<char>> all(exchange.step->operands.size());
  const std::shared_ptr<Context>& context = ContextOf(exchange, member);
  for (size_t k : IndexOperands(*exchange.step)) {
    const auto bytes = static_cast<size_t>(exchange.step->operands[k].size);
    all[k].resize(bytes);
    if (bytes == 0) continue;
    Context::Scope scope(*context);
    RETURN_IF_ERROR(scope.status());
    ASSIGN_OR_RETURN(const auto block, PinnedBlock::Make(context, static_cast<int64_t>(bytes)));
    RETURN_IF_CUDA_ERROR(*context, MemcpyDtoHAsync, block->data(),
                         Address(exchange.pointers[member][k]), bytes, context->stream());
    RETURN_IF_ERROR(context->Synchronize());
    std::memcpy(all[k].data(), block->data(), bytes);
  }
  return all;
}

absl::StatusOr<ExchangePlan> NcclTransport::Plan(
    const Exchange& exchange, const std::vector<std::vector<std::vector<char>>>& indices) {
  ASSIGN_OR_RETURN(
      ExchangePlan plan,
      PlanExchange(*exchange.step, exchange.group, [&](int64_t member, size_t k) -> const void* {
        return indices[static_cast<size_t>(member)][k].data();
      }));
  for (const Move& m : plan.moves) {
    RETURN_INTERNAL_IF(m.rows != 1 && !(exchange.step->kind == CollectiveKind::kAllGather),
                       "{}: parts of {} rows", exchange.step->operation.text, m.rows);
  }
  return plan;
}

absl::StatusOr<std::unique_ptr<ExchangeWork>> NcclTransport::Begin(const Exchange& exchange) {
  if (exchange.group.empty()) {
    const std::shared_ptr<Context>& context = ContextOf(exchange, 0);
    Context::Scope scope(*context);
    RETURN_IF_ERROR(scope.status());
    for (size_t k = 0; k < exchange.step->results.size(); ++k) {
      const auto bytes = static_cast<size_t>(exchange.step->results[k].size);
      if (bytes == 0) continue;
      RETURN_IF_CUDA_ERROR(*context, MemsetD8Async, Address(ResultAt(exchange, 0, k)), 0, bytes,
                           context->stream());
    }
    return Submitted();
  }
  if (!exchange.sequences.empty()) {
    const auto lock = LockFor(exchange);
    const Offer offer = OfferOf(exchange);
    if (const auto clique = cliques_->Find(exchange.devices); clique != nullptr) {
      ASSIGN_OR_RETURN(const bool whole, SubmitWhole(exchange, offer, clique));
      if (whole) return Submitted();
    }
  }
  std::vector<std::vector<std::vector<char>>> indices(exchange.group.size());
  for (size_t m = 0; m < indices.size(); ++m) {
    ASSIGN_OR_RETURN(indices[m], ReadIndices(exchange, m));
  }
  ASSIGN_OR_RETURN(const ExchangePlan plan, Plan(exchange, indices));
  const auto lock = LockFor(exchange);
  std::shared_ptr<Clique> clique;
  if (exchange.group.size() > 1) {
    clique = cliques_->Find(exchange.devices);
    if (clique == nullptr) {
      ASSIGN_OR_RETURN(const NcclId id, cliques_->NewId());
      ASSIGN_OR_RETURN(clique, cliques_->Make(Unmade(exchange), id, WatchedOf(exchange)));
    }
  }
  RETURN_IF_ERROR(Submit(exchange, plan, clique));
  return Submitted();
}

absl::StatusOr<std::vector<StreamHandle>> NcclTransport::Streams(const Exchange& exchange) {
  std::vector<StreamHandle> streams(exchange.pointers.size());
  for (size_t m = 0; m < streams.size(); ++m) {
    if (exchange.pointers[m] == nullptr) continue;
    Context& context = *ContextOf(exchange, m);
    Context::Scope scope(context);
    RETURN_IF_ERROR(scope.status());
    streams[m] = context.stream();
    if (Begins(exchange)) {
      ASSIGN_OR_RETURN(streams[m], context.exchange_stream());
      if (EventHandle arrival = Take(arrivals_, exchange.pointers[m]); arrival != nullptr) {
        absl::Status status = SINTER_CUDA_CHECK(context, StreamWaitEvent, streams[m], arrival, 0);
        context.ReturnEvent(arrival);
        RETURN_IF_ERROR(status);
      }
      if (EventHandle end = stream_ends_[IndexOf(exchange, m)]; end != nullptr)
        RETURN_IF_CUDA_ERROR(context, StreamWaitEvent, streams[m], end, 0);
    } else if (StreamHandle aside = context.made_exchange_stream(); aside != nullptr) {
      RETURN_IF_ERROR(context.Order(aside, context.stream()));
    }
  }
  return streams;
}

absl::Status NcclTransport::KeepEnds(const Exchange& exchange,
                                     const std::vector<StreamHandle>& streams) {
  for (size_t m = 0; m < streams.size(); ++m) {
    if (exchange.pointers[m] == nullptr) continue;
    if (!Begins(exchange)) {
      RETURN_IF_ERROR(KeepStreamEnd(IndexOf(exchange, m)));
      continue;
    }
    Context& context = *ContextOf(exchange, m);
    Context::Scope scope(context);
    RETURN_IF_ERROR(scope.status());
    ASSIGN_OR_RETURN(const EventHandle end, context.Record(streams[m]));
    std::lock_guard<std::mutex> lock(events_mutex_);
    ends_[exchange.pointers[m]] = end;
  }
  return absl::OkStatus();
}

absl::Status NcclTransport::KeepStreamEnd(size_t context) {
  Context& c = *contexts_[context];
  Context::Scope scope(c);
  RETURN_IF_ERROR(scope.status());
  EventHandle& end = stream_ends_[context];
  if (end == nullptr) {
    ASSIGN_OR_RETURN(end, c.TakeEvent());
  }
  return SINTER_CUDA_CHECK(c, EventRecord, end, c.stream());
}

NcclTransport::~NcclTransport() {
  for (size_t k = 0; k < contexts_.size(); ++k) {
    Context::Scope scope(*contexts_[k]);
    if (stream_ends_[k] != nullptr) contexts_[k]->ReturnEvent(stream_ends_[k]);
  }
}

EventHandle NcclTransport::Take(Events& events, void* const* member) {
  std::lock_guard<std::mutex> lock(events_mutex_);
  const auto found = events.find(member);
  if (found == events.end()) return nullptr;
  EventHandle event = found->second;
  events.erase(found);
  return event;
}

absl::Status NcclTransport::Arrive(const Exchange& exchange) {
  Context& context = *ContextOf(exchange, 0);
  Context::Scope scope(context);
  RETURN_IF_ERROR(scope.status());
  ASSIGN_OR_RETURN(const EventHandle arrival, context.Record());
  std::lock_guard<std::mutex> lock(events_mutex_);
  arrivals_[exchange.pointers[0]] = arrival;
  return absl::OkStatus();
}

absl::Status NcclTransport::Join(const Exchange& exchange) {
  Context& context = *ContextOf(exchange, 0);
  Context::Scope scope(context);
  // Of an exchange that has not been.
  if (EventHandle arrival = Take(arrivals_, exchange.pointers[0]); arrival != nullptr)
    context.ReturnEvent(arrival);
  const EventHandle end = Take(ends_, exchange.pointers[0]);
  if (end == nullptr) return absl::OkStatus();
  absl::Status status = scope.status();
  if (status.ok()) status = SINTER_CUDA_CHECK(context, StreamWaitEvent, context.stream(), end, 0);
  context.ReturnEvent(end);
  return status;
}

// Moves from and to the same participant, zeros, and sums of one.
absl::Status NcclTransport::SubmitOwn(const Exchange& exchange, const ExchangePlan& plan,
                                      const std::vector<StreamHandle>& streams) const {
  const bool alone = exchange.group.size() == 1;
  auto copy = [&](int64_t member, char* to, const char* from, int64_t bytes) -> absl::Status {
    const std::shared_ptr<Context>& context = ContextOf(exchange, static_cast<size_t>(member));
    if (to == from) return absl::OkStatus();
    Context::Scope scope(*context);
    RETURN_IF_ERROR(scope.status());
    const auto size = static_cast<size_t>(bytes);
    const StreamHandle stream = streams[static_cast<size_t>(member)];
    if (from == nullptr)
      return SINTER_CUDA_CHECK(*context, MemsetD8Async, Address(to), 0, size, stream);
    return SINTER_CUDA_CHECK(*context, MemcpyDtoDAsync, Address(to), Address(from), size, stream);
  };
  for (const Move& m : plan.moves) {
    if (!IsHere(exchange, m.to) || (m.from >= 0 && m.from != m.to)) continue;
    if (HasCall(exchange.step->kind) && !alone) continue;
    const char* from =
        m.from < 0 ? nullptr : OperandAt(exchange, m.from, m.operand) + m.from_offset;
    for (int64_t row = 0; row < m.rows; ++row) {
      RETURN_IF_ERROR(copy(m.to,
                           ResultAt(exchange, m.to, m.result) + m.to_offset + row * m.to_stride,
                           from == nullptr ? nullptr : from + row * m.from_stride, m.bytes));
    }
  }
  for (const Reduction& r : plan.reductions) {
    if (!alone) break;
    for (int64_t row = 0; row < r.rows; ++row) {
      RETURN_IF_ERROR(copy(0, ResultAt(exchange, 0, r.operand) + r.to + row * r.bytes,
                           OperandAt(exchange, 0, r.operand) + r.offset + row * r.stride, r.bytes));
    }
  }
  return absl::OkStatus();
}

absl::Status NcclTransport::Submit(const Exchange& exchange, const ExchangePlan& plan,
                                   const std::shared_ptr<Clique>& clique) {
  ASSIGN_OR_RETURN(const std::vector<StreamHandle> streams, Streams(exchange));
  RETURN_IF_ERROR(SubmitOwn(exchange, plan, streams));
  if (clique == nullptr) return KeepEnds(exchange, streams);
  used_ = true;
  std::vector<StreamHandle> of_ranks;
  for (const Clique::Rank& r : clique->ranks)
    of_ranks.push_back(streams[static_cast<size_t>(r.place)]);
  const Watched watched = WatchedOf(exchange);
  const std::vector<uint64_t> recorded = Cliques::Recorded(*clique);
  absl::Status status = SubmitCalls(exchange, plan, *clique, streams);
  if (status.ok()) status = cliques_->Settle(*clique, watched);
  if (status.ok()) status = cliques_->Watch(clique, watched, of_ranks, recorded);
  // Whatever has been submitted is before what they do with its memory.
  status.Update(KeepEnds(exchange, streams));
  if (status.ok()) return status;
  // Some devices may have got theirs, and wait for the others.
  status = Annotate(status, exchange.step->operation.text);
  cliques_->Drop(clique, Annotate(status, exchange.program), recorded);
  return status;
}

absl::Status NcclTransport::SubmitCalls(const Exchange& exchange, const ExchangePlan& plan,
                                        const Clique& clique,
                                        const std::vector<StreamHandle>& streams) {
  ASSIGN_OR_RETURN(const Nccl* nccl, cliques_->nccl());
  const Collective& step = *exchange.step;
  const std::optional<Reduced> reduced = ReducedAs(step.type);
  const std::optional<NcclReduction> op = ReductionBy(step.reduction);
  RETURN_INTERNAL_IF(!plan.reductions.empty() && (!reduced || !op), "{}: NCCL has no such sum",
                     step.operation.text);
  // What one rank of the group calls, in the same order everywhere.
  auto calls = [&](const Clique::Rank& rank) -> absl::Status {
    const int64_t self = rank.place;
    const StreamHandle stream = streams[static_cast<size_t>(rank.place)];
    for (const Reduction& r : plan.reductions) {
      const char* from = OperandAt(exchange, self, r.operand) + r.offset;
      char* to = ResultAt(exchange, self, r.operand) + r.to;
      const auto count = static_cast<size_t>(r.rows * r.bytes / reduced->width);
      if (step.kind == CollectiveKind::kAllReduce) {
        RETURN_IF_NCCL_ERROR(*nccl, AllReduce, from, to, count, reduced->type, *op, rank.comm,
                             stream);
      } else if (step.kind == CollectiveKind::kReduceScatter) {
        // One call has the parts of all.
        if (r.target != 0) continue;
        RETURN_INTERNAL_IF(r.rows != 1, "{}: parts of {} rows", step.operation.text, r.rows);
        RETURN_IF_NCCL_ERROR(*nccl, ReduceScatter, from, to, count, reduced->type, *op, rank.comm,
                             stream);
      } else {
        RETURN_IF_NCCL_ERROR(*nccl, Reduce, from, to, count, reduced->type, *op,
                             static_cast<int>(r.target), rank.comm, stream);
      }
    }
    for (const Move& m : plan.moves) {
      const auto bytes = static_cast<size_t>(m.bytes);
      if (step.kind == CollectiveKind::kAllGather) {
        if (m.from != 0 || m.to != 0) continue;
        RETURN_INTERNAL_IF(m.rows != 1, "{}: parts of {} rows", step.operation.text, m.rows);
        RETURN_IF_NCCL_ERROR(*nccl, AllGather, OperandAt(exchange, self, m.operand),
                             ResultAt(exchange, self, m.result), bytes, NcclType::kU8, rank.comm,
                             stream);
      } else if (step.kind == CollectiveKind::kBroadcast) {
        if (m.to != 0) continue;
        RETURN_IF_NCCL_ERROR(*nccl, Broadcast, OperandAt(exchange, self, m.operand),
                             ResultAt(exchange, self, m.result), bytes, NcclType::kU8,
                             static_cast<int>(m.from), rank.comm, stream);
      } else if (m.from >= 0 && m.from != m.to) {
        if (m.from == self) {
          RETURN_IF_NCCL_ERROR(*nccl, Send, OperandAt(exchange, self, m.operand) + m.from_offset,
                               bytes, NcclType::kU8, static_cast<int>(m.to), rank.comm, stream);
        }
        if (m.to == self) {
          RETURN_IF_NCCL_ERROR(*nccl, Recv, ResultAt(exchange, self, m.result) + m.to_offset, bytes,
                               NcclType::kU8, static_cast<int>(m.from), rank.comm, stream);
        }
      }
    }
    return absl::OkStatus();
  };
  RETURN_IF_NCCL_ERROR(*nccl, GroupStart);
  absl::Status status;
  for (const Clique::Rank& rank : clique.ranks) {
    Context::Scope scope(*rank.context);
    status.Update(scope.status());
    if (status.ok()) status = calls(rank);
    if (!status.ok()) break;
  }
  status.Update(nccl->Check(nccl->GroupEnd(), "ncclGroupEnd"));
  return status;
}

}  // namespace sinter::runtime::cuda
