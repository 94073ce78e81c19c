#include "runtime/device_buffer.h"

#include "base/status.h"

namespace sinter::runtime {

absl::Status DeviceBuffer::CheckLive() const {
  if (state_ == State::kLive) return absl::OkStatus();
  return InvalidArgument("the buffer {} has been {}", shape_->ToString(),
                         state_ == State::kDonated ? "donated to an execution" : "deleted");
}

absl::StatusOr<StorageRef> DeviceBuffer::Hold() const {
  std::lock_guard<std::mutex> lock(mutex_);
  RETURN_IF_ERROR(CheckLive());
  return storage_;
}

absl::Status DeviceBuffer::Donate(int holds, bool* exclusive) {
  StorageRef dropped;  // after the lock
  std::lock_guard<std::mutex> lock(mutex_);
  RETURN_IF_ERROR(CheckLive());
  state_ = State::kDonated;
  *exclusive = !storage_->IsSharedBeyond(holds + 1);
  dropped = std::move(storage_);
  return absl::OkStatus();
}

void DeviceBuffer::Undonate(StorageRef storage) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (state_ != State::kDonated) return;
  state_ = State::kLive;
  storage_ = std::move(storage);
}

void DeviceBuffer::Delete() {
  StorageRef dropped;
  std::lock_guard<std::mutex> lock(mutex_);
  if (state_ == State::kLive) state_ = State::kDeleted;
  dropped = std::move(storage_);
}

bool DeviceBuffer::is_deleted() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return state_ != State::kLive;
}

}  // namespace sinter::runtime
