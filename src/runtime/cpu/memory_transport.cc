#include "runtime/cpu/memory_transport.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/status.h"

namespace sinter::runtime::cpu {
namespace {

using program::Collective;
using Kind = Collective::Kind;

// Exchanges of fewer bytes are one piece; larger ones are cut into pieces of about so many.
constexpr int64_t kOnePiece = int64_t{128} << 10;
constexpr int64_t kPieceBytes = int64_t{256} << 10;
constexpr int64_t kMostTileBytes = 8192;  // as the compiler makes them

// `rows` times `bytes` bytes, `stride` bytes apart.
struct Copy {
  char* to = nullptr;
  const char* from = nullptr;  // null: zeros
  int64_t to_stride = 0, from_stride = 0;
  int64_t rows = 1, bytes = 0;
};

// The group's operands `operand` from `offset` on, rows as above, combined and written without gaps
// from `to` on for one participant (`target`), or for all in the place where they were.
struct Reduction {
  int64_t operand = 0, offset = 0;
  int64_t stride = 0, rows = 1, bytes = 0;
  int64_t target = -1;  // place in the group; -1: all
  int64_t to = 0;
};

int64_t ReadIndex(const void* data, ElementType type, int64_t at) {
  auto read = [&](auto zero) {
    decltype(zero) value;
    std::memcpy(&value, static_cast<const char*>(data) + at * static_cast<int64_t>(sizeof value),
                sizeof value);
    return static_cast<int64_t>(value);
  };
  switch (type) {
    case ElementType::S8:
      return read(int8_t{});
    case ElementType::S16:
      return read(int16_t{});
    case ElementType::S64:
      return read(int64_t{});
    case ElementType::U8:
      return read(uint8_t{});
    case ElementType::U16:
      return read(uint16_t{});
    case ElementType::U32:
      return read(uint32_t{});
    case ElementType::U64:
      return read(int64_t{});
    default:
      return read(int32_t{});
  }
}

class MemoryWork final : public ExchangeWork {
 public:
  MemoryWork(const Exchange& exchange, FpMode mode)
      : step_(*exchange.step),
        reducer_(exchange.reducer),
        pointers_(exchange.pointers),
        mode_(mode) {}

  int64_t pieces() const override { return static_cast<int64_t>(pieces_.size()); }
  void Run(int64_t piece) const override {
    const Piece& p = pieces_[static_cast<size_t>(piece)];
    for (size_t k = p.first_copy; k < p.last_copy; ++k) RunCopy(copies_[k]);
    if (p.first_reduction == p.last_reduction) return;
    ScopedFpEnvironment fp(mode_);
    for (size_t k = p.first_reduction; k < p.last_reduction; ++k) Reduce(reductions_[k]);
  }

  absl::Status Plan(absl::Span<const int64_t> group) {
    size_ = static_cast<int64_t>(pointers_.size());
    if (group.empty()) {
      for (size_t k = 0; k < step_.results.size(); ++k) Zero(0, k);
      return Cut();
    }
    for (size_t k = 0; k < step_.arrays.size(); ++k) {
      const auto [rows, part] = step_.arrays[k];
      switch (step_.kind) {
        case Kind::kAllGather:
          for (int64_t to = 0; to < size_; ++to) {
            for (int64_t from = 0; from < size_; ++from)
              Add({Result(to, k) + from * part, Operand(from, k), part * size_, part, rows, part});
          }
          break;
        case Kind::kAllToAll:
          PlanAllToAll(k, rows, part);
          break;
        case Kind::kAllReduce:
          Add(Reduction{static_cast<int64_t>(k), 0, part, rows, part, -1, 0});
          break;
        case Kind::kReduceScatter:
          for (int64_t to = 0; to < size_; ++to)
            Add(Reduction{static_cast<int64_t>(k), to * part, part * size_, rows, part, to, 0});
          break;
        case Kind::kBroadcast:
        case Kind::kReduce: {
          ASSIGN_OR_RETURN(const int64_t root, Root(k, group));
          for (int64_t to = 0; to < size_; ++to) {
            if (step_.kind == Kind::kBroadcast) {
              Add({Result(to, k), Operand(root, k), 0, 0, 1, part});
            } else if (to == root) {
              Add(Reduction{static_cast<int64_t>(k), 0, part, 1, part, root, 0});
            } else {
              Zero(to, k);
            }
          }
          break;
        }
        case Kind::kPermute:
          for (int64_t to = 0; to < size_; ++to) {
            const int64_t source =
                collective::SourceFor(step_.pairs, group[static_cast<size_t>(to)]);
            if (source < 0) {
              Zero(to, k);
            } else {
              Add({Result(to, k), Operand(collective::IndexIn(group, source), k), 0, 0, 1, part});
            }
          }
          break;
        case Kind::kRaggedAllToAll:
          RETURN_IF_ERROR(PlanRagged(rows, part, group));
          break;
        case Kind::kSend:
        case Kind::kReceive:
          return Internal("{} meets nobody", step_.operation.text);
      }
    }
    return Cut();
  }

