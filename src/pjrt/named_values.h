// Lists of named values: those that the plugin gives, and those that it is given.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "sinter/pjrt_c_api.h"

namespace sinter::pjrt {

// A list for callers, with what it points to.
class NamedValues {
 public:
  NamedValues() = default;
  NamedValues(const NamedValues&) = delete;
  NamedValues& operator=(const NamedValues&) = delete;

  void Add(std::string name, int64_t value);
  void Add(std::string name, float value);
  void Add(std::string name, std::string value);
  void Add(std::string name, std::vector<int64_t> value);

  const PJRT_NamedValue* data() const { return values_.data(); }
  size_t size() const { return values_.size(); }

 private:
  PJRT_NamedValue& Append(std::string name, PJRT_NamedValue_Type type);

  std::deque<std::string> texts_;
  std::deque<std::vector<int64_t>> lists_;
  std::vector<PJRT_NamedValue> values_;
};

// A value of a caller's, copied.
struct NamedValue {
  std::string name;
  std::variant<std::string, int64_t, std::vector<int64_t>, double, bool> value;
};
// InvalidArgument where a pointer is missing or a type is unknown.
absl::StatusOr<std::vector<NamedValue>> ReadNamedValues(const PJRT_NamedValue* values,
                                                        size_t count);

}  // namespace sinter::pjrt
