#include "runtime/transfers.h"

#include <utility>
#include <vector>

#include "base/status.h"
#include "runtime/array_copy.h"
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

absl::Status Infeed(Device& device, TransferQueues& queues, const CustomCallFrame& frame) {
  ASSIGN_OR_RETURN(const Shape shape, ShapeOfData(frame.opaque, frame.results));
  ASSIGN_OR_RETURN(const Literal data, queues.TakeForInfeed(shape));
  std::vector<const Literal*> arrays;
  AppendLeaves(data, arrays);
  for (size_t k = 0; k < arrays.size(); ++k) {
    RETURN_IF_ERROR(CopyArrayFromHost(device, arrays[k]->shape(), arrays[k]->untyped_data(),
                                      frame.results[k].data));
  }
  return absl::OkStatus();
}

absl::Status Outfeed(Device& device, TransferQueues& queues, const CustomCallFrame& frame) {
  ASSIGN_OR_RETURN(const Shape shape, ShapeOfData(frame.opaque, frame.operands));
  Literal data(shape);
  std::vector<Literal*> arrays;
  AppendLeaves(data, arrays);
  for (size_t k = 0; k < arrays.size(); ++k) {
    // Row-major on the device, whatever layout the program states.
    const Shape& array = *frame.operands[k].shape;
    RETURN_IF_ERROR(
        CopyArrayToHost(device, array, frame.operands[k].data, arrays[k]->untyped_data()));
  }
  return queues.from_outfeed().Put(std::move(data));
}

}  // namespace

CustomCallFunction FindTransfer(std::string_view target, std::shared_ptr<Device> device,
                                std::shared_ptr<TransferQueues> queues) {
  if (target != kInfeedTarget && target != kOutfeedTarget) return {};
  auto* transfer = target == kInfeedTarget ? Infeed : Outfeed;
  return [transfer, device = std::move(device), queues = std::move(queues)](
             const CustomCallFrame& frame) { return transfer(*device, *queues, frame); };
}

}  // namespace sinter::runtime
