#include "frontend/stablehlo_text/text_source.h"

#include <algorithm>
#include <cstring>

namespace sinter::stablehlo {
namespace {

// How much of a line an error shows: lines with dense constants have megabytes.
constexpr int64_t kShownBefore = 60, kShownAfter = 60;

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

}  // namespace

TextSource::TextSource(std::string_view text, std::string_view filename)
    : Source(filename), text_(text), line_starts_{0} {
  const char* p = begin();
  while (p != end()) {
    p = static_cast<const char*>(std::memchr(p, '\n', static_cast<size_t>(end() - p)));
    if (!p) break;
    line_starts_.push_back(++p - begin());
  }
}

int64_t TextSource::LineOf(const char* at) const {
  auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), at - begin());
  return next - line_starts_.begin();
}

absl::Status TextSource::Error(absl::StatusCode code, const char* at,
                               std::string_view message) const {
  int64_t line = LineOf(at), offset = at - begin();
  int64_t start = line_starts_[static_cast<size_t>(line - 1)];
  int64_t stop = static_cast<int64_t>(text_.find('\n', static_cast<size_t>(start)));
  if (stop < 0) stop = static_cast<int64_t>(text_.size());
  if (stop > start && text_[static_cast<size_t>(stop - 1)] == '\r') --stop;

  int64_t from = std::max(start, offset - kShownBefore);
  int64_t to = std::max(offset, std::min(stop, offset + kShownAfter));
  while (from < offset && IsContinuation(text_[static_cast<size_t>(from)])) ++from;
  while (to < stop && IsContinuation(text_[static_cast<size_t>(to)])) ++to;
  std::string shown = from > start ? "..." : "";
  std::string caret(shown.size(), ' ');
  for (int64_t i = from; i < to; ++i) {
    char c = text_[static_cast<size_t>(i)];
    // Control characters would move the caret or the terminal.
    shown += static_cast<unsigned char>(c) < 32 ? ' ' : c;
    if (i < offset && !IsContinuation(c)) caret += ' ';
  }
  if (to < stop) shown += "...";
  std::string text =
      Format("{}:{}:{}: {}\n{}\n{}^", filename(), line, offset - start + 1, message, shown, caret);
  return absl::Status(code, text);
}

}  // namespace sinter::stablehlo
