// Frontend attributes, which frameworks give what they wrote, as HLO text has them and annotations
// hold them:
//
//   {name="text",other={0,{1,2}}}
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"

namespace sinter {

struct FrontendAttribute {
  std::string name;
  std::string value;  // what a string says; anything else as it stands
  bool is_string = true;
};

// Of a text with its braces; what has no '=' is left out.
std::vector<FrontendAttribute> FrontendAttributes(std::string_view text);
// Strings get quotes and C escapes.
std::string FrontendAttributesText(absl::Span<const FrontendAttribute> attributes);

}  // namespace sinter
