#include "pjrt/named_values.h"

#include <utility>

#include "base/status.h"

namespace sinter::pjrt {

PJRT_NamedValue& NamedValues::Append(std::string name, PJRT_NamedValue_Type type) {
  texts_.push_back(std::move(name));
  PJRT_NamedValue& v = values_.emplace_back();
  v.struct_size = sizeof v;
  v.name = texts_.back().c_str();
  v.name_size = texts_.back().size();
  v.type = type;
  v.value_size = 1;
  return v;
}

void NamedValues::Add(std::string name, int64_t value) {
  Append(std::move(name), PJRT_NamedValue_kInt64).int64_value = value;
}
void NamedValues::Add(std::string name, float value) {
  Append(std::move(name), PJRT_NamedValue_kFloat).float_value = value;
}
void NamedValues::Add(std::string name, std::string value) {
  texts_.push_back(std::move(value));
  const std::string& text = texts_.back();
  PJRT_NamedValue& v = Append(std::move(name), PJRT_NamedValue_kString);
  v.string_value = text.c_str();
  v.value_size = text.size();
}
void NamedValues::Add(std::string name, std::vector<int64_t> value) {
  lists_.push_back(std::move(value));
  PJRT_NamedValue& v = Append(std::move(name), PJRT_NamedValue_kInt64List);
  v.int64_array_value = lists_.back().data();
  v.value_size = lists_.back().size();
}

absl::StatusOr<std::vector<NamedValue>> ReadNamedValues(const PJRT_NamedValue* values,
                                                        size_t count) {
  if (count > 0 && values == nullptr) return InvalidArgument("{} named values at null", count);
  std::vector<NamedValue> out;
  for (size_t i = 0; i < count; ++i) {
    const PJRT_NamedValue& v = values[i];
    if (v.name == nullptr) return InvalidArgument("named value {} has no name", i);
    NamedValue& read = out.emplace_back();
    read.name.assign(v.name, v.name_size);
    const bool is_list = v.type == PJRT_NamedValue_kString || v.type == PJRT_NamedValue_kInt64List;
    if (is_list && v.value_size > 0 && v.string_value == nullptr)
      return InvalidArgument("{}: no value", read.name);
    switch (v.type) {
      case PJRT_NamedValue_kString:
        read.value = std::string(v.string_value, v.value_size);
        break;
      case PJRT_NamedValue_kInt64:
        read.value = v.int64_value;
        break;
      case PJRT_NamedValue_kInt64List:
        read.value = std::vector<int64_t>(v.int64_array_value, v.int64_array_value + v.value_size);
        break;
      case PJRT_NamedValue_kFloat:
        read.value = static_cast<double>(v.float_value);
        break;
      case PJRT_NamedValue_kBool:
        read.value = v.bool_value;
        break;
      default:
        return InvalidArgument("{}: unknown type {} of a named value", read.name,
                               static_cast<int>(v.type));
    }
  }
  return out;
}

}  // namespace sinter::pjrt
