// The processes whose devices a client's programs run on: which devices are whose, and the messages
// of each run.
#pragma once

#include <chrono>
#include <compare>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "network/network.h"

namespace sinter::runtime {

// One run of a program on devices of several processes, as all of these call it: programs on the
// same devices run in one order everywhere.
struct RunKey {
  uint64_t devices = 0, number = 0;
  auto operator<=>(const RunKey&) const = default;
};

// Called one call at a time.
class RunReceiver {
 public:
  virtual ~RunReceiver() = default;
  virtual void Received(int from, network::Message message) = 0;
  // Nothing comes from the process any more.
  virtual void Lost(int process, const absl::Status& why) = 0;
  virtual void Cancel(const absl::Status& why) = 0;
};

class Processes final : private network::Receiver {
 public:
  // Tells the others of how many devices this process has, and waits for as many seconds to hear
  // the same. Unavailable.
  static absl::StatusOr<std::shared_ptr<Processes>> Make(std::unique_ptr<network::Network> network,
                                                         int devices, double seconds);
  ~Processes() override;

  int id() const { return network_->process_id(); }
  int count() const { return network_->process_count(); }
  // Devices are numbered through, process by process.
  int device_count() const { return first_device_.back(); }
  int FirstDeviceOf(int process) const { return first_device_[static_cast<size_t>(process)]; }
  int ProcessOf(int device) const;

  // The next run on these devices, of which this process must have some. Each is begun and ended,
  // or only ended; between the two `receiver` is given what comes, and what has come before.
  RunKey NextRun(absl::Span<const int> devices);
  void Begin(const RunKey& run, std::shared_ptr<RunReceiver> receiver);
  void End(const RunKey& run);
  // Ends all runs, those that begin later as well.
  void Cancel(const absl::Status& why);
  // Why nothing comes from the process any more; OK while it may, and for `grace` after it has
  // closed its client: it does so when its part of what all had begun is done.
  absl::Status CheckLost(int process, std::chrono::nanoseconds grace = {});
  absl::Status Send(int to, const RunKey& run, std::string_view header, network::Bytes body = {});

 private:
  struct Event {
    int process;
    network::Message message;
    absl::Status lost;
  };
  struct Loss {
    absl::Status why;
    bool closed = false;  // its client, and it has said so
    std::chrono::steady_clock::time_point since;
  };
  struct Run {
    std::shared_ptr<RunReceiver> receiver;
    std::deque<Event> events;
    bool busy = false;  // a thread hands them on
  };

  Processes() = default;
  void Received(int from, network::Message message) override;
  void Lost(int process, const absl::Status& why, bool closed) override;
  void HandOn(const std::shared_ptr<Run>& run, std::unique_lock<std::mutex>& lock);

  std::unique_ptr<network::Network> network_;
  std::vector<int> first_device_;  // and the number of all

  std::mutex mutex_;
  std::condition_variable greeted_;
  std::vector<int> devices_;  // by process; -1: it has not said
  std::vector<Loss> lost_;
  absl::Status cancelled_;
  std::map<uint64_t, uint64_t> next_;  // by devices: the number of the next run
  std::map<RunKey, std::shared_ptr<Run>> runs_;
};

}  // namespace sinter::runtime
