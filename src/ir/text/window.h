// Windows and the dimension labels of convolutions in HLO text:
//
//   window={size=3x3 stride=2x2 pad=0_1x1_1 lhs_dilate=2x1 rhs_dilate=1x2 rhs_reversal=1x1}
//   dim_labels=b01f_01io->b01f
#pragma once

#include <string>

#include "ir/ops/attributes.h"
#include "ir/text/lexer.h"

namespace sinter {

// With braces; what has its default in all dimensions is left out.
std::string WindowText(const Window& window);
absl::Status ParseWindow(Lexer& lexer, Window& window);

// The numbers must have been checked: labels stand in the order of dimensions.
std::string DimensionLabelsText(const ConvolutionDimensionNumbers& numbers);
absl::Status ParseDimensionLabels(Lexer& lexer, ConvolutionDimensionNumbers& numbers);

}  // namespace sinter
