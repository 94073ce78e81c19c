#include "ir/annotation_call.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/status.h"

namespace sinter {
namespace {

std::string Key(std::string_view field) { return Format("{}{}", kAnnotationCallPrefix, field); }

}  // namespace

bool IsAnnotationTarget(std::string_view target) {
  static constexpr std::string_view kTargets[] = {
      "LayoutConstraint",
      "MoveToDevice",
      "MoveToHost",
      kIntoManual,
      kOutOfManual,
      "Sharding",
      "annotate_device_placement",
      AnnotationCall::kUse,
      "xla.sdy.FuncResultSharding",
      "xla.sdy.GlobalToLocalShape",
      "xla.sdy.LocalToGlobalShape",
      "xla.sdy.PropagationBarrier",
      "xla.sdy.Sharding",
      AnnotationCall::kShardingGroup,
  };
  return std::find(std::begin(kTargets), std::end(kTargets), target) != std::end(kTargets);
}

std::optional<AnnotationCall> AnnotationCallOf(const HloInstruction& copy) {
  if (copy.op() != HloOpcode::Copy) return std::nullopt;
  const std::string* target = Find(copy.annotations(), Key("target"));
  if (target == nullptr) return std::nullopt;
  AnnotationCall call;
  call.target = *target;
  if (const std::string* config = Find(copy.annotations(), Key("backend_config")))
    call.backend_config = *config;
  call.has_side_effect = Find(copy.annotations(), Key("has_side_effect")) != nullptr;
  return call;
}

void SetAnnotationCall(HloInstruction* copy, const AnnotationCall& call) {
  Annotations annotations = copy->annotations();
  annotations.push_back({Key("target"), call.target});
  if (!call.backend_config.empty())
    annotations.push_back({Key("backend_config"), call.backend_config});
  if (call.has_side_effect) annotations.push_back({Key("has_side_effect"), "true"});
  copy->set_annotations(std::move(annotations));
}

}  // namespace sinter
