// MLIR text being read.
#pragma once

#include <vector>

#include "frontend/stablehlo/source.h"

namespace sinter::stablehlo {

class TextSource final : public Source {
 public:
  TextSource(std::string_view text, std::string_view filename);

  std::string_view text() const { return text_; }
  const char* begin() const override { return text_.data(); }
  const char* end() const { return text_.data() + text_.size(); }
  int64_t LineOf(const char* at) const override;
  // "FILE:LINE:COL: what\nLINE\n  ^".
  absl::Status Error(absl::StatusCode code, const char* at,
                     std::string_view message) const override;

 private:
  std::string_view text_;
  std::vector<int64_t> line_starts_;
};

}  // namespace sinter::stablehlo
