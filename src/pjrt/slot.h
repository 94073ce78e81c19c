// What stands between the C functions of PJRT_Api and what they do. Each row of the table
// (sinter/pjrt_slots.inc) has an overload of Handle for its argument struct, which returns a
// status; Invoke is the C function around it: it checks the struct, and lets no exception out.
#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "absl/status/status.h"
#include "base/status.h"
#include "pjrt/error.h"
#include "sinter/pjrt_c_api.h"

namespace sinter::pjrt {

// Objects that callers have from the plugin: a function whose first field is one needs it.
template <class T>
inline constexpr bool kIsObject = false;
#define SINTER_PJRT_OBJECT(Object) \
  template <>                      \
  inline constexpr bool kIsObject<Object> = true
SINTER_PJRT_OBJECT(PJRT_Error);
SINTER_PJRT_OBJECT(PJRT_Event);
SINTER_PJRT_OBJECT(PJRT_Client);
SINTER_PJRT_OBJECT(PJRT_Device);
SINTER_PJRT_OBJECT(PJRT_Memory);
SINTER_PJRT_OBJECT(PJRT_DeviceDescription);
SINTER_PJRT_OBJECT(PJRT_TopologyDescription);
SINTER_PJRT_OBJECT(PJRT_Executable);
SINTER_PJRT_OBJECT(PJRT_LoadedExecutable);
SINTER_PJRT_OBJECT(PJRT_Buffer);
SINTER_PJRT_OBJECT(PJRT_ExecuteContext);
SINTER_PJRT_OBJECT(PJRT_AsyncHostToDeviceTransferManager);
SINTER_PJRT_OBJECT(PJRT_CopyToDeviceStream);
#undef SINTER_PJRT_OBJECT

// What is known of an argument struct: bytes that its first version has, bytes that it has here,
// both without padding.
struct Extent {
  size_t required = 2 * sizeof(void*);
  size_t whole = 2 * sizeof(void*);
};
template <class Args>
struct Slot;

// Functions that destroy take null.
template <class T>
bool IsGiven(const T& field, std::string_view function) {
  if constexpr (std::is_pointer_v<T>) {
    if (kIsObject<std::remove_const_t<std::remove_pointer_t<T>>>)
      return field != nullptr || function.ends_with("_Destroy");
  }
  return true;
}

#define PJRT_NONE
#define PJRT_IN(type, name) \
  extent.required = extent.whole = offsetof(Args, name) + sizeof(Args::name);
#define PJRT_OUT(type, name) PJRT_IN(type, name)
#define PJRT_IN_OUT(type, name) PJRT_IN(type, name)
#define PJRT_LATER_IN(type, name) extent.whole = offsetof(Args, name) + sizeof(Args::name);
#define PJRT_LATER_OUT(type, name) PJRT_LATER_IN(type, name)
#define PJRT_SLOT(slot, fields)                              \
  absl::Status Handle(PJRT_##slot##_Args& args);             \
  template <>                                                \
  struct Slot<PJRT_##slot##_Args> {                          \
    using Args = PJRT_##slot##_Args;                         \
    static constexpr std::string_view kName = "PJRT_" #slot; \
    static constexpr Extent kExtent = [] {                   \
      Extent extent;                                         \
      fields return extent;                                  \
    }();                                                     \
  };
#define PJRT_VOID_SLOT(slot, fields) PJRT_SLOT(slot, fields)
#include "sinter/pjrt_slots.inc"

// Whether the first field is there, if it is an object.
#define PJRT_NONE
#define PJRT_IN(type, name) return IsGiven(args.name, function);
#define PJRT_OUT(type, name) return true;
#define PJRT_IN_OUT(type, name) return true;
#define PJRT_LATER_IN(type, name)
#define PJRT_LATER_OUT(type, name)
#define PJRT_SLOT(slot, fields)                                                        \
  inline bool HasSubject([[maybe_unused]] const PJRT_##slot##_Args& args,              \
                         [[maybe_unused]] std::string_view function = "PJRT_" #slot) { \
    fields return true;                                                                \
  }
#define PJRT_VOID_SLOT(slot, fields) PJRT_SLOT(slot, fields)
#include "sinter/pjrt_slots.inc"
// A caller that is older states a smaller struct: it is worked on in one of today's, whose other
// fields are zeros, and what there is room for is copied back.
template <class Args>
absl::Status CheckAndHandle(Args* args) {
  constexpr Extent kExtent = Slot<Args>::kExtent;
  constexpr std::string_view kName = Slot<Args>::kName;
  if (args == nullptr) return InvalidArgument("{}: no arguments", kName);
  const size_t given = args->struct_size;
  if (given < kExtent.required) {
    return InvalidArgument("{}: struct_size is {}, expected at least {}", kName, given,
                           kExtent.required);
  }
  if (!HasSubject(*args)) return InvalidArgument("{}: the first argument is null", kName);
  if (given >= kExtent.whole) return Handle(*args);
  Args all{};
  std::memcpy(&all, args, given);
  absl::Status status = Handle(all);
  std::memcpy(args, &all, given);
  return status;
}

template <class Args>
PJRT_Error* Invoke(Args* args) noexcept {
  return Guarded([&] { return CheckAndHandle(args); });
}
template <class Args>
void InvokeVoid(Args* args) noexcept {
  // There is nobody to tell.
  (void)Guarded([&] {
    (void)CheckAndHandle(args);
    return absl::OkStatus();
  });
}

}  // namespace sinter::pjrt
