#include "runtime/transfers.h"

#include <utility>
#include <vector>

#include "base/status.h"
#include "transfer/targets.h"
#include "types/leaves.h"
#include "types/packing.h"
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

// Calls `each` with every array of the literal, which the caller keeps, and its memory on the
// device.
template <class L, class Each>
absl::Status ForEachArray(L& literal, Arrays& arrays, const Each& each) {
  if (!literal.shape().is_tuple()) {
    const CustomCallFrame::Array array = arrays[0];
    arrays.remove_prefix(1);
    return literal.byte_size() == 0 ? absl::OkStatus() : each(literal, array.data);
  }
  const size_t count = literal.tuple().size();
  for (size_t k = 0; k < count; ++k) {
    L* element;
    if constexpr (std::is_const_v<L>) {
      element = &literal.tuple()[k];
    } else {
      element = &literal.mutable_tuple()[k];
    }
    RETURN_IF_ERROR(ForEachArray(*element, arrays, each));
  }
  return absl::OkStatus();
}

std::vector<uint8_t> PackedBytes(const Shape& shape) {
  return std::vector<uint8_t>(static_cast<size_t>(shape.packed_byte_size()));
}

absl::Status Infeed(Device& device, TransferQueues& queues, const CustomCallFrame& frame) {
  ASSIGN_OR_RETURN(const Shape shape, ShapeOfData(frame.opaque, frame.results));
  ASSIGN_OR_RETURN(const Literal data, queues.TakeForInfeed(shape));
  Arrays results = frame.results;
  return ForEachArray(data, results, [&](const Literal& array, void* to) -> absl::Status {
    if (ElementsPerByte(array.shape().element_type()) == 1)
      return device.CopyFromHost(to, array.untyped_data(), array.byte_size());
    std::vector<uint8_t> packed = PackedBytes(array.shape());
    ToBuffer(array, packed.data());
    return device.CopyFromHost(to, packed.data(), static_cast<int64_t>(packed.size()));
  });
}

absl::Status Outfeed(Device& device, TransferQueues& queues, const CustomCallFrame& frame) {
  ASSIGN_OR_RETURN(const Shape shape, ShapeOfData(frame.opaque, frame.operands));
  Literal data(shape);
  Arrays operands = frame.operands;
  auto fetch = [&](Literal& array, const void* from) -> absl::Status {
    if (ElementsPerByte(array.shape().element_type()) == 1)
      return device.CopyToHost(array.untyped_data(), from, array.byte_size());
    std::vector<uint8_t> packed = PackedBytes(array.shape());
    RETURN_IF_ERROR(device.CopyToHost(packed.data(), from, static_cast<int64_t>(packed.size())));
    FromBuffer(packed.data(), array);
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(ForEachArray(data, operands, fetch));
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
