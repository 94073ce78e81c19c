// Features of points that are stacked, and what is summed over them; states of rows that share what
// they are computed of.
#include <algorithm>

#include "fuzz/maker.h"

namespace sinter::fuzz {

using E = ElementType;

bool FeaturesPattern(Maker& m) {
  if (m.inner) return false;
  const E type = m.random.Of({E::F32, E::F32, E::F64, E::S32, E::BF16});
  const int64_t points = m.Extent({9, 40, 131, 300}), count = m.random.Of({2, 3, 5, 10, 17, 20});
  const bool is_first = m.random.Chance(50);
  // Columns or rows of one element, each computed of others.
  const Dims one = is_first ? Dims{1, points} : Dims{points, 1};
  std::vector<int> features;
  for (int k = 0; k < 3; ++k)
    features.push_back(m.Parameter(type, one, Facts::Within(-1, 1, true)));
  for (int tries = 0; std::ssize(features) < count && tries < 100; ++tries) {
    auto any = [&] { return features[static_cast<size_t>(m.random.Below(std::ssize(features)))]; };
    const int f =
        m.random.Chance(20)
            ? m.Unary(m.random.Of({"negate", "abs"}), any())
            : m.Binary(m.random.Of({"multiply", "add", "subtract", "maximum"}), any(), any());
    if (f >= 0) features.push_back(f);
  }
  if (m.random.Chance(30)) std::reverse(features.begin(), features.end());
  const size_t axis = is_first ? 0 : 1;
  const int stack = Together(m, features, axis);
  if (stack < 0 || m.random.Chance(20)) return stack >= 0;
  const auto along = static_cast<int64_t>(axis), all = std::ssize(features);
  const int64_t columns = m.Extent({1, 2, 3, 8, 33});
  const Facts facts = Facts::Within(-1, 1, true);
  switch (m.random.Below(3)) {
    case 0: {
      const int w = m.Parameter(type, {all, columns}, facts);
      return (m.random.Chance(50) ? m.Dot(stack, w, {}, {}, {along}, {0}, type)
                                  : m.Dot(w, stack, {}, {}, {0}, {along}, type)) >= 0;
    }
    case 1: {
      const int w = m.Parameter(type, {points, all, columns}, facts);
      return m.Dot(stack, w, {1 - along}, {0}, {along}, {1}, type) >= 0;
    }
    default: {
      const int w = m.Parameter(type, m.at(stack).dims, facts), x = m.Binary("multiply", stack, w);
      return x >= 0 && m.Reduce(x, {along}, m.random.Of({"add", "maximum", "minimum"})) >= 0;
    }
  }
}

}  // namespace sinter::fuzz
