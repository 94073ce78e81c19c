// xla.HloModuleProto, in which hosts such as torch_xla give programs.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace sinter::pjrt {

// The module as HLO text, whose reader then checks what it says: one grammar and one set of checks
// for both forms. Computations are named c<id> and instructions i<id>. InvalidArgument for bytes
// that are no such message, Unimplemented for literals of elements that share bytes.
// Source: openxla/xla, xla/service/hlo.proto and xla/xla_data.proto.
absl::StatusOr<std::string> HloTextOfProto(std::string_view bytes);

}  // namespace sinter::pjrt
