#include "codegen/kernel/interpret.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "base/status.h"
#include "codegen/kernel/scalar.h"
#include "codegen/kernel/text.h"
#include "codegen/kernel/tile.h"
#include "codegen/kernel/verify.h"

namespace sinter::kernel {
namespace {

constexpr uint8_t kGarbage = 0xcd;  // in memory that nobody has written

// A buffer as the kernel sees it.
struct Memory {
  std::byte* base = nullptr;
  std::vector<int64_t> shape, strides;
};

size_t BytesOf(const Type& t) {
  return static_cast<size_t>(t.rows) * static_cast<size_t>(t.cols) *
         static_cast<size_t>(ByteWidth(t.elem));
}

// Copies of several tiles at once, so that carries may be permuted.
class TileCopies {
 public:
  void Add(const Tile& from) {
    size_t bytes = from.size() * static_cast<size_t>(ByteWidth(from.elem));
    bytes_.insert(bytes_.end(), from.data, from.data + bytes);
  }
  void Take(const Tile& to) {
    size_t bytes = to.size() * static_cast<size_t>(ByteWidth(to.elem));
    std::memcpy(to.data, bytes_.data() + taken_, bytes);
    taken_ += bytes;
  }
  void Clear() {
    bytes_.clear();
    taken_ = 0;
  }

 private:
  std::vector<std::byte> bytes_;
  size_t taken_ = 0;
};

class Machine {
 public:
  Machine(const Kernel& kernel, Observer* observer)
      : k_(kernel), observer_(observer), tiles_(kernel.types.size()) {
    constexpr size_t kAlign = 64;
    std::vector<size_t> offsets;
    size_t size = 0;
    for (const Type& t : k_.types) {
      offsets.push_back(size);
      size += (BytesOf(t) + kAlign - 1) / kAlign * kAlign;
    }
    values_.resize(size);
    for (size_t v = 0; v < k_.types.size(); ++v) {
      const Type& t = k_.types[v];
      tiles_[v] = {values_.data() + offsets[v], t.elem, t.rows, t.cols};
    }
  }

  absl::Status Run(absl::Span<void* const> buffers, absl::Span<const int64_t> params) {
    RETURN_INTERNAL_IF(params.size() != k_.params.size(), "kernel {} has {} parameters, not {}",
                       k_.name, k_.params.size(), params.size());
    for (size_t i = 0; i < params.size(); ++i) {
      const Param& p = k_.params[i];
      RETURN_INTERNAL_IF(params[i] < p.lo || params[i] > p.hi || params[i] % p.multiple != 0,
                         "parameter {} is {}, not a multiple of {} in {}..{}", p.name, params[i],
                         p.multiple, p.lo, p.hi);
      SetInt(p.value, params[i]);
    }
    bool bound = false;
    for (const Op& op : k_.top.ops) {
      // The index arithmetic before this says how large buffers are.
      if ((op.buffer >= 0 || !op.regions.empty()) && !std::exchange(bound, true))
        RETURN_IF_ERROR(Bind(buffers));
      RETURN_IF_ERROR(IsStage(op) ? For(op, /*stage=*/true) : Execute(op));
    }
    return absl::OkStatus();
  }

 private:
  Tile& At(Value v) { return tiles_[static_cast<size_t>(v)]; }
  int64_t Int(Value v) { return *At(v).as<int64_t>(); }
  void SetInt(Value v, int64_t x) { *At(v).as<int64_t>() = x; }
  absl::Status Error(const Op& op, std::string_view message) const {
    return Internal("kernel {}: {}: {}", k_.name, Print(k_, op), message);
  }

  absl::Status Bind(absl::Span<void* const> buffers) {
    size_t next = 0;
    task_.resize(k_.buffers.size());
    for (size_t i = 0; i < k_.buffers.size(); ++i) {
      const Buffer& b = k_.buffers[i];
      Memory m;
      int64_t elements = 1;
      for (size_t d = 0; d < b.shape.size(); ++d) {
        m.shape.push_back(Int(b.shape[d]));
        m.strides.push_back(Int(b.strides[d]));
        elements += std::max<int64_t>(m.shape[d] - 1, 0) * m.strides[d];
      }
      if (b.space == Space::kTask) {
        task_[i].resize(static_cast<size_t>(elements * ByteWidth(b.elem)));
        m.base = task_[i].data();
      } else if (b.space == Space::kConstant) {
        // Verify has seen that nothing writes it.
        m.base = reinterpret_cast<std::byte*>(const_cast<uint8_t*>(b.data.data()));
      } else {
        RETURN_INTERNAL_IF(next == buffers.size(), "kernel {} has more buffers than the {} given",
                           k_.name, next);
        m.base = static_cast<std::byte*>(buffers[next++]);
      }
      memories_.push_back(std::move(m));
    }
    RETURN_INTERNAL_IF(next != buffers.size(), "kernel {} has {} buffers, not {}", k_.name, next,
                       buffers.size());
    return absl::OkStatus();
  }

