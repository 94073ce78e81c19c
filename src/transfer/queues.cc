#include "transfer/queues.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "base/status.h"
#include "types/leaves.h"

namespace sinter {
namespace {

int64_t ByteSize(const Literal& data) {
  int64_t bytes = data.byte_size();
  for (const Literal& element : data.tuple()) bytes += ByteSize(element);
  return bytes;
}

// A literal of `shape` from its leaves, which are moved.
Literal Assembled(const Shape& shape, Literal* const*& next) {
  if (!shape.is_tuple()) return std::move(**next++);
  std::vector<Literal> elements;
  for (const Shape& s : shape.tuple_shapes()) elements.push_back(Assembled(s, next));
  return Literal::Tuple(std::move(elements));
}

// Longer timeouts are none: clocks overflow past them.
constexpr double kForever = 1e9;

}  // namespace

absl::Status TransferQueue::Offer(Literal data) {
  const int64_t bytes = ByteSize(data);
  std::lock_guard<std::mutex> lock(mutex_);
  if (!HasRoom(bytes)) {
    return ResourceExhausted("{}: {} bytes wait in the queue, and {} more are beyond its limit, {}",
                             name_, bytes_, bytes, options_.queue_bytes);
  }
  Append(std::move(data), bytes);
  return absl::OkStatus();
}

absl::Status TransferQueue::Put(Literal data) {
  const int64_t bytes = ByteSize(data);
  std::unique_lock<std::mutex> lock(mutex_);
  RETURN_IF_ERROR(Wait(lock, "room", [&] { return HasRoom(bytes); }));
  Append(std::move(data), bytes);
  return absl::OkStatus();
}

absl::StatusOr<Literal> TransferQueue::Take() {
  std::unique_lock<std::mutex> lock(mutex_);
  RETURN_IF_ERROR(Wait(lock, "data", [&] { return !data_.empty(); }));
  Literal data = std::move(data_.front());
  data_.pop_front();
  bytes_ -= ByteSize(data);
  changed_.notify_all();
  return data;
}

void TransferQueue::Cancel() {
  std::lock_guard<std::mutex> lock(mutex_);
  cancelled_ = true;
  changed_.notify_all();
}

void TransferQueue::Append(Literal data, int64_t bytes) {
  data_.push_back(std::move(data));
  bytes_ += bytes;
  changed_.notify_all();
}

template <class Ready>
absl::Status TransferQueue::Wait(std::unique_lock<std::mutex>& lock, std::string_view what,
                                 Ready ready) {
  auto done = [&] { return cancelled_ || ready(); };
  if (options_.timeout_seconds > 0 && options_.timeout_seconds < kForever) {
    const auto timeout = std::chrono::duration_cast<std::chrono::nanoseconds>(
        std::chrono::duration<double>(options_.timeout_seconds));
    changed_.wait_for(lock, timeout, done);
  } else {
    changed_.wait(lock, done);
  }
  if (ready()) return absl::OkStatus();
  if (cancelled_) {
    return absl::CancelledError(
        Format("{}: no {} in the queue, and transfers are cancelled", name_, what));
  }
  return absl::DeadlineExceededError(
      Format("{}: no {} in the queue for {} seconds", name_, what, options_.timeout_seconds));
}

absl::Status TransferQueues::Check(const TransferOptions& options) {
  if (options.queue_bytes < 0) {
    return InvalidArgument("TransferOptions.queue_bytes: expected no negative number, given {}",
                           options.queue_bytes);
  }
  if (!(options.timeout_seconds >= 0)) {
    return InvalidArgument("TransferOptions.timeout_seconds: expected no negative number, given {}",
                           options.timeout_seconds);
  }
  return absl::OkStatus();
}

absl::StatusOr<Literal> TransferQueues::TakeForInfeed(const Shape& shape) {
  ASSIGN_OR_RETURN(Literal data, to_infeed_.Take());
  const std::vector<const Shape*> expected = Leaves(shape), given = Leaves(data.shape());
  const bool fits =
      std::equal(expected.begin(), expected.end(), given.begin(), given.end(),
                 [](const Shape* a, const Shape* b) { return Shape::Compatible(*a, *b); });
  if (!fits) {
    return InvalidArgument("infeed: expected {}, given {}", shape.ToString(),
                           data.shape().ToString());
  }
  if (Shape::Compatible(data.shape(), shape)) return data;
  std::vector<Literal*> leaves;
  AppendLeaves(data, leaves);
  Literal* const* next = leaves.data();
  return Assembled(shape, next);
}

}  // namespace sinter
