// GetPjrtApi: the table, and what the plugin says of itself.
#include "pjrt/extensions.h"
#include "pjrt/named_values.h"
#include "pjrt/slot.h"
#include "sinter/export.h"

namespace sinter::pjrt {
namespace {

// The newest and the oldest artifact of StableHLO that can be loaded.
constexpr int64_t kStablehloCurrent[] = {1, 22, 0};
constexpr int64_t kStablehloMinimum[] = {0, 9, 0};

const NamedValues& Attributes() {
  static const NamedValues* attributes = [] {
    auto* a = new NamedValues;
    // Of the conventions of the plugin's attributes.
    a->Add("xla_version", int64_t{2});
    a->Add("stablehlo_current_version",
           std::vector<int64_t>(std::begin(kStablehloCurrent), std::end(kStablehloCurrent)));
    a->Add("stablehlo_minimum_version",
           std::vector<int64_t>(std::begin(kStablehloMinimum), std::end(kStablehloMinimum)));
    return a;
  }();
  return *attributes;
}

PJRT_Api MakeApi() {
  PJRT_Api api{};
  api.struct_size = sizeof api;
  api.extension_start = LayoutsExtension(
      FfiExtension(FfiStagesExtension(MemoryDescriptionsExtension(ShardingsExtension(nullptr)))));
  api.pjrt_api_version = {sizeof api.pjrt_api_version, nullptr, PJRT_API_MAJOR, PJRT_API_MINOR};
#define PJRT_SLOT(slot, fields) api.PJRT_##slot = &Invoke<PJRT_##slot##_Args>;
#define PJRT_VOID_SLOT(slot, fields) api.PJRT_##slot = &InvokeVoid<PJRT_##slot##_Args>;
#include "sinter/pjrt_slots.inc"
  return api;
}

}  // namespace

absl::Status Handle(PJRT_Plugin_Initialize_Args&) { return absl::OkStatus(); }

absl::Status Handle(PJRT_Plugin_Attributes_Args& args) {
  args.attributes = Attributes().data();
  args.num_attributes = Attributes().size();
  return absl::OkStatus();
}

}  // namespace sinter::pjrt

extern "C" SINTER_API const PJRT_Api* GetPjrtApi() {
  static const PJRT_Api api = sinter::pjrt::MakeApi();
  return &api;
}