  absl::Status Execute(const Block& block) {
    for (const Op& op : block.ops) RETURN_IF_ERROR(Execute(op));
    return absl::OkStatus();
  }
  absl::Status Execute(const Op& op) {
    switch (op.code) {
      case OpCode::kLoad:
        return Access(op, 0, At(op.results[0]));
      case OpCode::kStore:
        return Access(op, 1, At(op.operands[0]));
      case OpCode::kReduce:
        return Reduce(op);
      case OpCode::kFor:
        return For(op, /*stage=*/false);
      case OpCode::kWhile:
        return While(op);
      case OpCode::kIf:
        return If(op);
      case OpCode::kSync:  // one after another, nothing waits
        if (observer_ != nullptr) observer_->Sync();
        return absl::OkStatus();
      case OpCode::kCommit:
        ++groups_;
        return absl::OkStatus();
      case OpCode::kWait:
        CompleteStores(groups_ - op.int_value);
        if (observer_ != nullptr) observer_->Sync();
        return absl::OkStatus();
      default:
        Compute(op);
        return absl::OkStatus();
    }
  }

  // --- tiles

  void Compute(const Op& op) {
    const Tile& out = At(op.results[0]);
    if (IsPointwise(op.code)) {
      Tile in[3];
      for (size_t i = 0; i < op.operands.size(); ++i) in[i] = At(op.operands[i]);
      return EvaluatePointwise(op, out, in);
    }
    switch (op.code) {
      case OpCode::kConst:
        return Const(op, out);
      case OpCode::kIota:
        return Iota(op, out);
      case OpCode::kSplat:
      case OpCode::kRelayout:  // a layout changes no element
        return CopyTile(out, At(op.operands[0]));
      case OpCode::kMask:
        return Mask(op, out);
      case OpCode::kDot:
        return Dot(op, out);
      case OpCode::kTranspose:
        return Permute(out, At(op.operands[0]), [&](int r, int c) { return c * out.rows + r; });
      case OpCode::kInterleave:
        return Interleave(out, At(op.operands[0]), At(op.operands[1]));
      case OpCode::kPack:  // rows are contiguous, and the first of a word is its lowest part
        std::memcpy(out.data, At(op.operands[0]).data, out.size() * sizeof(uint32_t));
        return;
      case OpCode::kDeinterleave:
        for (int odd = 0; odd < 2; ++odd) {
          Permute(At(op.results[static_cast<size_t>(odd)]), At(op.operands[0]),
                  [&](int r, int c) { return (r * out.cols + c) * 2 + odd; });
        }
        return;
      default:
        return;
    }
  }
  void Const(const Op& op, const Tile& out) {
    double number = op.float_value;
    int64_t integer = op.int_value;
    Tile from{reinterpret_cast<std::byte*>(&number), ElementType::F64};
    if (!IsFloat(out.elem)) from = {reinterpret_cast<std::byte*>(&integer), ElementType::S64};
    EvaluateConvert(out, from);
  }
  void Iota(const Op& op, const Tile& out) {
    WithNumber(out.elem, [&]<class T>(std::type_identity<T>) {
      T* to = out.as<T>();
      for (int r = 0; r < out.rows; ++r) {
        for (int c = 0; c < out.cols; ++c) *to++ = static_cast<T>(op.axis == Axis::kRows ? r : c);
      }
    });
  }
  void Mask(const Op& op, const Tile& out) {
    const int64_t base = Int(op.operands[0]), limit = Int(op.operands[1]);
    uint8_t* to = out.as<uint8_t>();
    for (int r = 0; r < out.rows; ++r) {
      for (int c = 0; c < out.cols; ++c) *to++ = base + (op.axis == Axis::kRows ? r : c) < limit;
    }
  }
  // Sums run along the contracted axis from its first element on.
  void Dot(const Op& op, const Tile& out) {
    const Tile &a = At(op.operands[0]), &b = At(op.operands[1]), &sum = At(op.operands[2]);
    auto multiply = [&]<class T, class Sum>(Sum, auto&& value) {
      for (int r = 0; r < out.rows; ++r) {
        for (int c = 0; c < out.cols; ++c) {
          const ptrdiff_t at = static_cast<ptrdiff_t>(r) * out.cols + c;
          Sum total = sum.as<Sum>()[at];
          for (int k = 0; k < a.cols; ++k) {
            total += value(a.as<T>()[static_cast<ptrdiff_t>(r) * a.cols + k]) *
                     value(b.as<T>()[static_cast<ptrdiff_t>(k) * b.cols + c]);
          }
          out.as<Sum>()[at] = total;
        }
      }
    };
    auto of_words = [&]<class A, class B, class Sum>(A, B, Sum) {
      for (int r = 0; r < out.rows; ++r) {
        for (int c = 0; c < out.cols; ++c) {
          const ptrdiff_t at = static_cast<ptrdiff_t>(r) * out.cols + c;
          out.as<Sum>()[at] =
              DotOfWords(a.as<A>() + static_cast<ptrdiff_t>(r) * a.cols, b.as<B>() + c,
                         ptrdiff_t{b.cols}, a.cols, sum.as<Sum>()[at]);
        }
      }
    };
    auto wide = [](auto x) { return static_cast<float>(x); };
    if (IsWord(a.elem) && out.elem == ElementType::F32)
      return of_words(uint32_t{}, uint32_t{}, float{});
    if (IsWord(a.elem)) {
      auto with = [&](auto x) {
        return b.elem == ElementType::S32 ? of_words(x, int32_t{}, int32_t{})
                                          : of_words(x, uint32_t{}, int32_t{});
      };
      return a.elem == ElementType::S32 ? with(int32_t{}) : with(uint32_t{});
    }
    switch (a.elem) {
      case ElementType::F16:
        return multiply.template operator()<half>(0.0F, wide);
      case ElementType::BF16:
        return multiply.template operator()<bfloat16>(0.0F, wide);
      case ElementType::F32:
        return multiply.template operator()<float>(0.0F, RoundToTf32);
      default:
        return multiply.template operator()<int8_t>(
            uint32_t{0}, [](int8_t x) { return static_cast<uint32_t>(static_cast<int32_t>(x)); });
    }
  }
  // To nearest, ties away from zero, as cvt.rna.tf32.
  static float RoundToTf32(float x) {
    if (x != x) return x;
    return std::bit_cast<float>((std::bit_cast<uint32_t>(x) + 0x1000U) & 0xffffe000U);
  }
  template <class Source>
  void Permute(const Tile& out, const Tile& in, Source source) {
    WithBits(out.elem, [&]<class T>(std::type_identity<T>) {
      T* to = out.as<T>();
      for (int r = 0; r < out.rows; ++r) {
        for (int c = 0; c < out.cols; ++c) *to++ = in.as<T>()[source(r, c)];
      }
    });
  }
  void Interleave(const Tile& out, const Tile& a, const Tile& b) {
    WithBits(out.elem, [&]<class T>(std::type_identity<T>) {
      for (size_t i = 0; i < a.size(); ++i) {
        out.as<T>()[2 * i] = a.as<T>()[i];
        out.as<T>()[2 * i + 1] = b.as<T>()[i];
      }
    });
  }

