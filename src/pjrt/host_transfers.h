// A caller's callbacks of send and recv as the host that a run exchanges data with.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "sinter/pjrt_c_api.h"
#include "sinter/transfer.h"

namespace sinter::pjrt {

// `participants`: of each of the devices, in their order,
// for which the options have a list each. InvalidArgument for lists that are not there, callbacks
// that are null, and channels that are stated twice. Data are dense and row-major, elements that
// share bytes packed, and go in one chunk.
absl::StatusOr<std::shared_ptr<const HostTransfers>> HostTransfersOf(
    const PJRT_ExecuteOptions& options, absl::Span<const int64_t> participants);

}  // namespace sinter::pjrt
