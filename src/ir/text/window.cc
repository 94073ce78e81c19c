#include "ir/text/window.h"

#include <algorithm>

#include "base/status.h"

namespace sinter {
namespace {

// "name=1x2x3", unless all values are the default.
template <class Value>
void AppendField(const Window& window, std::string_view name, bool always, const Value& value,
                 std::string_view otherwise, std::string& out) {
  bool all_default = true;
  std::string text;
  for (size_t d = 0; d < window.size(); ++d) {
    std::string v = value(window[d]);
    all_default &= v == otherwise;
    text += (d ? "x" : "") + v;
  }
  if (all_default && !always) return;
  if (out.back() != '{') out += ' ';
  out += Format("{}={}", name, text);
}

// "3x3": a value for each dimension; the first field says how many there are.
template <class Read>
absl::Status ParseField(Lexer& l, Window& window, bool first, const Read& read) {
  size_t d = 0;
  do {
    if (first) window.emplace_back();
    if (d == window.size()) return l.Error("the window has {} dimensions", window.size());
    RETURN_IF_ERROR(read(window[d++]));
  } while (l.Eat('x'));
  if (d != window.size()) return l.Error("the window has {} dimensions, not {}", window.size(), d);
  return absl::OkStatus();
}

std::string Labels(int64_t batch_dim, char batch, int64_t feature_dim, char feature,
                   const Dims& spatial) {
  std::string text(spatial.size() + 2, '?');
  auto set = [&](int64_t d, char c) {
    if (0 <= d && d < static_cast<int64_t>(text.size())) text[static_cast<size_t>(d)] = c;
  };
  set(batch_dim, batch);
  set(feature_dim, feature);
  for (size_t k = 0; k < spatial.size(); ++k) set(spatial[k], static_cast<char>('0' + k));
  return text;
}

}  // namespace

std::string WindowText(const Window& window) {
  std::string out = "{";
  if (window.empty()) return "{}";
  auto integer = [](int64_t WindowDimension::*field) {
    return [field](const WindowDimension& w) { return std::to_string(w.*field); };
  };
  AppendField(window, "size", true, integer(&WindowDimension::size), "", out);
  AppendField(window, "stride", false, integer(&WindowDimension::stride), "1", out);
  AppendField(
      window, "pad", false,
      [](const WindowDimension& w) { return Format("{}_{}", w.padding_low, w.padding_high); },
      "0_0", out);
  AppendField(window, "lhs_dilate", false, integer(&WindowDimension::base_dilation), "1", out);
  AppendField(window, "rhs_dilate", false, integer(&WindowDimension::window_dilation), "1", out);
  AppendField(
      window, "rhs_reversal", false,
      [](const WindowDimension& w) { return std::string(w.window_reversal ? "1" : "0"); }, "0",
      out);
  return out + "}";
}

absl::Status ParseWindow(Lexer& l, Window& window) {
  RETURN_IF_ERROR(l.Expect('{', "before a window"));
  window.clear();
  auto integer = [&](int64_t WindowDimension::*field) {
    return [&l, field](WindowDimension& w) -> absl::Status {
      if (!l.EatInt(&(w.*field))) return l.Error("expected an integer");
      return absl::OkStatus();
    };
  };
  auto padding = [&](WindowDimension& w) -> absl::Status {
    if (!l.EatInt(&w.padding_low)) return l.Error("expected an integer");
    RETURN_IF_ERROR(l.Expect('_', "between low and high padding"));
    if (!l.EatInt(&w.padding_high)) return l.Error("expected an integer");
    return absl::OkStatus();
  };
  auto reversal = [&](WindowDimension& w) -> absl::Status {
    int64_t v;
    if (!l.EatInt(&v) || v < 0 || v > 1) return l.Error("expected 0 or 1");
    w.window_reversal = v == 1;
    return absl::OkStatus();
  };
  bool has_size = false;
  while (!l.Eat('}')) {
    l.SkipSpace();
    size_t at = l.pos();
    std::string_view name = l.EatName();
    RETURN_IF_ERROR(l.Expect('=', "after the name of a field of a window"));
    const bool first = window.empty();
    if (name == "size") {
      if (has_size) return l.Error("the size of a window is given twice");
      has_size = true;
      RETURN_IF_ERROR(ParseField(l, window, first, integer(&WindowDimension::size)));
    } else if (name == "stride") {
      RETURN_IF_ERROR(ParseField(l, window, first, integer(&WindowDimension::stride)));
    } else if (name == "lhs_dilate") {
      RETURN_IF_ERROR(ParseField(l, window, first, integer(&WindowDimension::base_dilation)));
    } else if (name == "rhs_dilate") {
      RETURN_IF_ERROR(ParseField(l, window, first, integer(&WindowDimension::window_dilation)));
    } else if (name == "pad") {
      RETURN_IF_ERROR(ParseField(l, window, first, padding));
    } else if (name == "rhs_reversal") {
      RETURN_IF_ERROR(ParseField(l, window, first, reversal));
    } else {
      l.set_pos(at);
      return l.Error("a window has no field '{}'", name);
    }
  }
  if (!window.empty() && !has_size) return l.Error("the window has no size");
  return absl::OkStatus();
}

std::string DimensionLabelsText(const ConvolutionDimensionNumbers& n) {
  return Format("{}_{}->{}",
                Labels(n.input_batch_dimension, 'b', n.input_feature_dimension, 'f',
                       n.input_spatial_dimensions),
                Labels(n.kernel_input_feature_dimension, 'i', n.kernel_output_feature_dimension,
                       'o', n.kernel_spatial_dimensions),
                Labels(n.output_batch_dimension, 'b', n.output_feature_dimension, 'f',
                       n.output_spatial_dimensions));
}

absl::Status ParseDimensionLabels(Lexer& l, ConvolutionDimensionNumbers& n) {
  l.SkipSpace();
  size_t at = l.pos();
  std::string_view operands = l.EatName();
  size_t middle = operands.find('_');
  bool arrow = l.Eat("->");
  std::string_view result = l.EatName();
  if (middle == operands.npos || !arrow ||
      !ReadDimensionLabels(operands.substr(0, middle), 'b', 'f', &n.input_batch_dimension.value,
                           &n.input_feature_dimension.value, &n.input_spatial_dimensions) ||
      !ReadDimensionLabels(
          operands.substr(middle + 1), 'i', 'o', &n.kernel_input_feature_dimension.value,
          &n.kernel_output_feature_dimension.value, &n.kernel_spatial_dimensions) ||
      !ReadDimensionLabels(result, 'b', 'f', &n.output_batch_dimension.value,
                           &n.output_feature_dimension.value, &n.output_spatial_dimensions)) {
    l.set_pos(at);
    return l.Error("expected dimension labels such as b01f_01io->b01f");
  }
  return absl::OkStatus();
}

}  // namespace sinter