 private:
  struct Piece {
    size_t first_copy = 0, last_copy = 0, first_reduction = 0, last_reduction = 0;
  };

  char* Operand(int64_t member, size_t k) const {
    return static_cast<char*>(pointers_[static_cast<size_t>(member)][k]);
  }
  char* Result(int64_t member, size_t k) const {
    return Operand(member, step_.operands.size() + k);
  }
  void Add(const Copy& c) {
    if (c.bytes > 0 && c.rows > 0) copies_.push_back(c);
  }
  void Add(const Reduction& r) {
    if (r.bytes > 0 && r.rows > 0) reductions_.push_back(r);
  }
  void Zero(int64_t member, size_t k) {
    Add({Result(member, k), nullptr, 0, 0, 1, step_.results[k].size});
  }

  void PlanAllToAll(size_t k, int64_t rows, int64_t part) {
    for (int64_t to = 0; to < size_; ++to) {
      if (step_.operands.size() > 1) {  // result k is what member k has for this one
        Add({Result(to, k), Operand(static_cast<int64_t>(k), static_cast<size_t>(to)), 0, 0, 1,
             part});
        continue;
      }
      const bool splits = step_.results[0].size == part * size_ * rows;
      if (!splits) {  // a tuple of one
        Add({Result(to, k), Operand(to, k), 0, 0, 1, part});
        continue;
      }
      for (int64_t from = 0; from < size_; ++from)
        Add({Result(to, k) + from * part, Operand(from, k) + to * part, part * size_, part * size_,
             rows, part});
    }
  }

  absl::StatusOr<int64_t> Root(size_t k, absl::Span<const int64_t> group) const {
    if (!step_.has_roots) return 0;
    int64_t root = -1;
    for (int64_t m = 0; m < size_; ++m) {
      const int64_t stated = ReadIndex(Operand(m, step_.operands.size() - 1), step_.index_type,
                                       static_cast<int64_t>(k));
      if (stated < 0 || stated >= size_) {
        return InvalidArgument("{}: root {} of operand {} is not in a group of {}",
                               step_.operation.text, stated, k, size_);
      }
      if (m == 0) root = stated;
      if (stated != root) {
        return InvalidArgument("{}: participants {} and {} state roots {} and {} for operand {}",
                               step_.operation.text, group[0], group[static_cast<size_t>(m)], root,
                               stated, k);
      }
    }
    return root;
  }

