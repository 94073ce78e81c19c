#include "pjrt/host_transfers.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "pjrt/objects.h"
#include "pjrt/slot.h"
#include "types/packing.h"

namespace sinter::pjrt {

// What a receive waits for: bytes that the host adds, as many as the array has.
struct IncomingData {
  explicit IncomingData(int64_t bytes) : contents(static_cast<size_t>(bytes)) {}

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<char> contents;
  size_t filled = 0;
  bool closed = false;  // the host has given up the stream
};

namespace {

// Whoever takes a chunk frees it.
class ChunkOwner {
 public:
  explicit ChunkOwner(const PJRT_Chunk& chunk) : chunk_(chunk) {}
  ~ChunkOwner() {
    if (chunk_.deleter != nullptr) chunk_.deleter(chunk_.data, chunk_.deleter_arg);
  }
  ChunkOwner(const ChunkOwner&) = delete;
  ChunkOwner& operator=(const ChunkOwner&) = delete;

 private:
  const PJRT_Chunk chunk_;
};

absl::Status SendByCallback(const PJRT_SendCallbackInfo& info, const Literal& data) {
  const auto bytes = static_cast<size_t>(data.shape().packed_byte_size());
  auto packed = std::make_unique<std::vector<char>>(bytes);
  ToBuffer(data, packed->data());
  PJRT_Chunk chunk{};
  chunk.data = packed->data();
  chunk.size = bytes;
  chunk.deleter_arg = packed.release();
  chunk.deleter = [](void*, void* owner) { delete static_cast<std::vector<char>*>(owner); };
  return Take(info.send_callback(&chunk, &kMakeError, bytes, /*done=*/true, info.user_arg));
}

}  // namespace
}  // namespace sinter::pjrt

struct PJRT_CopyToDeviceStream {
  std::shared_ptr<sinter::pjrt::IncomingData> incoming;
};

