// The work of an exchange in one process: copies, and sums in a fixed order.
#pragma once

#include <vector>

#include "base/thread/fp_environment.h"
#include "program/program.h"
#include "runtime/transport.h"

namespace sinter::runtime::cpu {

// `rows` times `bytes` bytes, `stride` bytes apart.
struct Copy {
  char* to = nullptr;
  const char* from = nullptr;  // null: zeros
  int64_t to_stride = 0, from_stride = 0;
  int64_t rows = 1, bytes = 0;
};

// Rows of bytes of all sources, combined in their order, and written without gaps to every
// destination. A destination may be the source in the same place.
struct Sum {
  struct Source {
    const char* data = nullptr;
    int64_t stride = 0;
  };
  std::vector<Source> sources;
  std::vector<char*> destinations;
  int64_t rows = 1, bytes = 0;
};

inline constexpr int64_t kMostTileBytes = 8192;  // of reducers, as the compiler makes them

class CpuExchangeWork final : public ExchangeWork {
 public:
  // `reducer` is the step's, and takes its tiles. `in_order`: copies write over each other.
  CpuExchangeWork(const program::Collective& step, program::StageFunction reducer, FpMode mode,
                  std::vector<Copy> copies, std::vector<Sum> sums, bool in_order);

  int64_t pieces() const override { return static_cast<int64_t>(pieces_.size()); }
  void Run(int64_t piece) const override;

 private:
  struct Piece {
    size_t first_copy = 0, last_copy = 0, first_part = 0, last_part = 0;
  };
  // Of a sum.
  struct Part {
    size_t sum = 0;
    int64_t row = 0, rows = 1, byte = 0, bytes = 0;
  };
  int64_t BytesOf(const Part& p) const;
  void CutCopies();
  void CutParts();
  void Group();
  void Reduce(const Part& part) const;
  void RunCopy(const Copy& copy) const;
  void Write(char* to, const char* from, int64_t bytes) const;
  void ReduceTile(const Sum& sum, int64_t row, int64_t rows, int64_t byte, int64_t bytes) const;

  const program::Collective& step_;
  const program::StageFunction reducer_;
  const FpMode mode_;
  std::vector<Copy> copies_;
  const std::vector<Sum> sums_;
  std::vector<Part> parts_;
  std::vector<Piece> pieces_;
  // The results are larger than what the last cache holds, and are written past it.
  bool past_caches_ = false;
};

}  // namespace sinter::runtime::cpu
