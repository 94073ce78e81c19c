#include "custom_call/lapack_call.h"

#include <cstring>

#include "absl/algorithm/container.h"

namespace sinter::lapack {
namespace {

ElementType TypeOf(char letter, char type) {
  const bool wide = type == 'd' || type == 'z', complex = type == 'c' || type == 'z';
  if (letter == 'i') return ElementType::S32;
  if (letter == 'C' || (letter == 'T' && complex))
    return wide ? ElementType::C128 : ElementType::C64;
  return wide ? ElementType::F64 : ElementType::F32;
}

// The next array of a signature, which it takes off: "T[mn]".
std::string_view Next(std::string_view* signature) {
  size_t end = signature->find_first_of("])");
  if (end == std::string_view::npos) return {};
  std::string_view array = signature->substr(0, end + 1);
  signature->remove_prefix(std::min(signature->size(), end + 2));
  return array;
}

}  // namespace

absl::StatusOr<Call> Call::Make(const CustomCallFrame& frame, std::string_view signature, char type,
                                const Threads& threads) {
  Call call;
  call.threads_ = threads;
  call.frame_ = &frame;
  call.sizes_.fill(-1);
  const size_t arrow = signature.find(" -> ");
  std::string_view lists[] = {signature.substr(0, arrow), signature.substr(arrow + 4)};
  auto count = [](std::string_view s) {
    return static_cast<size_t>(
        std::count_if(s.begin(), s.end(), [](char c) { return c == '[' || c == '('; }));
  };
  size_t operands = count(lists[0]);
  if (lists[0].ends_with("?") && frame.operands.size() + 1 == operands) --operands;
  RETURN_IF_ERROR(internal::CheckCustomCallCounts(frame, operands, count(lists[1])));
  call.has_info_ = lists[1].ends_with("i[]");
  for (size_t i = 0; i < frame.operands.size(); ++i) {
    RETURN_IF_ERROR(call.Bind("operand", i, frame.operands[i], Next(&lists[0]), type,
                              &call.operands_.emplace_back()));
  }
  for (size_t i = 0; i < frame.results.size(); ++i) {
    RETURN_IF_ERROR(call.Bind("result", i, frame.results[i], Next(&lists[1]), type,
                              &call.results_.emplace_back()));
    // What a routine leaves as it is has a value too.
    void* const data = frame.results[i].data;
    const bool is_operand =
        absl::c_any_of(frame.operands, [&](const auto& o) { return o.data == data; });
    if (data != nullptr && !is_operand) {
      std::memset(data, 0, static_cast<size_t>(frame.results[i].shape->byte_size()));
    }
  }
  return call;
}

absl::Status Call::Bind(std::string_view role, size_t index, const CustomCallFrame::Array& array,
                        std::string_view signature, char type, int64_t* stride) {
  const Shape& shape = *array.shape;
  const std::string_view letters = signature.substr(2, signature.size() - 3);
  const auto core = static_cast<int64_t>(letters.size()), batch = shape.rank() - core;
  auto misfit = [&](std::string_view what) {
    return InvalidArgument("{} {} is {}: expected {} of {}, {}", role, index, shape.ToString(),
                           signature, Name(TypeOf(signature[0], type)), what);
  };
  if (shape.element_type() != TypeOf(signature[0], type)) return misfit("the element type");
  if (signature[1] == '(') {  // of the whole batch
    *stride = 0;
    return shape.rank() == 0 ? absl::OkStatus() : misfit("the rank");
  }
  if (batch < 0) return misfit("the rank");
  *stride = 1;
  for (int64_t d = 0; d < core; ++d) {
    const int64_t size = shape.dimension(shape.rank() - 1 - d);
    if (size > std::numeric_limits<Int>::max())
      return Unimplemented("{} {} is {}, too large for LAPACK", role, index, shape.ToString());
    const char letter = letters[static_cast<size_t>(d)];
    Int& known = sizes_[static_cast<size_t>(letter - 'a')];
    if (letter == 'k') known = std::min((*this)['m'], (*this)['n']);
    if (letter == 'l') known = std::max((*this)['n'] - 1, 0);
    if (known < 0) known = static_cast<Int>(size);
    if (known != size) return misfit(Format("{} = {}", letter, known));
    *stride *= size;
  }
  std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().begin() + batch);
  if (!has_batch_) {
    has_batch_ = true;
    for (int64_t size : sizes) batch_ *= size;
    batch_sizes_ = std::move(sizes);
  } else if (sizes != batch_sizes_) {
    return misfit("the batch dimensions of operand 0");
  }
  return absl::OkStatus();
}

void Call::Copy(size_t operand, size_t result) const {
  const auto bytes = static_cast<size_t>(frame_->results[result].shape->byte_size());
  const void* from = frame_->operands[operand].data;
  void* to = frame_->results[result].data;
  if (bytes != 0 && from != to) std::memcpy(to, from, bytes);
}

absl::StatusOr<char> Call::Character(std::string_view name, std::string_view choices) const {
  ASSIGN_OR_RETURN(uint8_t code, Attribute<uint8_t>(name));
  const char character = static_cast<char>(code);
  if (choices.find(character) != std::string_view::npos) return character;
  return InvalidArgument("attribute {} is {}, not one of the characters {}", name, code, choices);
}

}  // namespace sinter::lapack
