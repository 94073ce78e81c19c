#include "program/serialize.h"

#include <concepts>
#include <cstring>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/hash.h"
#include "base/status.h"

namespace sinter::program {
namespace {

constexpr std::string_view kMagic = "sinter image\n";
// Nested loops and branches.
constexpr int kMostNested = 1000;

// The fields of each struct, for writing and for reading: `archive` is called with all of them.
template <class S, class T>
concept Is = std::same_as<std::remove_const_t<S>, T>;

template <class A, Is<Allocation> S>
void Fields(A& archive, S& s) {
  archive(s.residence, s.index, s.offset, s.size, s.aliased_argument);
}
template <class A, Is<Slice> S>
void Fields(A& archive, S& s) {
  archive(s.allocation, s.offset, s.size);
}
template <class A, Is<Code> S>
void Fields(A& archive, S& s) {
  archive(s.target, s.object, s.symbols);
}
template <class A, Is<Cost> S>
void Fields(A& archive, S& s) {
  archive(s.bytes_read, s.bytes_written, s.operations, s.wide_operations);
}
template <class A, Is<BufferUse> S>
void Fields(A& archive, S& s) {
  archive(s.share, s.is_written);
}
template <class A, Is<TaskRanges> S>
void Fields(A& archive, S& s) {
  archive(s.buffer, s.is_written, s.bounds);
}
template <class A, Is<Stage> S>
void Fields(A& archive, S& s) {
  archive(s.function, s.tasks, s.nanoseconds, s.threads, s.code, s.uses, s.ranges);
}
template <class A, Is<Launch> S>
void Fields(A& archive, S& s) {
  archive(s.name, s.buffers, s.operands, s.dims, s.stages, s.task_bytes, s.cost);
}
template <class A, Is<Copy> S>
void Fields(A& archive, S& s) {
  archive(s.source, s.destination, s.exchange, s.keeps);
}
template <class A, Is<LibraryCall> S>
void Fields(A& archive, S& s) {
  archive(s.name, s.buffers, s.dims, s.code, s.function, s.vector_bytes, s.cost);
}
template <class A, Is<While> S>
void Fields(A& archive, S& s) {
  archive(s.condition, s.body, s.predicate, s.name, s.turns);
}
template <class A, Is<Conditional> S>
void Fields(A& archive, S& s) {
  archive(s.selector, s.selector_is_predicate, s.branches);
}
template <class A, Is<CustomCall> S>
void Fields(A& archive, S& s) {
  archive(s.target, s.opaque, s.operands, s.results, s.operand_shapes, s.result_shapes,
          s.tuple_result);
}
template <class A, Is<DynamicSize> S>
void Fields(A& archive, S& s) {
  archive(s.array, s.dimension, s.size);
}
template <class A, Is<ParticipantId> S>
void Fields(A& archive, S& s) {
  archive(s.result, s.is_partition);
}
template <class A, Is<collective::Operation> S>
void Fields(A& archive, S& s) {
  archive(s.text, s.agreed);
}
template <class A, Is<Collective::Array> S>
void Fields(A& archive, S& s) {
  archive(s.rows, s.part_bytes);
}
template <class A, Is<Collective> S>
void Fields(A& archive, S& s) {
  archive(s.kind, s.operation, s.channel, s.groups, s.pairs, s.operands, s.results, s.arrays,
          s.has_roots, s.index_type, s.reduction, s.type, s.code, s.function, s.tasks, s.tile_bytes,
          s.ticket, s.cost);
}
template <class A, Is<Await> S>
void Fields(A& archive, S& s) {
  archive(s.ticket);
}
template <class A, Is<collective::Grid> S>
void Fields(A& archive, S& s) {
  archive(s.replicas, s.partitions);
}
template <class A, Is<Program> S>
void Fields(A& archive, S& s) {
  archive(s.name, s.parameters, s.result, s.argument_shapes, s.result_shapes, s.argument_sizes,
          s.result_sizes, s.allocations, s.results, s.constants, s.codes, s.steps, s.temp_bytes,
          s.grid);
}
template <class A, Is<Image> S>
void Fields(A& archive, S& s) {
  archive(s.platform, s.flush_denormals, s.donated, s.devices, s.program);
}

template <class T>
concept Word = std::is_integral_v<T> || std::is_enum_v<T>;

class Writer {
 public:
  template <class... T>
  void operator()(const T&... fields) {
    (Write(fields), ...);
  }
  std::string Take() { return std::move(out_); }

