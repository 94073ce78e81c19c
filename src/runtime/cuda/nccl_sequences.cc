// Sequences of exchanges as graphs.
#include <atomic>
#include <utility>

#include "base/status.h"
#include "base/thread/workers.h"
#include "runtime/cuda/nccl_transport.h"

namespace sinter::runtime::cuda {
namespace {

constexpr size_t kNamedExchanges = 4;  // in messages

CudaSequence& SequenceOf(const Exchange& exchange, size_t member) {
  return static_cast<CudaSequence&>(*exchange.sequences[member]);
}

// "all-reduce 'y' (channel 3)"; of several, which of them it is is not known.
std::string NamesOf(const CudaSequence& sequence) {
  std::vector<std::string> names;
  for (const CudaSequence::Exchanged& e : sequence.exchanges()) {
    if (names.size() == kNamedExchanges) {
      names.push_back(Format("{} more", sequence.exchanges().size() - kNamedExchanges));
      break;
    }
    names.push_back(e.step->operation.text);
  }
  return names.size() == 1 ? names[0] : "one of " + Join(names, ", ");
}

// One rank of a group that captures together.
class RankCapture {
 public:
  static absl::StatusOr<std::unique_ptr<RankCapture>> Begin(const std::shared_ptr<Context>& context,
                                                            const CudaSequence& sequence) {
    std::unique_ptr<RankCapture> rank(new RankCapture(sequence));
    ASSIGN_OR_RETURN(rank->capture_, Capture::Begin(context));
    rank->ends_.resize(sequence.exchanges().size());
    return rank;
  }
  ~RankCapture() {
    if (capture_ == nullptr) return;
    Context::Scope scope(context());
    for (EventHandle event : ends_) {
      if (event != nullptr) context().ReturnEvent(event);
    }
  }
  RankCapture(const RankCapture&) = delete;
  RankCapture& operator=(const RankCapture&) = delete;

  Context& context() const { return *capture_->context(); }

  // What comes before the next exchange.
  absl::Status Advance() {
    while (next_ < sequence_.parts().size()) {
      const CudaSequence::Part& part = sequence_.parts()[next_++];
      if (part.kind == CudaSequence::Part::Kind::kExchange) break;
      if (part.kind == CudaSequence::Part::Kind::kWork) {
        RETURN_IF_ERROR(capture_->Add(sequence_.work(part.number)));
      } else {
        RETURN_IF_CUDA_ERROR(context(), StreamWaitEvent, capture_->stream(), ends_[part.number], 0);
      }
    }
    return absl::OkStatus();
  }
  // The stream for the exchange, behind what its operands come of and the exchanges before it.
  absl::StatusOr<StreamHandle> StreamFor(bool begins) {
    if (begins) {
      aside_ = true;
      RETURN_IF_ERROR(context().Order(capture_->stream(), capture_->exchange_stream()));
      return capture_->exchange_stream();
    }
    if (aside_) RETURN_IF_ERROR(context().Order(capture_->exchange_stream(), capture_->stream()));
    return capture_->stream();
  }
  // Of one that has only begun, for those who wait for it.
  absl::Status KeepEnd(size_t exchange) {
    ASSIGN_OR_RETURN(ends_[exchange], context().TakeEvent());
    return SINTER_CUDA_CHECK(context(), EventRecord, ends_[exchange], capture_->exchange_stream());
  }
  absl::StatusOr<std::shared_ptr<Graph>> End() { return capture_->End(); }

 private:
  explicit RankCapture(const CudaSequence& sequence) : sequence_(sequence) {}