  // All pairs of a level at once: the working arrays hold the reduced axis outermost, so that the
  // elements i + h follow the elements i, and the combiner runs on tiles of one row.
  absl::Status Reduce(const Op& op) {
    const Block& block = op.regions[0];
    const size_t n = op.operands.size();
    const Tile first = At(op.operands[0]);
    const bool rows = op.axis == Axis::kRows;
    const int extent = rows ? first.rows : first.cols,
              other_extent = rows ? first.cols : first.rows;
    std::vector<std::vector<std::byte>> work(n), results(n);
    auto part = [&](size_t i, int from, int count) {
      ElementType elem = At(op.operands[i]).elem;
      std::byte* data =
          work[i].data() + static_cast<ptrdiff_t>(from) * other_extent * ByteWidth(elem);
      return Tile{data, elem, 1, count * other_extent};
    };
    for (size_t i = 0; i < n; ++i) {
      const Tile& in = At(op.operands[i]);
      work[i].resize(in.size() * static_cast<size_t>(ByteWidth(in.elem)));
      results[i].resize(work[i].size());
      Tile transposed = part(i, 0, extent);
      transposed.rows = extent;
      transposed.cols = other_extent;
      Permute(transposed, in,
              [&](int r, int c) { return rows ? r * other_extent + c : c * extent + r; });
    }
    std::vector<std::pair<Value, Tile>> saved;
    std::vector<std::vector<std::byte>> locals;
    auto rebind = [&](Value v, Tile tile) {
      saved.push_back({v, At(v)});
      At(v) = tile;
    };
    for (int left = extent; left > 1;) {
      const int half = static_cast<int>(std::bit_ceil(static_cast<unsigned>(left)) / 2),
                pairs = left - half;
      for (size_t i = 0; i < n; ++i) {
        rebind(block.args[i], part(i, 0, pairs));
        rebind(block.args[n + i], part(i, half, pairs));
      }
      for (const Op& inner : block.ops) {
        Tile tile = At(inner.results[0]);
        tile.cols = pairs * other_extent;
        locals.emplace_back(tile.size() * sizeof(int64_t));
        tile.data = locals.back().data();
        rebind(inner.results[0], tile);
        Compute(inner);
      }
      for (size_t i = 0; i < n; ++i) {
        Tile to = part(i, 0, pairs);
        to.data = results[i].data();
        CopyTile(to, At(block.yield[i]));
      }
      for (size_t i = 0; i < n; ++i) {
        const Tile to = part(i, 0, pairs);
        std::memcpy(to.data, results[i].data(),
                    to.size() * static_cast<size_t>(ByteWidth(to.elem)));
      }
      for (auto it = saved.rbegin(); it != saved.rend(); ++it) At(it->first) = it->second;
      saved.clear();
      locals.clear();
      left = half;
    }
    for (size_t i = 0; i < n; ++i) {
      const Tile& out = At(op.results[i]);
      std::memcpy(out.data, work[i].data(), out.size() * static_cast<size_t>(ByteWidth(out.elem)));
    }
    return absl::OkStatus();
  }

