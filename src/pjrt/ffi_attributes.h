// The attributes of a call as handlers get them: typed, and sorted by name.
#pragma once

#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "pjrt/ffi_abi.h"

namespace sinter::pjrt::ffi {

class AttributeList {
 public:
  // `text` is a dictionary in MLIR's form, "" an empty one: true, 3 : i32 (i64 where it says
  // nothing), 2.5 : f32 (f64), "text", array<i64: 1, 2>, {nested = 1}. InvalidArgument for other
  // text, Unimplemented for values of other kinds.
  static absl::StatusOr<std::shared_ptr<const AttributeList>> Parse(std::string_view text);

  virtual ~AttributeList() = default;
  const Attrs& list() const { return list_; }

 protected:
  Attrs list_{};
};

}  // namespace sinter::pjrt::ffi
