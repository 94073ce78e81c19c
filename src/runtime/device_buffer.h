// An array on a device: shape, bytes, the event that the bytes are ready, and whether it still owns
// them.
#pragma once

#include <memory>
#include <mutex>

#include "absl/status/statusor.h"
#include "runtime/storage.h"
#include "sinter/event.h"
#include "sinter/shape.h"

namespace sinter::runtime {

class DeviceBuffer {
 public:
  // `owner` identifies the client; buffers of others are refused. `ready`: the bytes are written.
  // `submitted`: what makes them has been submitted, so that work submitted afterwards finds them.
  DeviceBuffer(const void* owner, std::shared_ptr<const Shape> shape, StorageRef storage,
               Event ready, Event submitted, int device = 0)
      : owner_(owner),
        device_(device),
        shape_(std::move(shape)),
        ready_(std::move(ready)),
        submitted_(std::move(submitted)),
        storage_(std::move(storage)) {}
  // Where the bytes are there as soon as they can be used.
  DeviceBuffer(const void* owner, std::shared_ptr<const Shape> shape, StorageRef storage,
               const Event& ready = Event(), int device = 0)
      : DeviceBuffer(owner, std::move(shape), std::move(storage), ready, ready, device) {}

  const void* owner() const { return owner_; }
  int device() const { return device_; }  // of the client's, by number
  const Shape& shape() const { return *shape_; }
  const std::shared_ptr<const Shape>& shared_shape() const { return shape_; }
  const Event& ready() const { return ready_; }
  const Event& submitted() const { return submitted_; }

  // The bytes, which live as long as the reference does, whatever becomes of the buffer.
  // InvalidArgument once it has been deleted or donated.
  absl::StatusOr<StorageRef> Hold() const;

  // Donates the bytes. `exclusive`: there are no other references but `holds` of the caller's own.
  absl::Status Donate(int holds, bool* exclusive);
  // Takes back what Donate did, where the run that should have consumed it has not begun.
  void Undonate(StorageRef storage);

  void Delete();
  bool is_deleted() const;

 private:
  enum class State : uint8_t { kLive, kDonated, kDeleted };
  absl::Status CheckLive() const;

  const void* const owner_;
  const int device_;
  const std::shared_ptr<const Shape> shape_;
  const Event ready_, submitted_;
  mutable std::mutex mutex_;
  State state_ = State::kLive;
  StorageRef storage_;
};

}  // namespace sinter::runtime