  absl::Status PlanRagged(int64_t result_rows, int64_t part, absl::Span<const int64_t> group) {
    enum : uint8_t { kInput, kOutput, kInputOffsets, kSendSizes, kOutputOffsets, kRecvSizes };
    const int64_t entries = step_.operands[kSendSizes].size / ByteWidth(step_.index_type),
                  each = entries / size_;
    const int64_t input_rows = part == 0 ? 0 : step_.operands[kInput].size / part;
    for (int64_t to = 0; to < size_; ++to)
      Add({Result(to, 0), Operand(to, kOutput), 0, 0, 1, step_.results[0].size});
    first_over_ = copies_.size();
    for (int64_t to = 0; to < size_; ++to) {
      for (int64_t from = 0; from < size_; ++from) {
        for (int64_t at = to * each; at < (to + 1) * each; ++at) {
          const int64_t first = ReadIndex(Operand(from, kInputOffsets), step_.index_type, at),
                        rows = ReadIndex(Operand(from, kSendSizes), step_.index_type, at),
                        place = ReadIndex(Operand(from, kOutputOffsets), step_.index_type, at);
          if (part == 0) continue;
          if (rows < 0 || first < 0 || first > input_rows - rows || place < 0 ||
              place > result_rows - rows) {
            return InvalidArgument(
                "{}: participant {} sends {} rows from {} on of {} to row {} of {} of participant "
                "{}",
                step_.operation.text, group[static_cast<size_t>(from)], rows, first, input_rows,
                place, result_rows, group[static_cast<size_t>(to)]);
          }
          Add({Result(to, 0) + place * part, Operand(from, kInput) + first * part, 0, 0, 1,
               rows * part});
        }
      }
    }
    return absl::OkStatus();
  }

  // Cuts the work into pieces, where there is much. What is written over others stays in their
  // piece.
  absl::Status Cut() {
    int64_t bytes = 0;
    for (const Copy& c : copies_) bytes += c.rows * c.bytes;
    for (const Reduction& r : reductions_) bytes += r.rows * r.bytes * size_;
    if (bytes == 0) return absl::OkStatus();
    if (bytes <= kOnePiece || first_over_ > 0) {
      pieces_.push_back({0, copies_.size(), 0, reductions_.size()});
      return absl::OkStatus();
    }
    std::vector<Copy> copies;
    for (const Copy& c : std::exchange(copies_, {})) {
      const int64_t rows = std::max<int64_t>(1, kPieceBytes / c.bytes);
      for (int64_t r = 0; r < c.rows; r += rows) {
        for (int64_t b = 0; b < c.bytes; b += kPieceBytes) {
          Copy part = c;
          part.rows = std::min(rows, c.rows - r);
          part.bytes = std::min(kPieceBytes, c.bytes - b);
          part.to += r * c.to_stride + b;
          if (part.from != nullptr) part.from += r * c.from_stride + b;
          copies.push_back(part);
        }
      }
    }
    copies_ = std::move(copies);
    const int64_t target = std::max(step_.tile_bytes, kPieceBytes / std::max<int64_t>(1, size_));
    std::vector<Reduction> reductions;
    for (const Reduction& c : std::exchange(reductions_, {})) {
      const int64_t rows = std::max<int64_t>(1, target / c.bytes);
      const int64_t step =
          std::max<int64_t>(1, target / std::max<int64_t>(1, step_.tile_bytes)) * step_.tile_bytes;
      for (int64_t r = 0; r < c.rows; r += rows) {
        for (int64_t b = 0; b < c.bytes; b += step) {
          Reduction part = c;
          part.rows = std::min(rows, c.rows - r);
          part.bytes = std::min(step, c.bytes - b);
          part.offset += r * c.stride + b;
          part.to += r * c.bytes + b;
          reductions.push_back(part);
        }
      }
    }
    reductions_ = std::move(reductions);
    // Small ones together.
    int64_t sum = 0;
    Piece piece;
    auto end = [&] {
      if (sum > 0) pieces_.push_back(piece);
      piece.first_copy = piece.last_copy;
      piece.first_reduction = piece.last_reduction;
      sum = 0;
    };
    for (const Copy& c : copies_) {
      ++piece.last_copy;
      if ((sum += c.rows * c.bytes) >= kPieceBytes) end();
    }
    for (const Reduction& r : reductions_) {
      ++piece.last_reduction;
      if ((sum += r.rows * r.bytes * size_) >= kPieceBytes) end();
    }
    end();
    return absl::OkStatus();
  }

