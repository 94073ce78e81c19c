// NCCL's communicators, one of each set of devices that exchange, made when they first do, and the
// watch over exchanges that have been submitted: devices wait for one another, and none notices
// that another does not come. Where one has failed or takes too long, its communicator is aborted,
// all that waits for its devices gets the error, and the set gets a new one when it next exchanges.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/thread/timer.h"
#include "runtime/cuda/context.h"
#include "runtime/cuda/graph.h"
#include "runtime/cuda/nccl.h"

namespace sinter::runtime {
class Processes;
}

namespace sinter::runtime::cuda {

// Of a set of devices, in its order.
struct Clique {
  // Those of this process: the place among the devices, and the communicator.
  struct Rank {
    int place = 0;
    std::shared_ptr<Context> context;
    NcclComm comm = nullptr;
  };
  std::vector<int> devices;    // of the client's, by number
  std::vector<int> processes;  // others that it is spread over
  std::vector<Rank> ranks;
  uint64_t token = 0;  // alike in all processes, and in no other communicator's life
  // How often exchanges have been captured with it, alike in all processes, and the graphs. Its
  // communicators end after them: NCCL waits for that.
  uint64_t captures = 0;
  std::vector<std::weak_ptr<Graph>> graphs;
};

// An exchange for messages, and how long it may take.
struct Watched {
  std::string what;    // "program: all-reduce 'y' (channel 3)"
  double timeout = 0;  // seconds; 0: none
  std::shared_ptr<Processes> processes;
};

// Not safe from several threads, but that it watches by one of its own: who calls holds `mutex`.
class Cliques : public std::enable_shared_from_this<Cliques> {
 public:
  explicit Cliques(std::string path) : path_(std::move(path)) {}
  // Waits for what is pending as long as the watch allows.
  ~Cliques();
  Cliques(const Cliques&) = delete;
  Cliques& operator=(const Cliques&) = delete;

  std::mutex mutex;

  // Unavailable without NCCL.
  absl::StatusOr<const Nccl*> nccl();
  // Null: it is still to be made.
  std::shared_ptr<Clique> Find(const std::vector<int>& devices) const;
  // For Make, in one of the processes.
  absl::StatusOr<NcclId> NewId();
  // Waits until all processes have come to it. `made` has no communicators yet.
  absl::StatusOr<std::shared_ptr<Clique>> Make(Clique made, const NcclId& id,
                                               const Watched& watched);

  // What the ranks' devices have recorded: for what is submitted from now on.
  static std::vector<uint64_t> Recorded(const Clique& clique);
  // Once an exchange has been submitted to those streams of the clique's ranks.
  absl::Status Watch(const std::shared_ptr<Clique>& clique, const Watched& watched,
                     const std::vector<StreamHandle>& streams, std::vector<uint64_t> recorded);
  // It could not be submitted as a whole, or nobody waits for it.
  void Drop(const std::shared_ptr<Clique>& clique, const absl::Status& why,
            std::vector<uint64_t> recorded);
  // Waits until NCCL has taken what it has been given, and `also` unless that is null. That may
  // depend on other processes, which may first need an exchange of another set of devices: the
  // mutex is free meanwhile.
  absl::Status Settle(const Clique& clique, const Watched& watched,
                      const std::function<bool()>& also = nullptr);
  // Waits until nothing settles on these devices: NCCL may not have submitted it yet, and what
  // comes now is to be behind it.
  void AwaitSettled(const std::vector<int>& devices);
  // Waits until what is pending has been done or has failed.
  void Finish(const std::shared_ptr<Clique>& clique);
  // The set gets new communicators when it next exchanges; nothing that has been submitted fails
  // for that.
  void GiveUp(const std::shared_ptr<Clique>& clique);

 private:
  using Clock = std::chrono::steady_clock;
  struct Pending {
    std::shared_ptr<Clique> clique;
    Watched watched;
    Clock::time_point deadline;
    std::vector<uint64_t> recorded;   // by rank, before it was submitted
    std::vector<EventHandle> events;  // by rank
  };
  void WatchLater();
  void Look();
  bool IsPending(const Clique& clique) const;
  static absl::StatusOr<bool> IsDone(const Pending& p);
  // Whether it is done; the error of one that cannot be done.
  absl::StatusOr<bool> LookAt(const Pending& p, Clock::time_point now) const;
  absl::Status CheckRanks(const Clique& clique, bool* in_progress) const;
  static void DropGraphs(Clique& clique);
  void Abort(Clique& clique) const;
  void Retire(Clique& clique);
  void Sleep();
  static void Forget(Pending& p);

  const std::string path_;
  std::shared_ptr<const Nccl> nccl_;
  std::map<std::vector<int>, std::shared_ptr<Clique>> cliques_;
  std::list<Pending> pending_;
  std::vector<const Clique*> settling_;
  bool watches_ = false;
  Timer timer_;
};

}  // namespace sinter::runtime::cuda
