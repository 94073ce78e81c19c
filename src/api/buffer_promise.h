// Buffers whose contents the host writes after they have been made.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "sinter/buffer.h"
#include "sinter/shape.h"

namespace sinter::api {

// Client::PromiseBuffer, for a shape that has been checked.
absl::StatusOr<BufferPromise> MakeBufferPromise(const std::shared_ptr<ClientCore>& core,
                                                const Shape& shape, int device);

}  // namespace sinter::api
