#include "pjrt/layouts.h"

#include <string>

#include "pjrt/array.h"
#include "pjrt/extensions.h"
#include "pjrt/objects.h"
#include "pjrt/program.h"
#include "pjrt/text.h"

namespace sinter::pjrt {
namespace {

absl::Status DestroyLayout(PJRT_Layouts_MemoryLayout_Destroy_Args& args) {
  delete args.layout;
  return absl::OkStatus();
}

absl::Status SerializeLayout(PJRT_Layouts_MemoryLayout_Serialize_Args& args) {
  if (args.layout == nullptr) return InvalidArgument("no layout");
  Give(Layout(args.layout->minor_to_major).ToString(), args.serialized_bytes,
       args.serialized_bytes_size, args.serialized_layout, args.serialized_layout_deleter);
  return absl::OkStatus();
}

absl::StatusOr<PJRT_Layouts_MemoryLayout*> DefaultLayout(PJRT_Buffer_Type type, const int64_t* dims,
                                                         size_t num_dims) {
  // Of tokens too, which are no arrays.
  if (type == PJRT_Buffer_Type_TOKEN) return new PJRT_Layouts_MemoryLayout;
  ASSIGN_OR_RETURN(const Shape shape, MakeShape(type, dims, num_dims, nullptr));
  return new PJRT_Layouts_MemoryLayout{MinorToMajorOf(shape)};
}

absl::Status OfClient(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args& args) {
  ASSIGN_OR_RETURN(args.layout, DefaultLayout(args.type, args.dims, args.num_dims));
  return absl::OkStatus();
}

absl::Status OfTopology(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args& args) {
  ASSIGN_OR_RETURN(args.layout, DefaultLayout(args.type, args.dims, args.num_dims));
  return absl::OkStatus();
}

absl::Status OfBuffer(PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args& args) {
  if (args.buffer == nullptr) return InvalidArgument("no buffer");
  args.layout = new PJRT_Layouts_MemoryLayout{MinorToMajorOf(args.buffer->buffer.shape())};
  return absl::OkStatus();
}

// The C API forgot that nobody writes to the list.
PJRT_Layouts_MemoryLayout** ListOf(const std::vector<PJRT_Layouts_MemoryLayout*>& layouts) {
  return const_cast<PJRT_Layouts_MemoryLayout**>(layouts.data());
}

absl::Status OfResults(PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args& args) {
  if (args.executable == nullptr) return InvalidArgument("no executable");
  args.num_outputs = args.executable->program->result_layouts.size();
  args.layouts = ListOf(args.executable->program->result_layouts);
  return absl::OkStatus();
}

absl::Status OfParameters(PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args& args) {
  if (args.executable == nullptr) return InvalidArgument("no executable");
  args.num_parameters = args.executable->program->parameter_layouts.size();
  args.layouts = ListOf(args.executable->program->parameter_layouts);
  return absl::OkStatus();
}

}  // namespace

PJRT_Extension_Base* LayoutsExtension(PJRT_Extension_Base* next) {
  static PJRT_Layouts_Extension extension = {
      {sizeof(PJRT_Layouts_Extension), PJRT_Extension_Type_Layouts, next},
      ExtensionFunction<&DestroyLayout>::Call,
      ExtensionFunction<&SerializeLayout>::Call,
      ExtensionFunction<&OfClient>::Call,
      ExtensionFunction<&OfBuffer>::Call,
      ExtensionFunction<&OfTopology>::Call,
      ExtensionFunction<&OfResults>::Call,
      ExtensionFunction<&OfParameters>::Call,
  };
  return &extension.base;
}

}  // namespace sinter::pjrt
