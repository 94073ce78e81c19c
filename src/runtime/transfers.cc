#include "runtime/transfers.h"

#include <charconv>
#include <utility>
#include <vector>

#include "base/status.h"
#include "runtime/array_copy.h"
#include "transfer/host.h"
#include "transfer/targets.h"
#include "types/leaves.h"
#include "types/shape_text.h"

namespace sinter::runtime {
namespace {

using Arrays = absl::Span<const CustomCallFrame::Array>;

// The shape of the data, of whose leaves there must be an array each before the token.
absl::StatusOr<Shape> ShapeOfData(std::string_view text, Arrays arrays) {
  TextCursor cursor(text);
  ASSIGN_OR_RETURN(Shape shape, ParseShape(cursor));
  const std::vector<const Shape*> leaves = Leaves(shape);
  bool agree = arrays.size() == leaves.size() + 1;
  for (size_t k = 0; agree && k < leaves.size(); ++k)
    agree = Shape::Compatible(*leaves[k], *arrays[k].shape);
  RETURN_INTERNAL_IF(!agree, "a transfer of {} has {} arrays of other shapes", text, arrays.size());
  return shape;
}

absl::Status CopyFromHost(Device& device, const Literal& data, Arrays to) {
  std::vector<const Literal*> arrays;
  AppendLeaves(data, arrays);
  for (size_t k = 0; k < arrays.size(); ++k) {
    RETURN_IF_ERROR(
        CopyArrayFromHost(device, arrays[k]->shape(), arrays[k]->untyped_data(), to[k].data));
  }
  return absl::OkStatus();
}

absl::StatusOr<Literal> CopyToHost(Device& device, const Shape& shape, Arrays from) {
  Literal data(shape);
  std::vector<Literal*> arrays;
  AppendLeaves(data, arrays);
  for (size_t k = 0; k < arrays.size(); ++k) {
    // Row-major on the device, whatever layout the program states.
    RETURN_IF_ERROR(
        CopyArrayToHost(device, *from[k].shape, from[k].data, arrays[k]->untyped_data()));
  }
  return data;
}

absl::Status Infeed(Device& device, TransferQueues& queues, const CustomCallFrame& frame) {
  ASSIGN_OR_RETURN(const Shape shape, ShapeOfData(frame.opaque, frame.results));
  ASSIGN_OR_RETURN(const Literal data, queues.TakeForInfeed(shape));
  return CopyFromHost(device, data, frame.results);
}

absl::Status Outfeed(Device& device, TransferQueues& queues, const CustomCallFrame& frame) {
  ASSIGN_OR_RETURN(const Shape shape, ShapeOfData(frame.opaque, frame.operands));
  ASSIGN_OR_RETURN(Literal data, CopyToHost(device, shape, frame.operands));
  return queues.from_outfeed().Put(std::move(data));
}

// The channel before the shape, which stays in `text`.
absl::StatusOr<HostTransfer> TakeChannel(std::string_view& text, const CallingRun& run) {
  HostTransfer transfer;
  transfer.participant = run.participant;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), transfer.channel_id);
  RETURN_INTERNAL_IF(parsed.ec != std::errc(), "a transfer through the channel {}", text);
  text.remove_prefix(static_cast<size_t>(parsed.ptr - text.data()));
  return transfer;
}

absl::Status Receive(Device& device, const CustomCallFrame& frame, const CallingRun& run) {
  std::string_view text = frame.opaque;
  ASSIGN_OR_RETURN(const HostTransfer from, TakeChannel(text, run));
  ASSIGN_OR_RETURN(const Shape shape, ShapeOfData(text, frame.results));
  ASSIGN_OR_RETURN(const Literal data, ReceiveFromHost(run.host, from, shape));
  return CopyFromHost(device, data, frame.results);
}

absl::Status Send(Device& device, const CustomCallFrame& frame, const CallingRun& run) {
  std::string_view text = frame.opaque;
  ASSIGN_OR_RETURN(const HostTransfer to, TakeChannel(text, run));
  ASSIGN_OR_RETURN(const Shape shape, ShapeOfData(text, frame.operands));
  ASSIGN_OR_RETURN(Literal data, CopyToHost(device, shape, frame.operands));
  return SendToHost(run.host, to, std::move(data));
}

}  // namespace

OwnTarget FindTransfer(std::string_view target, std::shared_ptr<Device> device,
                       std::shared_ptr<TransferQueues> queues) {
  if (target == kInfeedTarget || target == kOutfeedTarget) {
    auto* transfer = target == kInfeedTarget ? Infeed : Outfeed;
    return [transfer, device = std::move(device), queues = std::move(queues)](
               const CustomCallFrame& frame, const CallingRun&) {
      return transfer(*device, *queues, frame);
    };
  }
  if (target == kReceiveTarget || target == kSendTarget) {
    auto* transfer = target == kReceiveTarget ? Receive : Send;
    return [transfer, device = std::move(device)](const CustomCallFrame& frame,
                                                  const CallingRun& run) {
      return transfer(*device, frame, run);
    };
  }
  return {};
}

}  // namespace sinter::runtime
