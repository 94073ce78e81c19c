#include "ir/composite.h"

#include <charconv>

#include "base/status.h"
#include "ir/frontend_attributes.h"

namespace sinter {

std::optional<CompositeCallInfo> CompositeOf(const HloInstruction& call) {
  if (call.op() != HloOpcode::Call) return std::nullopt;
  const std::string* is = Find(call.annotations(), "is_composite");
  const std::string* all = Find(call.annotations(), "frontend_attributes");
  if (is == nullptr || *is != "true" || all == nullptr) return std::nullopt;
  CompositeCallInfo info;
  for (FrontendAttribute& a : FrontendAttributes(*all)) {
    if (a.name == "composite.name") {
      info.name = std::move(a.value);
    } else if (a.name == "composite.attributes") {
      info.attributes = std::move(a.value);
    } else if (a.name == "composite.version") {
      std::from_chars(a.value.data(), a.value.data() + a.value.size(), info.version);
    }
  }
  if (info.name.empty()) return std::nullopt;
  return info;
}

void SetComposite(HloInstruction* call, const CompositeCallInfo& info) {
  Annotations annotations = call->annotations();
  std::vector<FrontendAttribute> others;
  if (const std::string* all = Find(annotations, "frontend_attributes"))
    others = FrontendAttributes(*all);
  std::erase_if(others,
                [](const FrontendAttribute& a) { return a.name.starts_with("composite."); });
  std::erase_if(annotations, [](const Annotation& a) {
    return a.name == "is_composite" || a.name == "frontend_attributes";
  });
  annotations.push_back({"is_composite", "true"});
  std::vector<FrontendAttribute> attributes = {{"composite.name", info.name},
                                               {"composite.version", Format("{}", info.version)}};
  if (!info.attributes.empty())
    attributes.insert(attributes.begin(), {"composite.attributes", info.attributes, false});
  attributes.insert(attributes.end(), others.begin(), others.end());
  annotations.push_back({"frontend_attributes", FrontendAttributesText(attributes)});
  call->set_annotations(std::move(annotations));
}

}  // namespace sinter
