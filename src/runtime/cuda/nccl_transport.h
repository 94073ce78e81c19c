// Exchanges between GPUs by NCCL, in the order of their streams: what a participant submits after
// an exchange waits for it on the device, and no thread of the host does. Participants that are
// here are submitted together; those of other processes when all have told each other that they
// have come, so that a device never waits for one that does not.
//
// Sequences of exchanges (sequence.h) are graphs, one for each device, where all of the group offer
// alike ones and have been at the same addresses before: they are captured together, and launched
// where all have graphs of one capture (NCCL user guide, "Using NCCL with CUDA Graphs").
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/cuda/cliques.h"
#include "runtime/cuda/context.h"
#include "runtime/cuda/launch_threads.h"
#include "runtime/cuda/sequence.h"
#include "runtime/exchange_plan.h"
#include "runtime/transport.h"

namespace sinter::runtime::cuda {

class NcclTransport final : public Transport {
 public:
  // `contexts`: of the client's devices in this process, in their order. NCCL is looked for when
  // first needed.
  NcclTransport(std::vector<std::shared_ptr<Context>> contexts, std::string nccl_path)
      : contexts_(std::move(contexts)),
        cliques_(std::make_shared<Cliques>(std::move(nccl_path))),
        stream_ends_(contexts_.size()) {}
  ~NcclTransport() override;

  // Whether anything has been exchanged yet.
  bool used() const { return used_; }
  // The work is on the streams when this returns, and nothing of it is left. Unavailable without
  // NCCL, and where it fails.
  absl::StatusOr<std::unique_ptr<ExchangeWork>> Begin(const Exchange& exchange) override;
  absl::StatusOr<std::unique_ptr<RemoteExchange>> BeginRemote(const Exchange& exchange,
                                                              const Spread& spread) override;
  // An exchange that only begins is on the devices' exchange streams (Context), and the streams of
  // those who go on wait for it here.
  absl::Status Arrive(const Exchange& exchange) override;
  absl::Status Join(const Exchange& exchange) override;
  Turns* turns() override { return &turns_; }

 private:
  friend class NcclRemoteExchange;
  // Of what has been submitted, nothing is left for threads.
  static std::unique_ptr<ExchangeWork> Submitted();
  size_t IndexOf(const Exchange& exchange, size_t member) const;
  const std::shared_ptr<Context>& ContextOf(const Exchange& exchange, size_t member) const;
  // The contents of operands that all must know (IndexOperands), of those that are here.
  absl::StatusOr<std::vector<std::vector<char>>> ReadIndices(const Exchange& exchange,
                                                             size_t member) const;
  absl::StatusOr<ExchangePlan> Plan(const Exchange& exchange,
                                    const std::vector<std::vector<std::vector<char>>>& indices);
  // The cliques' mutex, once the exchange may be submitted.
  std::unique_lock<std::mutex> LockFor(const Exchange& exchange);
  Clique Unmade(const Exchange& exchange) const;
  static Watched WatchedOf(const Exchange& exchange);
  static bool Begins(const Exchange& exchange) {
    return exchange.step->ticket >= 0 && !exchange.group.empty();
  }
  // The streams that an exchange is submitted to, by member (null: not here), behind what its
  // operands come of and the exchanges before it.
  absl::StatusOr<std::vector<StreamHandle>> Streams(const Exchange& exchange);
  // For Join, and for exchanges on other streams.
  absl::Status KeepEnds(const Exchange& exchange, const std::vector<StreamHandle>& streams);
  // What each does by itself.
  absl::Status SubmitOwn(const Exchange& exchange, const ExchangePlan& plan,
                         const std::vector<StreamHandle>& streams) const;
  absl::Status Submit(const Exchange& exchange, const ExchangePlan& plan,
                      const std::shared_ptr<Clique>& clique);
  absl::Status SubmitCalls(const Exchange& exchange, const ExchangePlan& plan, const Clique& clique,
                           const std::vector<StreamHandle>& streams);

  // What those of a group that are here could submit whole.
  struct Offer {
    uint64_t fingerprint = 0;  // CudaSequence's; 0: nothing, or not the same
    uint64_t capture = 0;      // that all have graphs of; 0: they have not
    bool comes_again = false;  // all have been at these addresses before
  };
  Offer OfferOf(const Exchange& exchange) const;
  // False: it is to be exchanged one by one. The communicator may have gone then.
  absl::StatusOr<bool> SubmitWhole(const Exchange& exchange, const Offer& offer,
                                   const std::shared_ptr<Clique>& clique);
  // False: nothing is captured here, and the communicator has been given up.
  absl::StatusOr<bool> MakeGraphs(const Exchange& exchange, const std::shared_ptr<Clique>& clique);
  absl::StatusOr<std::vector<std::shared_ptr<Graph>>> CaptureAll(const Exchange& exchange,
                                                                 const Clique& clique);
  absl::Status LaunchGraphs(const Exchange& exchange, const std::shared_ptr<Clique>& clique);
  absl::Status LaunchAll(const Exchange& exchange, const Clique& clique, const Watched& watched,
                         const std::vector<std::shared_ptr<Graph>>& graphs);

  const std::vector<std::shared_ptr<Context>> contexts_;
  const std::shared_ptr<Cliques> cliques_;
  Turns turns_;
  // By context, with the cliques' mutex: the end of the last exchange on its stream. Exchanges of a
  // device are in the order in which they have been submitted, whatever their streams: NCCL takes
  // the calls of a communicator in one order, and in the same on all devices.
  std::vector<EventHandle> stream_ends_;
  absl::Status KeepStreamEnd(size_t context);
  // Of exchanges that have begun, what is before them and their ends: of each member, by the table
  // of its addresses.
  using Events = std::map<void* const*, EventHandle>;
  // Null: there is none.
  EventHandle Take(Events& events, void* const* member);
  std::mutex events_mutex_;
  Events arrivals_, ends_;
  std::atomic<bool> used_{false};
  // The driver and NCCL have captures: as far as is known, and for certain. With the cliques'
  // mutex.
  bool captures_ = true, has_captured_ = false;
  LaunchThreads launch_threads_, remote_threads_;
};

}  // namespace sinter::runtime::cuda
