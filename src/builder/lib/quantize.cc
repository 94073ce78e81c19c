#include "sinter/lib/quantize.h"

#include <algorithm>

#include "builder/lib/compose.h"
#include "sinter/lib/constants.h"

namespace sinter::internal {

Op Dequantize(const Operand& input, const QuantizedRange& range, int bits, int64_t least,
              int64_t greatest, std::string_view mode, bool transpose_output) {
  return Compose("dequantize", input, [&](Builder* b) -> absl::StatusOr<Op> {
    ASSIGN_OR_RETURN(Shape shape, ArrayShape(input.op(), 1));
    if (shape.element_type() != ElementType::U32)
      return InvalidArgument("expected words of U32, got {}", shape.ToString());
    if (mode != "MIN_COMBINED") return InvalidArgument("the mode {} is not MIN_COMBINED", mode);
    const int64_t count = 32 / bits, rank = shape.rank();

    // Shifted up and down again, signed or not, each number of a word along a new last dimension.
    std::vector<int64_t> sizes = shape.dimensions();
    sizes.push_back(count);
    Op place = Iota(b, Shape(ElementType::U32, sizes), rank);
    Op words = BroadcastInDim(input, sizes, Count(rank)) << (place * static_cast<uint32_t>(bits));
    const ElementType integer = least < 0 ? ElementType::S32 : ElementType::U32;
    Op numbers =
        ConvertElementType(BitcastConvertType(words, integer) >> (32 - bits), ElementType::BF16);
    sizes.pop_back();
    sizes.back() *= count;
    numbers = Reshape(numbers, sizes);

    // The factor is rounded to BF16 after each operation too.
    auto rounded = [](float x) { return static_cast<float>(bfloat16(x)); };
    const float min = static_cast<float>(range.min), max = static_cast<float>(range.max);
    const float span = rounded(static_cast<float>(greatest - least));
    const bfloat16 factor(rounded(max - min) / span);
    Op result = (numbers + bfloat16(static_cast<float>(-least))) * factor + range.min;
    if (!transpose_output) return result;
    std::vector<int64_t> reversed = Count(rank);
    std::reverse(reversed.begin(), reversed.end());
    return Transpose(result, reversed);
  });
}

}  // namespace sinter::internal