  const CudaSequence& sequence_;
  std::unique_ptr<Capture> capture_;
  size_t next_ = 0;                // part
  std::vector<EventHandle> ends_;  // by exchange
  bool aside_ = false;             // something is on the stream for exchanges
};

}  // namespace

NcclTransport::Offer NcclTransport::OfferOf(const Exchange& exchange) const {
  Offer offer;
  if (exchange.sequences.empty() || !captures_) return offer;
  offer.comes_again = true;
  bool first = true;
  for (size_t m = 0; m < exchange.sequences.size(); ++m) {
    if (exchange.sequences[m] == nullptr) continue;
    CudaSequence& sequence = SequenceOf(exchange, m);
    uint64_t capture = 0;
    const bool has_graph = sequence.Find(&capture) != nullptr;
    offer.comes_again &= has_graph || sequence.ComesAgain();
    if (std::exchange(first, false)) {
      offer.fingerprint = sequence.fingerprint();
      offer.capture = capture;
    }
    if (offer.fingerprint != sequence.fingerprint()) offer.fingerprint = 0;
    if (offer.capture != capture) offer.capture = 0;
  }
  return offer;
}

absl::StatusOr<bool> NcclTransport::SubmitWhole(const Exchange& exchange, const Offer& offer,
                                                const std::shared_ptr<Clique>& clique) {
  if (offer.fingerprint == 0 || (offer.capture == 0 && !offer.comes_again)) return false;
  if (offer.capture == 0) {
    ASSIGN_OR_RETURN(const bool captured, MakeGraphs(exchange, clique));
    if (!captured) return false;
  }
  RETURN_IF_ERROR(LaunchGraphs(exchange, clique));
  return true;
}

absl::StatusOr<bool> NcclTransport::MakeGraphs(const Exchange& exchange,
                                               const std::shared_ptr<Clique>& clique) {
  // Where there are no captures the communicator goes, and what is pending is not to go with it.
  if (!has_captured_) cliques_->Finish(clique);
  if (clique->ranks[0].comm == nullptr) return false;
  const std::vector<uint64_t> recorded = Cliques::Recorded(*clique);
  absl::StatusOr<std::vector<std::shared_ptr<Graph>>> graphs = CaptureAll(exchange, *clique);
  if (!graphs.ok()) {
    // A capture that breaks off leaves it in an unknown state.
    if (absl::IsUnimplemented(graphs.status())) {
      captures_ = false;
      cliques_->GiveUp(clique);
      return false;
    }
    const absl::Status status = Annotate(graphs.status(), exchange.step->operation.text);
    cliques_->Drop(clique, Annotate(status, exchange.program), recorded);
    return status;
  }
  has_captured_ = true;
  ++clique->captures;
  std::erase_if(clique->graphs, [](const std::weak_ptr<Graph>& g) { return g.expired(); });
  for (size_t k = 0; k < graphs->size(); ++k) {
    clique->graphs.push_back((*graphs)[k]);
    SequenceOf(exchange, static_cast<size_t>(clique->ranks[k].place))
        .Keep((*graphs)[k], clique->captures);
  }
  return true;
}

absl::StatusOr<std::vector<std::shared_ptr<Graph>>> NcclTransport::CaptureAll(
    const Exchange& exchange, const Clique& clique) {
  std::vector<std::unique_ptr<RankCapture>> ranks;
  for (const Clique::Rank& r : clique.ranks) {
    Context::Scope scope(*r.context);
    RETURN_IF_ERROR(scope.status());
    ASSIGN_OR_RETURN(
        ranks.emplace_back(),
        RankCapture::Begin(r.context, SequenceOf(exchange, static_cast<size_t>(r.place))));
  }
  const auto place_of = [&](size_t k) { return static_cast<size_t>(clique.ranks[k].place); };
  const size_t count = SequenceOf(exchange, place_of(0)).exchanges().size();
  for (size_t e = 0; e <= count; ++e) {
    Exchange one = exchange;
    std::vector<StreamHandle> streams(exchange.pointers.size());
    if (e < count) one.step = SequenceOf(exchange, place_of(0)).exchanges()[e].step;
    for (size_t k = 0; k < ranks.size(); ++k) {
      Context::Scope scope(ranks[k]->context());
      RETURN_IF_ERROR(scope.status());
      RETURN_IF_ERROR(ranks[k]->Advance());
      if (e == count) continue;
      one.pointers[place_of(k)] = SequenceOf(exchange, place_of(k)).exchanges()[e].pointers;
      ASSIGN_OR_RETURN(streams[place_of(k)], ranks[k]->StreamFor(Begins(one)));
    }
    if (e == count) break;
    ASSIGN_OR_RETURN(const ExchangePlan plan, Plan(one, {}));
    RETURN_IF_ERROR(SubmitOwn(one, plan, streams));
    RETURN_IF_ERROR(SubmitCalls(one, plan, clique, streams));
    RETURN_IF_ERROR(cliques_->Settle(clique, WatchedOf(one)));
    for (const auto& rank : ranks) {
      if (!Begins(one)) break;
      Context::Scope scope(rank->context());
      RETURN_IF_ERROR(scope.status());
      RETURN_IF_ERROR(rank->KeepEnd(e));
    }
  }
  std::vector<std::shared_ptr<Graph>> graphs;
  for (const auto& rank : ranks) {
    Context::Scope scope(rank->context());
    RETURN_IF_ERROR(scope.status());
    ASSIGN_OR_RETURN(graphs.emplace_back(), rank->End());
  }
  return graphs;
}

absl::Status NcclTransport::LaunchGraphs(const Exchange& exchange,
                                         const std::shared_ptr<Clique>& clique) {
  used_ = true;
  Watched watched = WatchedOf(exchange);
  const std::vector<uint64_t> recorded = Cliques::Recorded(*clique);
  std::vector<std::shared_ptr<Graph>> graphs;
  std::vector<StreamHandle> streams;
  std::string names;
  const auto launch = [&]() -> absl::Status {
    for (const Clique::Rank& r : clique->ranks) {
      CudaSequence& sequence = SequenceOf(exchange, static_cast<size_t>(r.place));
      if (names.empty()) names = NamesOf(sequence);
      uint64_t capture = 0;
      graphs.push_back(sequence.Find(&capture));
      RETURN_INTERNAL_IF(graphs.back() == nullptr, "a graph has gone");
      streams.push_back(r.context->stream());
      Context::Scope scope(*r.context);
      RETURN_IF_ERROR(scope.status());
      // Exchanges that have begun outside.
      if (StreamHandle aside = r.context->made_exchange_stream(); aside != nullptr)
        RETURN_IF_ERROR(r.context->Order(aside, r.context->stream()));
      RETURN_IF_ERROR(graphs.back()->Patch());
    }
    watched.what = Format("{}: {}", exchange.program, names);
    RETURN_IF_ERROR(LaunchAll(exchange, *clique, watched, graphs));
    for (const Clique::Rank& r : clique->ranks)
      RETURN_IF_ERROR(KeepStreamEnd(IndexOf(exchange, static_cast<size_t>(r.place))));
    return cliques_->Watch(clique, watched, streams, recorded);
  };
  absl::Status status = launch();
  if (status.ok()) {
    for (const Clique::Rank& r : clique->ranks)
      exchange.sequences[static_cast<size_t>(r.place)]->whole = true;
    return status;
  }
  // Some devices may have got theirs, and wait for the others.
  status = Annotate(status, names);
  cliques_->Drop(clique, Annotate(status, exchange.program), recorded);
  return status;
}

absl::Status NcclTransport::LaunchAll(const Exchange& exchange, const Clique& clique,
                                      const Watched& watched,
                                      const std::vector<std::shared_ptr<Graph>>& graphs) {
  struct Launches {
    std::mutex mutex;
    absl::Status status;
    std::atomic<size_t> left{0};
    std::atomic<bool> failed{false};
  };
  const auto launches = std::make_shared<Launches>();
  launches->left = graphs.size();
  for (size_t k = 0; k < graphs.size(); ++k) {
    launch_threads_.Call(IndexOf(exchange, static_cast<size_t>(clique.ranks[k].place)),
                         [launches, graph = graphs[k]] {
                           const absl::Status status = graph->Launch();
                           if (!status.ok()) {
                             std::lock_guard<std::mutex> lock(launches->mutex);
                             launches->status.Update(status);
                             launches->failed = true;
                           }
                           --launches->left;
                         });
  }
  const auto done = [&] { return launches->left == 0 || launches->failed; };
  if (!SpinUntil(done)) RETURN_IF_ERROR(cliques_->Settle(clique, watched, done));
  std::lock_guard<std::mutex> lock(launches->mutex);
  return launches->status;
}

}  // namespace sinter::runtime::cuda