 private:
  template <Word T>
  void Write(T word) {
    const auto wide = static_cast<int64_t>(word);
    out_.append(reinterpret_cast<const char*>(&wide), sizeof wide);
  }
  void Write(double x) { out_.append(reinterpret_cast<const char*>(&x), sizeof x); }
  void Write(const std::string& text) {
    Write(text.size());
    out_ += text;
  }
  void Write(const std::vector<uint8_t>& bytes) {
    Write(bytes.size());
    out_.append(bytes.begin(), bytes.end());
  }
  void Write(const Shape& shape) { Write(shape.ToString()); }
  void Write(const Literal& literal) {
    Write(literal.shape());
    out_.append(static_cast<const char*>(literal.untyped_data()),
                static_cast<size_t>(literal.byte_size()));
  }
  void Write(const Step& step) {
    Write(step.op.index());
    std::visit([&](const auto& op) { Write(op); }, step.op);
  }
  template <class T>
  void Write(const std::vector<T>& list) {
    Write(list.size());
    for (const T& x : list) Write(x);
  }
  template <class T>
  requires(std::is_class_v<T>) void Write(const T& s) { Fields(*this, s); }

  std::string out_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  std::string_view rest() const { return rest_; }
  bool failed() const { return failed_; }

  template <class... T>
  void operator()(T&... fields) {
    (Read(fields), ...);
  }

 private:
  std::string_view Bytes(size_t count) {
    if (count > rest_.size()) {
      failed_ = true;
      rest_ = {};
      return {};
    }
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  template <class T>
  void ReadBytes(T& x) {
    const std::string_view bytes = Bytes(sizeof x);
    if (!failed_) std::memcpy(&x, bytes.data(), sizeof x);
  }
  template <Word T>
  void Read(T& word) {
    int64_t wide = 0;
    ReadBytes(wide);
    word = static_cast<T>(wide);
  }
  void Read(double& x) { ReadBytes(x); }
  void Read(std::string& text) {
    size_t size = 0;
    Read(size);
    text = Bytes(size);
  }
  void Read(std::vector<uint8_t>& out) {
    size_t size = 0;
    Read(size);
    const std::string_view bytes = Bytes(size);
    out.assign(bytes.begin(), bytes.end());
  }
  void Read(Shape& shape) {
    std::string text;
    Read(text);
    absl::StatusOr<Shape> parsed = Shape::Parse(text);
    failed_ |= !parsed.ok();
    if (parsed.ok()) shape = *std::move(parsed);
  }
  void Read(Literal& literal) {
    Shape shape;
    Read(shape);
    // What is not there is not asked memory for.
    failed_ |= !shape.is_array() || shape.byte_size() > static_cast<int64_t>(rest_.size());
    if (failed_) return;
    literal = Literal(shape);
    const std::string_view bytes = Bytes(static_cast<size_t>(literal.byte_size()));
    if (!bytes.empty()) std::memcpy(literal.untyped_data(), bytes.data(), bytes.size());
  }
  void Read(Step& step) {
    size_t index = 0;
    Read(index);
    failed_ |= ++nested_ > kMostNested || !ReadOp<0>(index, step);
    --nested_;
  }
  template <size_t kIndex>
  bool ReadOp(size_t index, Step& step) {
    if constexpr (kIndex < std::variant_size_v<decltype(step.op)>) {
      if (index != kIndex) return ReadOp<kIndex + 1>(index, step);
      Read(step.op.emplace<kIndex>());
      return true;
    }
    return false;
  }
  template <class T>
  void Read(std::vector<T>& list) {
    size_t size = 0;
    Read(size);
    // Whatever it is, an element takes a word at least.
    if (failed_ || size > rest_.size() / sizeof(int64_t)) {
      failed_ = true;
      return;
    }
    list.resize(size);
    for (T& x : list) {
      if (!failed_) Read(x);
    }
  }
  template <class T>
  requires(std::is_class_v<T>) void Read(T& s) { Fields(*this, s); }

  std::string_view rest_;
  bool failed_ = false;
  int nested_ = 0;
};

}  // namespace

// Magic, build, hash of what follows, image.
std::string Serialize(const Image& image, std::string_view build) {
  Writer head, body;
  body(image);
  const std::string bytes = body.Take();
  const Hash128 hash = HashBytes(bytes.data(), bytes.size());
  head(std::string(build), hash.low, hash.high);
  return std::string(kMagic) + head.Take() + bytes;
}

absl::StatusOr<Image> Deserialize(std::string_view bytes, std::string_view build) {
  if (!bytes.starts_with(kMagic)) return InvalidArgument("the bytes are no compiled program");
  Reader reader(bytes.substr(kMagic.size()));
  std::string made_by;
  Hash128 hash;
  reader(made_by, hash.low, hash.high);
  if (reader.failed()) return InvalidArgument("the compiled program is cut off");
  if (made_by != build)
    return Unavailable("the program was compiled by another build of the library");
  if (HashBytes(reader.rest().data(), reader.rest().size()) != hash)
    return InvalidArgument("the compiled program has been changed or cut off");
  Image image;
  reader(image);
  if (reader.failed() || !reader.rest().empty())
    return InvalidArgument("the compiled program contradicts itself");
  return image;
}

}  // namespace sinter::program
