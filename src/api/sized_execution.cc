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

// Calls f(source, destination) with the numbers of the first elements of rows of `common`'s last
// dimension, in arrays of sizes `from` and `to`. No dimension of `common` is 0.
template <class F>
void ForRows(const Dims& common, const Dims& from, const Dims& to, F f) {
  const size_t last = common.size() - 1;
  Dims at(last, 0);
  for (;;) {
    int64_t source = 0, destination = 0;
    for (size_t d = 0; d <= last; ++d) {
      const int64_t k = d < last ? at[d] : 0;
      source = source * from[d] + k;
      destination = destination * to[d] + k;
    }
    f(source, destination);
    size_t d = last;
    while (d > 0 && ++at[d - 1] == common[d - 1]) at[--d] = 0;
    if (d == 0) return;
  }
}

Dims Common(const Dims& a, const Dims& b) {
  Dims common = a;
  for (size_t d = 0; d < common.size(); ++d) common[d] = std::min(common[d], b[d]);
  return common;
}

int64_t Product(const Dims& dims) {
  int64_t product = 1;
  for (int64_t d : dims) product *= d;
  return product;
}

// Whether elements that two arrays of these sizes have in common are the first of both.
bool ShareFront(const Dims& a, const Dims& b) {
  size_t d = 0;
  while (d < a.size() && a[d] == 1 && b[d] == 1) ++d;
  for (++d; d < a.size(); ++d) {
    if (a[d] != b[d]) return false;
  }
  return true;
}

// Resized of a buffer; elements that are not in `from` are undefined. On the device itself, unless
// that would take many copies there; without a copy where the result is most of `from`'s memory.
absl::StatusOr<Buffer> ResizedBuffer(const std::shared_ptr<ClientCore>& core, const Buffer& from,
                                     const Dims& sizes) {
  const Shape shape(from.shape().element_type(), sizes);
  const Dims& old = from.shape().dimensions();
  const Dims common = Common(sizes, old);
  runtime::Device& device = *core->device(from.device());
  const bool front = ShareFront(old, sizes);
  const bool whole_bytes = ElementsPerByte(shape.element_type()) == 1;
  if (!whole_bytes || !from.shape().has_default_layout() ||
      !(front || device.shares_host_memory())) {
    ASSIGN_OR_RETURN(const Literal value, from.ToLiteral());
    return Client(core).BufferFromLiteral(Resized(value, sizes), from.device());
  }
  RETURN_IF_ERROR(from.impl()->submitted().Wait());
  ASSIGN_OR_RETURN(runtime::StorageRef held, from.impl()->Hold());
  const int64_t width = ByteWidth(shape.element_type()), bytes = Product(common) * width;
  auto shared_shape = std::make_shared<const Shape>(shape);
  if (front && common == sizes && held->writable() && 2 * bytes >= held->size()) {
    return Buffer(std::make_shared<runtime::DeviceBuffer>(core.get(), std::move(shared_shape),
                                                          std::move(held), from.impl()->ready(),
                                                          from.impl()->submitted(), from.device()),
                  core);
  }
  ASSIGN_OR_RETURN(runtime::StorageRef to,
                   runtime::Storage::Allocate(core->pool(from.device()), Product(sizes) * width));
  if (bytes == 0) {
    // There is nothing to copy.
  } else if (front) {
    RETURN_IF_ERROR(device.Copy(to->data(), held->data(), bytes));
  } else {
    ForRows(common, old, sizes, [&](int64_t source, int64_t destination) {
      std::memcpy(static_cast<char*>(to->data()) + destination * width,
                  static_cast<const char*>(held->data()) + source * width,
                  static_cast<size_t>(common.back() * width));
    });
  }
  return Buffer(
      std::make_shared<runtime::DeviceBuffer>(core.get(), std::move(shared_shape), std::move(to),
                                              device.Completion(), Event(), from.device()),
      core);
}

}  // namespace

Literal Resized(const Literal& from, const Dims& sizes) {
  Literal to(Shape(from.shape().element_type(), sizes));
  const Dims& old = from.shape().dimensions();
  const Dims common = Common(sizes, old);
  if (sizes.empty()) return from;
  if (Product(common) == 0) return to;
  const int64_t width = ByteWidth(from.shape().element_type());
  const auto row = static_cast<size_t>(common.back() * width);
  ForRows(common, old, sizes, [&](int64_t source, int64_t destination) {
    std::memcpy(static_cast<char*>(to.untyped_data()) + destination * width,
                static_cast<const char*>(from.untyped_data()) + source * width, row);
  });
  return to;
}

std::vector<Shape> StatedArguments(const program::Program& p) {
  return Stated(p.argument_shapes, p.argument_sizes);
}
std::vector<Shape> StatedResults(const program::Program& p) {
  return Stated(p.result_shapes, p.result_sizes);
}

absl::StatusOr<std::vector<Buffer>> ExecuteSized(runtime::Executable& executable,
                                                 const std::shared_ptr<ClientCore>& core,
                                                 absl::Span<const Buffer> arguments,
                                                 const ExecuteOptions& options,
                                                 runtime::StepTimes* times) {
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
    ASSIGN_OR_RETURN(given[k],
                     ResizedBuffer(core, arguments[k], p.argument_shapes[k].dimensions()));
  }
  for (const program::DynamicSize& s : p.argument_sizes) {
    const int64_t size = arguments[static_cast<size_t>(s.array)].shape().dimension(s.dimension);
    ASSIGN_OR_RETURN(
        Buffer scalar,
        client.BufferFromLiteral(Literal::R0(static_cast<int32_t>(size)), executable.devices()[0]));
    given.push_back(std::move(scalar));
  }
  std::vector<runtime::DeviceBuffer*> raw;
  for (const Buffer& b : given) {
    if (b.is_empty()) return InvalidArgument("{}: an argument is an empty buffer", p.name);
    raw.push_back(b.impl().get());
  }
  ASSIGN_OR_RETURN(runtime::Executable::Results results,
                   executable.Execute(raw, {donate, options.keep, options.host_transfers}, times));
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
    ASSIGN_OR_RETURN(out[k], ResizedBuffer(core, out[k], real[k]));
  }
  return out;
}

}  // namespace sinter::api
