#include "runtime/cpu/exchange_work.h"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/cpu/caches.h"
#include "target/target.h"
#include "target/tuning.h"

namespace sinter::runtime::cpu {
namespace {

// Exchanges of fewer bytes are one piece; larger ones are cut into pieces of about so many.
constexpr int64_t kOnePiece = int64_t{128} << 10;
constexpr int64_t kPieceBytes = int64_t{256} << 10;

// Of all results.
int64_t StreamedBytes() {
  static const int64_t bytes = [] {
    const int64_t l3 = CachesOfHost().l3_bytes;
    return tuning::StreamedBytes(l3 > 0 ? l3 : CpuMachine().l3_bytes);
  }();
  return bytes;
}

#if defined(__x86_64__)
// Copies lines of 64 bytes past the caches: nothing reads the memory that they are written to. The
// ranges do not overlap.
void CopyPastCaches(char* to, const char* from, int64_t bytes) {
  constexpr int64_t kLine = 64;
  const auto odd = static_cast<int64_t>(reinterpret_cast<uintptr_t>(to) % kLine);
  const int64_t head = std::min(bytes, odd == 0 ? 0 : kLine - odd);
  std::memcpy(to, from, static_cast<size_t>(head));
  int64_t at = head;
  for (; at + kLine <= bytes; at += kLine) {
    for (int64_t k = at; k < at + kLine; k += 16) {
      const __m128i part = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + k));
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + k), part);
    }
  }
  std::memcpy(to + at, from + at, static_cast<size_t>(bytes - at));
}
#endif

}  // namespace

void CpuExchangeWork::Write(char* to, const char* from, int64_t bytes) const {
#if defined(__x86_64__)
  if (past_caches_ && (to + bytes <= from || from + bytes <= to))
    return CopyPastCaches(to, from, bytes);
#endif
  std::memmove(to, from, static_cast<size_t>(bytes));
}

void CpuExchangeWork::RunCopy(const Copy& c) const {
  for (int64_t r = 0; r < c.rows; ++r) {
    char* to = c.to + r * c.to_stride;
    if (c.from == nullptr) {
      std::memset(to, 0, static_cast<size_t>(c.bytes));
    } else {
      Write(to, c.from + r * c.from_stride, c.bytes);
    }
  }
}

CpuExchangeWork::CpuExchangeWork(const program::Collective& step, program::StageFunction reducer,
                                 FpMode mode, std::vector<Copy> copies, std::vector<Sum> sums,
                                 bool in_order)
    : step_(step),
      reducer_(reducer),
      mode_(mode),
      copies_(std::move(copies)),
      sums_(std::move(sums)) {
  int64_t bytes = 0;
  for (const Copy& c : copies_) bytes += c.rows * c.bytes;
  for (size_t k = 0; k < sums_.size(); ++k) {
    parts_.push_back({k, 0, sums_[k].rows, 0, sums_[k].bytes});
    bytes += BytesOf(parts_.back());
  }
  if (bytes == 0) return;
  int64_t written = 0;
  for (const Copy& c : copies_) written += c.rows * c.bytes;
  for (const Sum& s : sums_)
    written += s.rows * s.bytes * static_cast<int64_t>(s.destinations.size());
  past_caches_ = written > StreamedBytes();
  if (bytes <= kOnePiece || in_order) {
    pieces_.push_back({0, copies_.size(), 0, parts_.size()});
    return;
  }
  CutCopies();
  CutParts();
  Group();
}

int64_t CpuExchangeWork::BytesOf(const Part& p) const {
  return p.rows * p.bytes * static_cast<int64_t>(sums_[p.sum].sources.size());
}

void CpuExchangeWork::CutCopies() {
  for (const Copy& c : std::exchange(copies_, {})) {
    const int64_t rows = std::max<int64_t>(1, kPieceBytes / c.bytes);
    for (int64_t r = 0; r < c.rows; r += rows) {
      for (int64_t b = 0; b < c.bytes; b += kPieceBytes) {
        Copy part = c;
        part.rows = std::min(rows, c.rows - r);
        part.bytes = std::min(kPieceBytes, c.bytes - b);
        part.to += r * c.to_stride + b;
        if (part.from != nullptr) part.from += r * c.from_stride + b;
        copies_.push_back(part);
      }
    }
  }
}

