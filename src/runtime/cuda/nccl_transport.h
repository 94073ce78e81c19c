// Exchanges between GPUs by NCCL, in the order of their streams: what a participant submits after
// an exchange waits for it on the device, and no thread of the host does. Participants that are
// here are submitted together; those of other processes when all have told each other that they
// have come, so that a device never waits for one that does not.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/cuda/cliques.h"
#include "runtime/cuda/context.h"
#include "runtime/exchange_plan.h"
#include "runtime/transport.h"

namespace sinter::runtime::cuda {

class NcclTransport final : public Transport {
 public:
  // `contexts`: of the client's devices in this process, in their order. NCCL is looked for when
  // first needed.
  NcclTransport(std::vector<std::shared_ptr<Context>> contexts, std::string nccl_path)
      : contexts_(std::move(contexts)), cliques_(std::make_shared<Cliques>(std::move(nccl_path))) {}

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
  const std::shared_ptr<Context>& ContextOf(const Exchange& exchange, size_t member) const;
  // The contents of operands that all must know (IndexOperands), of those that are here.
  absl::StatusOr<std::vector<std::vector<char>>> ReadIndices(const Exchange& exchange,
                                                             size_t member) const;
  absl::StatusOr<ExchangePlan> Plan(const Exchange& exchange,
                                    const std::vector<std::vector<std::vector<char>>>& indices);
  Clique Unmade(const Exchange& exchange) const;
  static Watched WatchedOf(const Exchange& exchange);
  static bool Begins(const Exchange& exchange) {
    return exchange.step->ticket >= 0 && !exchange.group.empty();
  }
  // The streams that an exchange is submitted to, by member (null: not here), behind what its
  // operands come of and the exchanges before it.
  absl::StatusOr<std::vector<StreamHandle>> Streams(const Exchange& exchange);
  // For Join.
  absl::Status KeepEnds(const Exchange& exchange, const std::vector<StreamHandle>& streams);
  // What each does by itself.
  absl::Status SubmitOwn(const Exchange& exchange, const ExchangePlan& plan,
                         const std::vector<StreamHandle>& streams) const;
  absl::Status Submit(const Exchange& exchange, const ExchangePlan& plan,
                      const std::shared_ptr<Clique>& clique);
  absl::Status SubmitCalls(const Exchange& exchange, const ExchangePlan& plan, const Clique& clique,
                           const std::vector<StreamHandle>& streams);

  const std::vector<std::shared_ptr<Context>> contexts_;
  const std::shared_ptr<Cliques> cliques_;
  Turns turns_;
  // Of exchanges that have begun, what is before them and their ends: of each member, by the table
  // of its addresses.
  using Events = std::map<void* const*, EventHandle>;
  // Null: there is none.
  EventHandle Take(Events& events, void* const* member);
  std::mutex events_mutex_;
  Events arrivals_, ends_;
  std::atomic<bool> used_{false};
};

}  // namespace sinter::runtime::cuda
