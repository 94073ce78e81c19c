// The types and constants of xla.HloModuleProto as HLO text. Source: openxla/xla,
// xla/xla_data.proto.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "pjrt/message.h"

namespace sinter::pjrt {

// Of a ShapeProto: "f32[2,<=3]{0,1}"; the layout only where it is not row-major. InvalidArgument
// for tuples in more than 32 others, Unimplemented for unknown element types.
absl::StatusOr<std::string> ShapeText(const Message& shape);

// Of a LiteralProto, the elements in braces. InvalidArgument where there are not as many elements
// as the shape says, Unimplemented for elements that share bytes and layouts that are not
// row-major.
absl::StatusOr<std::string> LiteralText(const Message& literal);

}  // namespace sinter::pjrt
