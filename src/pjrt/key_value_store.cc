#include "pjrt/key_value_store.h"

#include <algorithm>
#include <string>

#include "pjrt/error.h"

namespace sinter::pjrt {
namespace {

constexpr double kMostMilliseconds = 1e9;

}  // namespace

DistributedOptions ProcessesOf(const KeyValueStore& store, int id, int count) {
  DistributedOptions options;
  if (count == 1) return options;
  options.transport = DistributedOptions::Transport::kTcp;
  options.process_id = id;
  options.process_count = count;
  options.connect_timeout = 300;  // as JAX waits for its processes
  if (store.get == nullptr || store.put == nullptr) return options;
  options.put_key = [store](std::string_view key, std::string_view value) {
    PJRT_KeyValuePutCallback_Args args{};
    args.struct_size = sizeof args;
    args.key = key.data();
    args.key_size = key.size();
    args.value = value.data();
    args.value_size = value.size();
    args.callback_error = &kMakeError;
    args.user_arg = store.put_argument;
    return Take(store.put(&args));
  };
  options.get_key = [store](std::string_view key, double seconds) -> absl::StatusOr<std::string> {
    PJRT_KeyValueGetCallback_Args args{};
    args.struct_size = sizeof args;
    args.key = key.data();
    args.key_size = key.size();
    args.timeout_in_ms = static_cast<int>(std::min(seconds * 1e3, kMostMilliseconds)) + 1;
    args.callback_error = &kMakeError;
    args.user_arg = store.get_argument;
    RETURN_IF_ERROR(Take(store.get(&args)));
    std::string value(args.value == nullptr ? "" : args.value, args.value_size);
    if (args.value_deleter_callback != nullptr) args.value_deleter_callback(args.value);
    return value;
  };
  return options;
}

}  // namespace sinter::pjrt
