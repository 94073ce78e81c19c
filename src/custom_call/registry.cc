#include <string>

#include "base/status.h"
#include "sinter/custom_call.h"

namespace sinter {
namespace {

// XLA knows the host's processor by two names.
std::string PlatformOf(std::string_view platform) {
  if (platform == "Host" || platform == "CPU" || platform == "cpu") return "Host";
  if (platform == "CUDA" || platform == "cuda") return "CUDA";
  return "";
}

}  // namespace

CustomCallRegistry& CustomCallRegistry::Global() {
  static auto* registry = new CustomCallRegistry;  // outlives whatever registers or calls
  return *registry;
}

absl::Status CustomCallRegistry::Register(std::string_view name, std::string_view platform,
                                          CustomCallFunction function) {
  if (!function) return InvalidArgument("custom call \"{}\": no function", name);
  return Add(name, platform, std::move(function));
}

absl::Status CustomCallRegistry::RegisterFactory(std::string_view name, std::string_view platform,
                                                 CustomCallFactory factory) {
  if (!factory) return InvalidArgument("custom call \"{}\": no function", name);
  return Add(name, platform, std::move(factory));
}

absl::Status CustomCallRegistry::Add(std::string_view name, std::string_view platform,
                                     Target target) {
  std::string known = PlatformOf(platform);
  if (known.empty())
    return InvalidArgument("custom call \"{}\": unknown platform \"{}\"", name, platform);
  if (name.empty()) return InvalidArgument("a custom call without name");
  std::lock_guard<std::mutex> lock(mutex_);
  bool is_new =
      targets_.try_emplace({std::string(name), std::move(known)}, std::move(target)).second;
  if (is_new) return absl::OkStatus();
  return InvalidArgument("custom call \"{}\" is registered for {} already", name, platform);
}

bool CustomCallRegistry::RegisterOrNoteError(std::string_view name, std::string_view platform,
                                             CustomCallFunction function) {
  absl::Status status = Register(name, platform, std::move(function));
  if (status.ok()) return true;
  std::lock_guard<std::mutex> lock(mutex_);
  errors_.emplace_back(name, std::move(status));
  return false;
}

absl::Status CustomCallRegistry::status(std::string_view name) const {
  std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& [target, status] : errors_) {
    if (target == name) return status;
  }
  return absl::OkStatus();
}

absl::Status CustomCallRegistry::status() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return errors_.empty() ? absl::OkStatus() : errors_.front().second;
}

template <class T>
T CustomCallRegistry::FindAs(std::string_view name, std::string_view platform) const {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = targets_.find({std::string(name), PlatformOf(platform)});
  if (found == targets_.end()) return T();
  const T* target = std::get_if<T>(&found->second);
  return target == nullptr ? T() : *target;
}

CustomCallFunction CustomCallRegistry::Find(std::string_view name,
                                            std::string_view platform) const {
  return FindAs<CustomCallFunction>(name, platform);
}

CustomCallFactory CustomCallRegistry::FindFactory(std::string_view name,
                                                  std::string_view platform) const {
  return FindAs<CustomCallFactory>(name, platform);
}

CustomCallFunction WrapCustomCall(HostCustomCall function) {
  return [function](const CustomCallFrame& frame) {
    std::vector<const void*> in;
    std::vector<void*> out;
    for (const auto& array : frame.operands) in.push_back(array.data);
    for (const auto& array : frame.results) out.push_back(array.data);
    bool one = !frame.tuple_result && out.size() == 1;
    function(one ? out[0] : static_cast<void*>(out.data()), in.data());
    return absl::OkStatus();
  };
}

CustomCallFunction WrapCustomCall(CudaCustomCall function) {
  return [function](const CustomCallFrame& frame) {
    std::vector<void*> buffers;
    for (const auto& array : frame.operands) buffers.push_back(array.data);
    for (const auto& array : frame.results) buffers.push_back(array.data);
    function(static_cast<CUstream_st*>(frame.stream), buffers.data(), frame.opaque.data(),
             frame.opaque.size());
    return absl::OkStatus();
  };
}

namespace internal {

absl::Status CheckCustomCallArray(std::string_view role, size_t index,
                                  absl::Span<const CustomCallFrame::Array> arrays,
                                  ElementType expected) {
  const Shape& shape = *arrays[index].shape;
  if (shape.element_type() == expected) return absl::OkStatus();
  return InvalidArgument("{} {} is {}, expected {}", role, index, shape.ToString(), Name(expected));
}

absl::Status CheckCustomCallCounts(const CustomCallFrame& frame, size_t operands, size_t results) {
  if (frame.operands.size() == operands && frame.results.size() == results) return absl::OkStatus();
  return InvalidArgument("{} operands and {} results, expected {} and {}", frame.operands.size(),
                         frame.results.size(), operands, results);
}

absl::Status NoCustomCallAttributes(const CustomCallFrame& frame) {
  return InvalidArgument("the attributes are no dictionary: {}", frame.opaque);
}

}  // namespace internal
}  // namespace sinter