  static void RunCopy(const Copy& c) {
    for (int64_t r = 0; r < c.rows; ++r) {
      char* to = c.to + r * c.to_stride;
      if (c.from == nullptr) {
        std::memset(to, 0, static_cast<size_t>(c.bytes));
      } else {
        std::memmove(to, c.from + r * c.from_stride, static_cast<size_t>(c.bytes));
      }
    }
  }

  // Tile by tile: of contiguous bytes, or of as many rows as fill one.
  void Reduce(const Reduction& r) const {
    const int64_t tile = step_.tile_bytes;
    if (r.bytes >= tile || r.rows == 1) {
      for (int64_t row = 0; row < r.rows; ++row) {
        for (int64_t b = 0; b < r.bytes; b += tile) {
          ReduceTile(r, r.offset + row * r.stride + b, 1, std::min(tile, r.bytes - b),
                     r.to + row * r.bytes + b);
        }
      }
      return;
    }
    const int64_t rows = tile / r.bytes;
    for (int64_t row = 0; row < r.rows; row += rows) {
      ReduceTile(r, r.offset + row * r.stride, std::min(rows, r.rows - row), r.bytes,
                 r.to + row * r.bytes);
    }
  }

  void ReduceTile(const Reduction& r, int64_t offset, int64_t rows, int64_t bytes,
                  int64_t to) const {
    alignas(64) char sums[2][kMostTileBytes];
    alignas(64) char parts[2][kMostTileBytes];
    const auto k = static_cast<size_t>(r.operand);
    const int64_t all = rows * bytes;
    const bool whole = rows == 1 && bytes == step_.tile_bytes;
    // The kernel takes a whole tile: others are completed, by zeros.
    auto tile_of = [&](int64_t member, char* part) -> char* {
      char* from = Operand(member, k) + offset;
      if (whole) return from;
      for (int64_t row = 0; row < rows; ++row)
        std::memcpy(part + row * bytes, from + row * r.stride, static_cast<size_t>(bytes));
      std::memset(part + all, 0, static_cast<size_t>(step_.tile_bytes - all));
      return part;
    };
    char* sum = tile_of(0, parts[0]);
    for (int64_t m = 1; m < size_; ++m) {
      void* buffers[] = {sum, tile_of(m, parts[1]), sums[m % 2]};
      reducer_(buffers, nullptr, 0, step_.tasks, nullptr);
      sum = sums[m % 2];
    }
    for (int64_t m = 0; m < size_; ++m) {
      if (r.target < 0 || r.target == m)
        std::memmove(Result(m, k) + to, sum, static_cast<size_t>(all));
    }
  }

  const Collective& step_;
  const program::StageFunction reducer_;
  const std::vector<void* const*> pointers_;
  const FpMode mode_;
  int64_t size_ = 0;
  size_t first_over_ = 0;  // copies from there on write over what those before have written
  std::vector<Copy> copies_;
  std::vector<Reduction> reductions_;
  std::vector<Piece> pieces_;
};

class MemoryTransport final : public Transport {
 public:
  explicit MemoryTransport(FpMode mode) : mode_(mode) {}
  absl::StatusOr<std::unique_ptr<ExchangeWork>> Begin(const Exchange& exchange) override {
    RETURN_INTERNAL_IF(exchange.step->tile_bytes > kMostTileBytes, "{}: tiles of {} bytes",
                       exchange.step->operation.text, exchange.step->tile_bytes);
    auto work = std::make_unique<MemoryWork>(exchange, mode_);
    RETURN_IF_ERROR(work->Plan(exchange.group));
    return work;
  }

 private:
  const FpMode mode_;
};

}  // namespace

std::shared_ptr<Transport> MakeMemoryTransport(FpMode mode) {
  return std::make_shared<MemoryTransport>(mode);
}

}  // namespace sinter::runtime::cpu
