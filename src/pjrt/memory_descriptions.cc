#include "pjrt/extensions.h"
#include "pjrt/objects.h"
#include "pjrt/text.h"

namespace sinter::pjrt {
namespace {

absl::Status OfDevice(PJRT_DeviceDescription_MemoryDescriptions_Args& args) {
  if (args.device_description == nullptr) return InvalidArgument("no device description");
  args.memory_descriptions = args.device_description->memory_pointers.data();
  args.num_memory_descriptions = args.device_description->memory_pointers.size();
  args.default_memory_index = 0;
  return absl::OkStatus();
}

absl::Status KindOf(PJRT_MemoryDescription_Kind_Args& args) {
  if (args.memory_description == nullptr) return InvalidArgument("no memory description");
  SetText(args.memory_description->kind, args.kind, args.kind_size);
  args.kind_id = args.memory_description->kind_id;
  return absl::OkStatus();
}

}  // namespace

PJRT_Extension_Base* MemoryDescriptionsExtension(PJRT_Extension_Base* next) {
  static PJRT_MemoryDescriptions_Extension extension = {
      {sizeof(PJRT_MemoryDescriptions_Extension), PJRT_Extension_Type_MemoryDescriptions, next},
      ExtensionFunction<&OfDevice>::Call,
      ExtensionFunction<&KindOf>::Call,
  };
  return &extension.base;
}

}  // namespace sinter::pjrt