void CpuExchangeWork::CutParts() {
  for (const Part& p : std::exchange(parts_, {})) {
    const auto sources = static_cast<int64_t>(sums_[p.sum].sources.size());
    const int64_t tile = std::max<int64_t>(1, step_.tile_bytes);
    const int64_t target = std::max(tile, kPieceBytes / sources);
    const int64_t rows = std::max<int64_t>(1, target / p.bytes), step = target / tile * tile;
    for (int64_t r = 0; r < p.rows; r += rows) {
      for (int64_t b = 0; b < p.bytes; b += step)
        parts_.push_back({p.sum, r, std::min(rows, p.rows - r), b, std::min(step, p.bytes - b)});
    }
  }
}

// Small ones together.
void CpuExchangeWork::Group() {
  int64_t sum = 0;
  Piece piece;
  auto end = [&] {
    if (sum > 0) pieces_.push_back(piece);
    piece.first_copy = piece.last_copy;
    piece.first_part = piece.last_part;
    sum = 0;
  };
  for (const Copy& c : copies_) {
    ++piece.last_copy;
    if ((sum += c.rows * c.bytes) >= kPieceBytes) end();
  }
  for (const Part& p : parts_) {
    ++piece.last_part;
    if ((sum += BytesOf(p)) >= kPieceBytes) end();
  }
  end();
}

void CpuExchangeWork::Run(int64_t piece) const {
  const Piece& p = pieces_[static_cast<size_t>(piece)];
  for (size_t k = p.first_copy; k < p.last_copy; ++k) RunCopy(copies_[k]);
  if (p.first_part < p.last_part) {
    ScopedFpEnvironment fp(mode_);
    for (size_t k = p.first_part; k < p.last_part; ++k) Reduce(parts_[k]);
  }
#if defined(__x86_64__)
  // Before anybody hears that the piece is done.
  if (past_caches_) _mm_sfence();
#endif
}

// Tile by tile: of contiguous bytes, or of as many rows as fill one.
void CpuExchangeWork::Reduce(const Part& p) const {
  const Sum& sum = sums_[p.sum];
  const int64_t tile = step_.tile_bytes;
  const int64_t rows = p.bytes >= tile ? 1 : tile / p.bytes;
  for (int64_t row = 0; row < p.rows; row += rows) {
    for (int64_t b = 0; b < p.bytes; b += tile) {
      ReduceTile(sum, p.row + row, std::min(rows, p.rows - row), p.byte + b,
                 std::min(tile, p.bytes - b));
    }
  }
}

void CpuExchangeWork::ReduceTile(const Sum& s, int64_t row, int64_t rows, int64_t byte,
                                 int64_t bytes) const {
  alignas(64) char sums[2][kMostTileBytes];
  alignas(64) char parts[2][kMostTileBytes];
  const int64_t all = rows * bytes;
  const bool whole = rows == 1 && bytes == step_.tile_bytes;
  // The kernel takes a whole tile: others are completed, by zeros.
  auto tile_of = [&](const Sum::Source& source, char* part) -> void* {
    const char* from = source.data + row * source.stride + byte;
    if (whole) return const_cast<char*>(from);
    for (int64_t r = 0; r < rows; ++r)
      std::memcpy(part + r * bytes, from + r * source.stride, static_cast<size_t>(bytes));
    std::memset(part + all, 0, static_cast<size_t>(step_.tile_bytes - all));
    return part;
  };
  void* sum = tile_of(s.sources[0], parts[0]);
  for (size_t m = 1; m < s.sources.size(); ++m) {
    void* buffers[] = {sum, tile_of(s.sources[m], parts[1]), sums[m % 2]};
    reducer_(buffers, nullptr, 0, step_.tasks, nullptr);
    sum = sums[m % 2];
  }
  for (size_t d = 0; d < s.destinations.size(); ++d) {
    char* to = s.destinations[d] + row * s.bytes + byte;
    // Memory that has been read is in the cache.
    const bool read =
        s.destinations.size() == s.sources.size() && s.destinations[d] == s.sources[d].data;
    if (read) {
      std::memmove(to, sum, static_cast<size_t>(all));
    } else {
      Write(to, static_cast<const char*>(sum), all);
    }
  }
}

}  // namespace sinter::runtime::cpu