  // --- memory

  // The index of dimension d of the element (r, c); `base` as of a scalar.
  int64_t IndexAt(const Op& op, size_t from, size_t d, int r, int c) {
    const Tile& base = At(op.operands[from + d]);
    const ptrdiff_t at =
        static_cast<ptrdiff_t>(base.rows == 1 ? 0 : r) * base.cols + (base.cols == 1 ? 0 : c);
    const int64_t start =
        base.elem == ElementType::S32 ? base.as<int32_t>()[at] : base.as<int64_t>()[at];
    return start + static_cast<int64_t>(op.steps[d].rows) * r +
           static_cast<int64_t>(op.steps[d].cols) * c;
  }
  // Whether no element of the tile, masked off or not, leaves the buffer. Not known of gathers.
  bool AllInside(const Op& op, size_t from, const Memory& m, const Tile& tile) {
    for (size_t d = 0; d < m.shape.size(); ++d) {
      if (At(op.operands[from + d]).size() > 1) return false;
      for (int r : {0, tile.rows - 1}) {
        for (int c : {0, tile.cols - 1}) {
          const int64_t i = IndexAt(op, from, d, r, c);
          if (i < 0 || i >= m.shape[d]) return false;
        }
      }
    }
    return true;
  }
  // Stores of the groups before `group` reach memory.
  void CompleteStores(int64_t group) {
    std::erase_if(in_flight_, [&](const PendingStore& store) {
      if (store.group >= group) return false;
      std::memcpy(store.to, store.value.data(), store.bytes);
      return true;
    });
  }
  // Loads to or stores from `tile`; `from` is the first index operand.
  absl::Status Access(const Op& op, size_t from, const Tile& tile) {
    const Memory& m = memories_[static_cast<size_t>(op.buffer)];
    const size_t rank = m.shape.size();
    const bool load = op.code == OpCode::kLoad, inside = AllInside(op, from, m, tile);
    const Tile* mask = op.masked ? &At(op.operands[from + rank]) : nullptr;
    const Tile* otherwise = op.masked && load ? &At(op.operands[from + rank + 1]) : nullptr;
    int64_t start = 0, row_step = 0, col_step = 0;
    if (inside) {
      for (size_t d = 0; d < rank; ++d) {
        start += IndexAt(op, from, d, 0, 0) * m.strides[d];
        row_step += op.steps[d].rows * m.strides[d];
        col_step += op.steps[d].cols * m.strides[d];
      }
    }
    absl::Status status;
    auto pick = [](const Tile& t, int r, int c) {
      return static_cast<ptrdiff_t>(t.rows == 1 ? 0 : r) * t.cols + (t.cols == 1 ? 0 : c);
    };
    auto move = [&]<class T>(std::type_identity<T>) {
      T* memory = reinterpret_cast<T*>(m.base);
      T* values = tile.as<T>();
      const bool pred = load && tile.elem == ElementType::PRED;
      for (int r = 0; r < tile.rows; ++r) {
        for (int c = 0; c < tile.cols; ++c, ++values) {
          if (mask != nullptr && mask->as<uint8_t>()[pick(*mask, r, c)] == 0) {
            if (load) *values = otherwise->as<T>()[pick(*otherwise, r, c)];
            continue;
          }
          int64_t at = start + row_step * r + col_step * c;
          if (!inside) {
            at = 0;
            for (size_t d = 0; d < rank; ++d) {
              const int64_t i = IndexAt(op, from, d, r, c);
              if (i < 0 || i >= m.shape[d]) {
                status = Error(
                    op, Format("row {}, column {}: index {} is {} of {}", r, c, d, i, m.shape[d]));
                return;
              }
              at += i * m.strides[d];
            }
          }
          if (observer_ != nullptr) observer_->Touch(op, r, c, at);
          if (op.async) {
            PendingStore store{groups_, reinterpret_cast<std::byte*>(memory + at), {}, sizeof(T)};
            std::memcpy(store.value.data(), values, sizeof(T));
            in_flight_.push_back(store);
            std::memset(store.to, kGarbage, sizeof(T));
          } else if (!load) {
            memory[at] = *values;
          } else {
            *values = pred ? static_cast<T>(memory[at] != 0) : memory[at];
          }
        }
      }
    };
    WithBits(tile.elem, move);
    return status;
  }

