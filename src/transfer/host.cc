#include "transfer/host.h"

#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <utility>

#include "base/status.h"

namespace sinter {
namespace {

// The result of one of the host's functions, with what has called it before an error's message.
template <class Result, class Call>
Result Answer(std::string_view what, const HostTransfer& transfer, const Call& call) {
  auto annotate = [&](const absl::Status& s) {
    return Annotate(s, Format("{} the host, channel {}, participant {}", what, transfer.channel_id,
                              transfer.participant));
  };
  try {
    Result result = call();
    if (result.ok()) return result;
    if constexpr (std::is_same_v<Result, absl::Status>) {
      return annotate(result);
    } else {
      return annotate(result.status());
    }
  } catch (const std::exception& e) {
    return annotate(Internal("it throws {}", e.what()));
  } catch (...) {
    return annotate(Internal("it throws"));
  }
}

absl::Status NoAnswer(std::string_view function) {
  return FailedPrecondition("the run has no ExecuteOptions::host_transfers with a function {}",
                            function);
}

// What has been sent and not been received.
struct Echo {
  std::mutex mutex;
  std::map<std::pair<int64_t, int64_t>, std::deque<Literal>> sent;  // by channel and participant
};

}  // namespace

absl::Status SendToHost(const HostTransfers* host, const HostTransfer& to, Literal data) {
  return Answer<absl::Status>("a send to", to, [&] {
    if (host == nullptr || !host->send) return NoAnswer("send");
    return host->send(to, std::move(data));
  });
}

absl::StatusOr<Literal> ReceiveFromHost(const HostTransfers* host, const HostTransfer& from,
                                        const Shape& shape) {
  return Answer<absl::StatusOr<Literal>>("a receive from", from, [&]() -> absl::StatusOr<Literal> {
    if (host == nullptr || !host->receive) return NoAnswer("receive");
    ASSIGN_OR_RETURN(Literal data, host->receive(from, shape));
    if (Shape::Compatible(data.shape(), shape)) return data;
    return InvalidArgument("expected {}, given {}", shape.ToString(), data.shape().ToString());
  });
}

std::shared_ptr<const HostTransfers> EchoingHost() {
  auto echo = std::make_shared<Echo>();
  HostTransfers host;
  host.send = [echo](const HostTransfer& to, Literal data) {
    const std::lock_guard<std::mutex> lock(echo->mutex);
    echo->sent[{to.channel_id, to.participant}].push_back(std::move(data));
    return absl::OkStatus();
  };
  host.receive = [echo](const HostTransfer& from, const Shape&) -> absl::StatusOr<Literal> {
    const std::lock_guard<std::mutex> lock(echo->mutex);
    std::deque<Literal>& queue = echo->sent[{from.channel_id, from.participant}];
    if (queue.empty()) return FailedPrecondition("nothing has been sent through the channel");
    Literal data = std::move(queue.front());
    queue.pop_front();
    return data;
  };
  return std::make_shared<const HostTransfers>(std::move(host));
}

}  // namespace sinter
