// Frontend attributes, by which frameworks annotate instructions, in the form of HLO text and of
// annotations:
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
  std::string value;  // of a string its contents; of anything else its text
  bool is_string = true;
};

// Reads a text with its braces; entries without '=' are left out.
std::vector<FrontendAttribute> FrontendAttributes(std::string_view text);
// Strings get quotes and C escapes.
std::string FrontendAttributesText(absl::Span<const FrontendAttribute> attributes);

}  // namespace sinter
