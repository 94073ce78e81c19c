#include "api/sized_execution.h"

#include <algorithm>
#include <cstring>

#include "api/client_core.h"
#include "base/status.h"
#include "runtime/device_buffer.h"

namespace sinter::api {
namespace {

using Dims = std::vector<int64_t>;

// The leaves without those that hold sizes, which are the last.
std::vector<Shape> Stated(const std::vector<Shape>& leaves,
                          const std::vector<program::DynamicSize>& sizes) {
  std::vector<Shape> stated(leaves.begin(), leaves.end() - static_cast<ptrdiff_t>(sizes.size()));
  for (const program::DynamicSize& s : sizes)
    stated[static_cast<size_t>(s.array)].set_dynamic(s.dimension, true);
  return stated;
}

// The elements of `from` at the same places of an array of other sizes, as far as there are such.
Literal Resized(const Literal& from, const Dims& sizes) {
  Literal to(Shape(from.shape().element_type(), sizes));
  const Dims& old = from.shape().dimensions();
  if (sizes.empty()) return from;
  Dims common = sizes;
  for (size_t d = 0; d < common.size(); ++d) common[d] = std::min(common[d], old[d]);
  if (std::find(common.begin(), common.end(), 0) != common.end()) return to;
  const int64_t width = ByteWidth(from.shape().element_type());
  const size_t last = sizes.size() - 1;
  const auto row = static_cast<size_t>(common[last] * width);
  Dims at(last, 0);
  for (;;) {
    int64_t source = 0, destination = 0;
    for (size_t d = 0; d <= last; ++d) {
      const int64_t k = d < last ? at[d] : 0;
      source = source * old[d] + k;
      destination = destination * sizes[d] + k;
    }
    std::memcpy(static_cast<char*>(to.untyped_data()) + destination * width,
                static_cast<const char*>(from.untyped_data()) + source * width, row);
    size_t d = last;
    while (d > 0 && ++at[d - 1] == common[d - 1]) at[--d] = 0;
    if (d == 0) return to;
  }
}

}  // namespace

std::vector<Shape> StatedArguments(const program::Program& p) {
  return Stated(p.argument_shapes, p.argument_sizes);
}
std::vector<Shape> StatedResults(const program::Program& p) {
  return Stated(p.result_shapes, p.result_sizes);
}

absl::StatusOr<std::vector<Buffer>> ExecuteSized(runtime::Executable& executable,
                                                 const std::shared_ptr<ClientCore>& core,
                                                 absl::Span<const Buffer> arguments,
                                                 const ExecuteOptions& options) {
  const program::Program& p = executable.program();
  const std::vector<Shape> stated = StatedArguments(p);
  if (arguments.size() != stated.size()) {
    return InvalidArgument("{}: {} arguments are expected, {} are given", p.name, stated.size(),
                           arguments.size());
  }
  Client client(core);
  std::vector<Buffer> given(arguments.begin(), arguments.end());
  std::vector<int64_t> donate(options.donate.begin(), options.donate.end());
  std::vector<Buffer> replaced;
  for (size_t k = 0; k < stated.size(); ++k) {
    if (stated[k].is_static()) continue;
    const Shape& shape = arguments[k].shape();
    if (!Shape::Fits(shape, stated[k])) {
      return InvalidArgument("{}: argument {}: expected {}, given {}", p.name, k,
                             stated[k].ToString(), shape.ToString());
    }
    if (arguments[k].impl()->owner() != core.get()) {
      return InvalidArgument("{}: argument {}: the buffer {} belongs to another client", p.name, k,
                             shape.ToString());
    }
    if (std::find(donate.begin(), donate.end(), static_cast<int64_t>(k)) != donate.end())
      replaced.push_back(arguments[k]);
    if (shape.dimensions() == stated[k].dimensions() && shape.has_default_layout()) continue;
    ASSIGN_OR_RETURN(const Literal value, arguments[k].ToLiteral());
    ASSIGN_OR_RETURN(given[k],
                     client.BufferFromLiteral(Resized(value, p.argument_shapes[k].dimensions())));
  }
  for (const program::DynamicSize& s : p.argument_sizes) {
    const int64_t size = arguments[static_cast<size_t>(s.array)].shape().dimension(s.dimension);
    ASSIGN_OR_RETURN(Buffer scalar,
                     client.BufferFromLiteral(Literal::R0(static_cast<int32_t>(size))));
    given.push_back(std::move(scalar));
  }
  std::vector<runtime::DeviceBuffer*> raw;
  for (const Buffer& b : given) {
    if (b.is_empty()) return InvalidArgument("{}: an argument is an empty buffer", p.name);
    raw.push_back(b.impl().get());
  }
  ASSIGN_OR_RETURN(runtime::Executable::Results results,
                   executable.Execute(raw, {donate, options.keep}));
  for (Buffer& b : replaced) b.Delete();

  std::vector<Buffer> out;
  for (auto& r : results) out.emplace_back(std::move(r), core);
  std::vector<Dims> real;
  const size_t arrays = out.size() - p.result_sizes.size();
  for (size_t k = 0; k < arrays; ++k) real.push_back(p.result_shapes[k].dimensions());
  for (const program::DynamicSize& s : p.result_sizes) {
    ASSIGN_OR_RETURN(const Literal size, out[static_cast<size_t>(s.size)].ToLiteral());
    int64_t& extent = real[static_cast<size_t>(s.array)][static_cast<size_t>(s.dimension)];
    extent = std::clamp<int64_t>(size.data<int32_t>()[0], 0, extent);
  }
  out.resize(arrays);
  for (size_t k = 0; k < arrays; ++k) {
    if (real[k] == p.result_shapes[k].dimensions()) continue;
    ASSIGN_OR_RETURN(const Literal all, out[k].ToLiteral());
    ASSIGN_OR_RETURN(out[k], client.BufferFromLiteral(Resized(all, real[k])));
  }
  return out;
}

}  // namespace sinter::api