  // --- control flow

  // Copies the tiles of `from` to those of `to`, from index `first` of each on; all are read before
  // any is written.
  void Move(const Values& from, size_t first_from, const Values& to, size_t first_to) {
    if (to.size() == first_to) return;
    TileCopies& copies = copies_;
    copies.Clear();
    for (size_t i = first_from; i < from.size(); ++i) copies.Add(At(from[i]));
    for (size_t i = first_to; i < to.size(); ++i) copies.Take(At(to[i]));
  }
  absl::Status For(const Op& op, bool stage) {
    const Block& body = op.regions[0];
    const int64_t lo = Int(op.operands[0]), hi = Int(op.operands[1]), step = op.int_value;
    if (op.tail == Tail::kExact && hi > lo && (hi - lo) % step != 0) {
      return Error(op, Format("the step does not divide {}..{}", lo, hi));
    }
    Move(op.operands, 2, body.args, 1);
    for (int64_t i = lo; i < hi; i += step) {
      if (stage) {
        for (std::vector<std::byte>& memory : task_)
          std::fill(memory.begin(), memory.end(), std::byte{kGarbage});
        in_flight_.clear();
        if (observer_ != nullptr) observer_->BeginTask();
      }
      SetInt(body.args[0], i);
      RETURN_IF_ERROR(Execute(body));
      Move(body.yield, 0, body.args, 1);
    }
    Move(body.args, 1, op.results, 0);
    return absl::OkStatus();
  }
  absl::Status While(const Op& op) {
    const Block &test = op.regions[0], &body = op.regions[1];
    Move(op.operands, 0, body.args, 0);
    for (;;) {
      Move(body.args, 0, test.args, 0);
      RETURN_IF_ERROR(Execute(test));
      if (*At(test.yield[0]).as<uint8_t>() == 0) break;
      RETURN_IF_ERROR(Execute(body));
      Move(body.yield, 0, body.args, 0);
    }
    Move(body.args, 0, op.results, 0);
    return absl::OkStatus();
  }
  absl::Status If(const Op& op) {
    const Block& region = op.regions[*At(op.operands[0]).as<uint8_t>() != 0 ? 0 : 1];
    RETURN_IF_ERROR(Execute(region));
    Move(region.yield, 0, op.results, 0);
    return absl::OkStatus();
  }

  const Kernel& k_;
  Observer* observer_;
  std::vector<std::byte> values_;
  std::vector<Tile> tiles_;  // of each value
  std::vector<Memory> memories_;
  std::vector<std::vector<std::byte>> task_;  // the task buffers' memory
  TileCopies copies_;
  // Asynchronous stores of the task, which readers must not see before a `wait` for their group.
  struct PendingStore {
    int64_t group;
    std::byte* to;
    std::array<std::byte, 8> value;
    size_t bytes;
  };
  std::vector<PendingStore> in_flight_;
  int64_t groups_ = 0;  // committed
};

}  // namespace

absl::Status Interpret(const Kernel& kernel, absl::Span<void* const> buffers,
                       absl::Span<const int64_t> params, Observer* observer) {
  RETURN_IF_ERROR(Verify(kernel, {.bounds = false}));
  return Machine(kernel, observer).Run(buffers, params);
}

}  // namespace sinter::kernel
