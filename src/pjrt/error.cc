#include "pjrt/error.h"

#include <string>
#include <utility>

#include "pjrt/slot.h"

namespace sinter::pjrt {
namespace {

struct StatusError : PJRT_Error {
  absl::Status status;
};

const absl::Status& Get(const PJRT_Error* error) {
  return static_cast<const StatusError*>(error)->status;
}
PJRT_Error_Code Code(const absl::Status& status) {
  return static_cast<PJRT_Error_Code>(status.raw_code());
}

constexpr PJRT_Error_FunctionTable kStatusError = {
    .struct_size = sizeof(PJRT_Error_FunctionTable),
    .instance_size = sizeof(StatusError),
    .extension_start = nullptr,
    .destroy = [](PJRT_Error* error) { delete static_cast<StatusError*>(error); },
    .message =
        [](const PJRT_Error* error, const char** message, size_t* size) {
          *message = Get(error).message().data();
          *size = Get(error).message().size();
        },
    .get_code = [](const PJRT_Error* error) { return Code(Get(error)); },
    .for_each_payload =
        [](const PJRT_Error* error, PJRT_Error_PayloadVisitor visitor, void* user_arg) {
          Get(error).ForEachPayload([&](absl::string_view key, const absl::Cord& value) {
            const std::string flat(value);
            visitor(key.data(), key.size(), flat.data(), flat.size(), user_arg);
          });
        },
};

// It is made of constants, and destroying it does nothing.
constexpr std::string_view kOutOfMemory = "the system has no memory";
constexpr PJRT_Error_FunctionTable kOutOfMemoryError = {
    .struct_size = sizeof(PJRT_Error_FunctionTable),
    .instance_size = sizeof(PJRT_Error),
    .extension_start = nullptr,
    .destroy = [](PJRT_Error*) {},
    .message =
        [](const PJRT_Error*, const char** message, size_t* size) {
          *message = kOutOfMemory.data();
          *size = kOutOfMemory.size();
        },
    .get_code = [](const PJRT_Error*) { return PJRT_Error_Code_RESOURCE_EXHAUSTED; },
    .for_each_payload = [](const PJRT_Error*, PJRT_Error_PayloadVisitor, void*) {},
};

}  // namespace

PJRT_Error* OutOfMemory() noexcept {
  static PJRT_Error error = {&kOutOfMemoryError};
  return &error;
}

PJRT_Error* MakeError(absl::Status status) noexcept {
  if (status.ok()) return nullptr;
  auto* error = new (std::nothrow) StatusError{{&kStatusError}, std::move(status)};
  return error == nullptr ? OutOfMemory() : error;
}

PJRT_CallbackError kMakeError = [](PJRT_Error_Code code, const char* message, size_t size) {
  return MakeError(MakeStatus(code, message, size));
};

absl::Status Take(PJRT_Error* error) {
  absl::Status status = StatusOf(error);
  Destroy(error);
  return status;
}

absl::Status StatusOf(const PJRT_Error* error) {
  if (error == nullptr) return absl::OkStatus();
  if (error->vtable == &kStatusError) return Get(error);
  const char* message = nullptr;
  size_t size = 0;
  error->vtable->message(error, &message, &size);
  return MakeStatus(error->vtable->get_code(error), message, size);
}

void Destroy(PJRT_Error* error) {
  if (error != nullptr) error->vtable->destroy(error);
}

absl::Status MakeStatus(PJRT_Error_Code code, const char* message, size_t message_size) {
  if (code == PJRT_Error_Code_OK) return absl::OkStatus();
  return absl::Status(static_cast<absl::StatusCode>(code),
                      message == nullptr ? "" : absl::string_view(message, message_size));
}

absl::Status Handle(PJRT_Error_Destroy_Args& args) {
  Destroy(args.error);
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Error_Message_Args& args) {
  args.error->vtable->message(args.error, &args.message, &args.message_size);
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Error_GetCode_Args& args) {
  args.code = args.error->vtable->get_code(args.error);
  return absl::OkStatus();
}

absl::Status Handle(PJRT_Error_ForEachPayload_Args& args) {
  if (args.visitor == nullptr) return InvalidArgument("PJRT_Error_ForEachPayload: no visitor");
  args.error->vtable->for_each_payload(args.error, args.visitor, args.user_arg);
  return absl::OkStatus();
}

}  // namespace sinter::pjrt