namespace sinter::pjrt {
namespace {

absl::StatusOr<Literal> ReceiveByCallback(const PJRT_RecvCallbackInfo& info, const Shape& shape) {
  auto incoming = std::make_shared<IncomingData>(shape.packed_byte_size());
  info.recv_callback(new PJRT_CopyToDeviceStream{incoming}, info.user_arg);
  std::unique_lock<std::mutex> lock(incoming->mutex);
  incoming->changed.wait(
      lock, [&] { return incoming->closed || incoming->filled == incoming->contents.size(); });
  if (incoming->filled < incoming->contents.size()) {
    return InvalidArgument("the host ends the stream after {} of {} bytes", incoming->filled,
                           incoming->contents.size());
  }
  Literal data(shape);
  if (!incoming->contents.empty()) FromBuffer(incoming->contents.data(), data);
  return data;
}

using ChannelPlace = std::pair<int64_t, int64_t>;  // participant and channel

// The callbacks of each participant's list, by channel.
template <class Info>
absl::StatusOr<std::map<ChannelPlace, Info>> ByPlace(Info* const* lists, size_t count,
                                                     absl::Span<const int64_t> participants,
                                                     std::string_view what) {
  std::map<ChannelPlace, Info> callbacks;
  if (count == 0) return callbacks;
  for (size_t d = 0; d < participants.size(); ++d) {
    if (lists == nullptr || lists[d] == nullptr)
      return InvalidArgument("PJRT_ExecuteOptions: no callbacks of {} for device {}", what, d);
    for (size_t n = 0; n < count; ++n) {
      const Info& info = lists[d][n];
      if (!callbacks.emplace(ChannelPlace{participants[d], info.channel_id}, info).second) {
        return InvalidArgument("PJRT_ExecuteOptions: two callbacks of {} for channel {}", what,
                               info.channel_id);
      }
    }
  }
  return callbacks;
}

template <class Info>
absl::StatusOr<Info> CallbackOf(const std::map<ChannelPlace, Info>& callbacks,
                                const HostTransfer& transfer, std::string_view what) {
  auto found = callbacks.find({transfer.participant, transfer.channel_id});
  if (found != callbacks.end()) return found->second;
  return FailedPrecondition("PJRT_ExecuteOptions has no callback of {} for the channel", what);
}

}  // namespace

absl::StatusOr<std::shared_ptr<const HostTransfers>> HostTransfersOf(
    const PJRT_ExecuteOptions& options, absl::Span<const int64_t> participants) {
  ASSIGN_OR_RETURN(auto sends,
                   ByPlace(options.send_callbacks, options.num_send_ops, participants, "send"));
  ASSIGN_OR_RETURN(auto receives,
                   ByPlace(options.recv_callbacks, options.num_recv_ops, participants, "recv"));
  for (const auto& [place, info] : sends) {
    if (info.send_callback == nullptr)
      return InvalidArgument("PJRT_SendCallbackInfo: no callback of channel {}", place.second);
  }
  for (const auto& [place, info] : receives) {
    if (info.recv_callback == nullptr)
      return InvalidArgument("PJRT_RecvCallbackInfo: no callback of channel {}", place.second);
  }
  auto host = std::make_shared<HostTransfers>();
  host->send = [sends = std::move(sends)](const HostTransfer& to,
                                          const Literal& data) -> absl::Status {
    ASSIGN_OR_RETURN(const PJRT_SendCallbackInfo info, CallbackOf(sends, to, "send"));
    return SendByCallback(info, data);
  };
  host->receive = [receives = std::move(receives)](const HostTransfer& from,
                                                   const Shape& shape) -> absl::StatusOr<Literal> {
    ASSIGN_OR_RETURN(const PJRT_RecvCallbackInfo info, CallbackOf(receives, from, "recv"));
    return ReceiveByCallback(info, shape);
  };
  return host;
}

// A stream that ends early is the error of the run that waits for it.
absl::Status Handle(PJRT_CopyToDeviceStream_Destroy_Args& args) {
  const std::unique_ptr<PJRT_CopyToDeviceStream> stream(args.stream);
  if (stream == nullptr) return absl::OkStatus();
  const std::lock_guard<std::mutex> lock(stream->incoming->mutex);
  stream->incoming->closed = true;
  stream->incoming->changed.notify_all();
  return absl::OkStatus();
}

// The chunk is copied before the call returns.
absl::Status Handle(PJRT_CopyToDeviceStream_AddChunk_Args& args) {
  if (args.chunk == nullptr) return InvalidArgument("PJRT_CopyToDeviceStream_AddChunk: no chunk");
  const ChunkOwner owner(*args.chunk);
  if (args.chunk->data == nullptr && args.chunk->size > 0)
    return InvalidArgument("PJRT_CopyToDeviceStream_AddChunk: no data");
  IncomingData& incoming = *args.stream->incoming;
  {
    const std::lock_guard<std::mutex> lock(incoming.mutex);
    const size_t left = incoming.contents.size() - incoming.filled;
    if (args.chunk->size > left) {
      return InvalidArgument("a chunk of {} bytes for a stream of {} that has {}", args.chunk->size,
                             incoming.contents.size(), incoming.filled);
    }
    const auto* data = static_cast<const char*>(args.chunk->data);
    std::copy(data, data + args.chunk->size,
              incoming.contents.begin() + static_cast<std::ptrdiff_t>(incoming.filled));
    incoming.filled += args.chunk->size;
    incoming.changed.notify_all();
  }
  args.transfer_complete = NewEvent(Event());
  return absl::OkStatus();
}

absl::Status Handle(PJRT_CopyToDeviceStream_TotalBytes_Args& args) {
  args.total_bytes = static_cast<int64_t>(args.stream->incoming->contents.size());
  return absl::OkStatus();
}

// Chunks may be of any size.
absl::Status Handle(PJRT_CopyToDeviceStream_GranuleSize_Args& args) {
  args.granule_size_in_bytes = 1;
  return absl::OkStatus();
}

absl::Status Handle(PJRT_CopyToDeviceStream_CurrentBytes_Args& args) {
  const std::lock_guard<std::mutex> lock(args.stream->incoming->mutex);
  args.current_bytes = static_cast<int64_t>(args.stream->incoming->filled);
  return absl::OkStatus();
}

}  // namespace sinter::pjrt
