#include "program/fft_layout.h"

#include <algorithm>
#include <cstddef>

namespace sinter::program {
namespace {

constexpr int64_t kBlock = kFftBlockBytes;
// Bytes of lines whose passes' blocks fit in the first cache, and elements of whole lines' in the
// second.
constexpr int64_t kShortBytes = int64_t{16} << 10, kCached = 4096;
// Lines that are still transformed side by side where they are columns.
constexpr int64_t kLongestColumn = 16384;

int64_t LargestPrime(int64_t n) {
  int64_t largest = 1;
  for (int64_t p = 2; p * p <= n; ++p) {
    while (n % p == 0) n /= p, largest = p;
  }
  return std::max(largest, n);
}

int64_t Short(int64_t vector_bytes) { return kShortBytes / (2 * vector_bytes); }

bool HasPasses(int64_t n) { return LargestPrime(n) <= kMostFftRadix; }

// The least length of a cheap transform that holds a chirp's convolution without overlap.
int64_t ChirpLength(int64_t n) {
  int64_t best = 0;
  for (int64_t odd : {1, 3, 5, 7, 9, 15}) {
    int64_t length = odd;
    while (length < 2 * n - 1) length *= 2;
    if (best == 0 || length < best) best = length;
  }
  return best;
}

}  // namespace

FftLineLayout::FftLineLayout(int64_t length, int64_t vector) : n(length), vector_bytes(vector) {
  if (!HasPasses(n)) {
    Convolve();
    const int64_t prime = LargestPrime(n), rest = n / prime;
    if (rest == 1 || !HasPasses(rest)) return;
    const FftLineLayout factor(prime, vector_bytes);
    if (factor.Work() + 1 >= Work()) return;
    cyclic = chirp = 0;
    first = prime, second = rest;
    return;
  }
  first = n;
  if (n <= Short(vector_bytes)) return;
  // The divisor next to the root.
  for (int64_t d = 2; d * d <= n; ++d) {
    if (n % d == 0) first = d;
  }
  second = n / first;
  if (first == n) second = 1;
}

void FftLineLayout::Convolve() {
  if (LargestPrime(n) == n && HasPasses(n - 1)) {
    cyclic = n - 1;
  } else {
    chirp = ChirpLength(n);
  }
}

double FftLineLayout::Work() const {
  if (IsConvolution()) {
    const int64_t inner = std::max(cyclic, chirp);
    const double times = inner > Short(vector_bytes) ? 2 : 1;  // its factors
    return 2 * times * static_cast<double>(inner) / static_cast<double>(n) + 1;
  }
  return HasPasses(n) ? 1 : FftLineLayout(first, vector_bytes).Work() + 1;
}

int64_t FftLineLayout::ScratchBlocks() const {
  const int64_t blocks = n + 1;
  if (IsConvolution()) {
    const FftLineLayout inner(std::max(cyclic, chirp), vector_bytes);
    return blocks + inner.n + inner.ScratchBlocks();
  }
  int64_t passes = 2 * std::max(first, second);
  if (!HasPasses(first))
    passes = std::max(passes, FftLineLayout(first, vector_bytes).ScratchBlocks());
  return blocks + second * Pitch() + passes;
}

FftLongLayout::FftLongLayout(int64_t length, bool is_wide, int64_t vector)
    : n(length), wide(is_wide), vector_bytes(vector) {
  Factor(length);
  if (HasPasses(n)) return;
  FftLongLayout chirp = *this;
  chirp.chirped = true;
  chirp.Factor(ChirpLength(n));
  chirp.work = 2 * chirp.work * static_cast<double>(chirp.length()) / static_cast<double>(n) + 1;
  if (chirp.work < work) *this = chirp;
}

// Whole vectors of lanes, and factors of about the same size.
void FftLongLayout::Factor(int64_t length) {
  auto cost = [&](int64_t a, int64_t b) {
    const double of_columns = FftLineLayout(a, vector_bytes).Work() *
                              static_cast<double>(Padded(b)) / static_cast<double>(b),
                 of_rows = FftLineLayout(b, vector_bytes).Work() * static_cast<double>(Padded(a)) /
                           static_cast<double>(a);
    const auto longer = static_cast<double>(std::max(a, b));
    const auto few = static_cast<double>(Short(vector_bytes));
    const double out_of_cache = longer > few ? (longer > kCached ? longer / kCached : 0.2) : 0;
    return of_columns + of_rows + out_of_cache;
  };
  columns = 1, rows = length;
  work = cost(1, length);
  for (int64_t d = 2; d * d <= length; ++d) {
    if (length % d != 0) continue;
    for (const int64_t a : {d, length / d}) {
      const double c = cost(a, length / a);
      if (c > work) continue;  // of equal ones the later: the factors are nearer to each other
      work = c;
      columns = a, rows = length / a;
    }
  }
}

int64_t FftLongLayout::MiddleBytes() const { return columns * Padded(rows) / Lanes() * kBlock; }

int64_t FftLongLayout::LineBytes() const {
  const int64_t number = wide ? 16 : 8;
  return MiddleBytes() + (chirped ? WholeLines(length() * number) : 0) +
         WholeLines((n + 1) * number);  // for real lines
}

int64_t FftLongLayout::TaskBytes() const {
  const int64_t scratch = std::max(FftLineLayout(columns, vector_bytes).ScratchBlocks(),
                                   FftLineLayout(rows, vector_bytes).ScratchBlocks());
  return (scratch + std::max(Padded(rows), columns)) * kBlock;
}

int64_t FftLayout::Count() const {
  int64_t count = 1;
  for (int64_t n : lengths) count *= n;
  return count;
}

int64_t FftLayout::SpectrumBytes() const {
  const int64_t count = is_real() ? Count() / lengths.back() * Half() : Count();
  return batch * count * inner * NumberBytes();
}

std::vector<int64_t> FftLayout::BufferBytes() const {
  std::vector<int64_t> bytes{ResultBytes(), ScratchBytes()};
  const int64_t argument = ArgumentBytes();
  bytes.insert(bytes.begin(), parts ? 2 : 1, parts ? argument / 2 : argument);
  return bytes;
}

FftLayout::Method FftLayout::MethodFor(const Step& step) const {
  const int64_t n = step.Complexes();
  if (step.inner > 1) return n <= kLongestColumn ? Method::kLines : Method::kLongColumns;
  const FftLongLayout as_long(n, wide, vector_bytes);
  const int64_t lanes = as_long.Lanes(), few = Short(vector_bytes);
  if (!HasPasses(n)) {
    const double idle = static_cast<double>(as_long.Padded(step.Lines())) /
                        static_cast<double>(std::max<int64_t>(step.Lines(), 1));
    // Of the same work lines side by side take half the time while they are in the second cache
    // (300 lines of 509 numbers).
    const double beside = FftLineLayout(n, vector_bytes).Work() * idle;
    if ((n <= kCached / 2 && beside <= 2 * as_long.work) ||
        (n <= kLongestColumn && beside <= as_long.work))
      return Method::kLines;
  } else if (n <= few / 2 || (n <= few && 4 * step.Lines() >= lanes)) {
    return Method::kLines;
  } else if (n <= LongestBeside() && step.Lines() >= lanes) {
    return Method::kLines;
  } else if (n <= kCached && step.Lines() >= lanes) {
    // Their own two steps stay in the first cache, unless lanes are idle.
    const double used = static_cast<double>(as_long.length() * as_long.length()) /
                        static_cast<double>(as_long.Padded(as_long.columns) *
                                            as_long.Padded(as_long.rows) * as_long.length());
    if (used < 0.8) return Method::kLines;
  }
  // Several lines are worked on side by side if there are many, or if they are in a thread's cache.
  constexpr int64_t kThread = int64_t{1} << 15, kMany = 64, kManyThread = int64_t{1} << 18;
  const int64_t length = as_long.length() * (wide ? 2 : 1);
  if (length <= kThread / 2 || (step.Lines() > 1 && length <= kThread) ||
      (step.Lines() >= kMany && length <= kManyThread))
    return Method::kLong;
  return Method::kShared;
}

// Rows that are transformed side by side although a row by itself would stay in the first cache: a
// vector of fewer lanes has less of them, and a row's own two steps are short (AVX2 on Zen 3: 0.5
// times the time for rows of 256, 0.75 for 512, 0.9 for 1024).
int64_t FftLayout::LongestBeside() const {
  constexpr int64_t kBytes = int64_t{64} << 10;
  return vector_bytes < 64 ? kBytes / (2 * vector_bytes) : 0;
}

int64_t FftLayout::Together() const {
  constexpr int64_t kTogetherBytes = int64_t{8} << 20;
  if (batch < 2 || lengths.size() < 2 || StagesOf(batch).size() < 2) return batch;
  int64_t count = std::clamp<int64_t>(kTogetherBytes / (SpectrumBytes() / batch), 1, batch);
  while (batch % count != 0) --count;
  return count;
}

std::vector<FftLayout::Stage> FftLayout::StagesOf(int64_t count) const {
  std::vector<Step> steps;
  const size_t rank = lengths.size();
  const int64_t minor = is_real() ? Half() : lengths.back();
  auto add = [&](size_t d) {
    Step step;
    step.n = lengths[d];
    step.real = is_real() && d + 1 == rank;
    step.outer = count;
    for (size_t k = 0; k < d; ++k) step.outer *= lengths[k];
    step.inner = inner;
    for (size_t k = d + 1; k < rank; ++k) step.inner *= k + 1 == rank ? minor : lengths[k];
    step.method = MethodFor(step);
    steps.push_back(step);
  };
  if (type == kRealInverse) {
    for (size_t d = 0; d < rank; ++d) add(d);
  } else {
    for (size_t d = rank; d-- > 0;) add(d);
  }
  for (size_t k = 0; k < steps.size(); ++k) {
    // The spectrum that a real result is made of has no place but scratch memory.
    const Place between = type == kRealInverse ? Place::kScratch : Place::kResult;
    steps[k].from = k == 0 ? Place::kArgument : between;
    steps[k].last = k + 1 == steps.size();
    steps[k].to = steps[k].last ? Place::kResult : between;
  }
  // The last two dimensions together while they are in a thread's cache: what is between them
  // passes no other memory. Columns of one element look as rows do: the order of the steps tells
  // which is which.
  constexpr int64_t kSlabBytes = int64_t{320} << 10;
  std::vector<Stage> stages;
  const size_t columns_first = type == kRealInverse ? 1 : 0;
  auto joined = [&](const Step& rows, const Step& columns) {
    if (rows.inner != 1 || columns.inner != minor || columns.method != Method::kLines ||
        (rows.method != Method::kLines && rows.method != Method::kLong))
      return false;
    return columns.outer > 1 && columns.n * columns.inner * NumberBytes() <= kSlabBytes;
  };
  for (size_t k = 0; k < steps.size(); ++k) {
    const size_t columns = k + 1 - columns_first, rows = k + columns_first;
    if (k + 1 < steps.size() && joined(steps[rows], steps[columns])) {
      Stage stage{steps[columns].outer, {steps[k], steps[k + 1]}};
      for (Step& step : stage.steps) step.outer /= stage.slabs;
      stage.steps[0].to = stage.steps[1].from = Place::kSlab;
      stages.push_back(std::move(stage));
      ++k;
    } else {
      stages.push_back({1, {steps[k]}});
    }
  }
  return stages;
}

int64_t FftLayout::StepSlotBytes(const Step& step) const {
  const FftLineLayout line(step.Complexes(), vector_bytes);
  const FftLongLayout as_long(step.Complexes(), wide, vector_bytes);
  switch (step.method) {
    case Method::kLines:
      return line.ScratchBlocks() * kBlock;
    case Method::kLong:
      return WholeLines(as_long.LineBytes()) + as_long.TaskBytes();
    case Method::kShared:
    case Method::kLongColumns:
      break;
  }
  return as_long.TaskBytes();
}

int64_t FftLayout::BetweenBytes() const {
  if (type != kRealInverse || lengths.size() < 2 || batch == 0) return 0;
  return WholeLines(SpectrumBytesTogether());
}

int64_t FftLayout::SharedBytes() const {
  int64_t bytes = 0;
  for (const Stage& stage : Stages()) {
    for (const Step& step : stage.steps) {
      if (step.method != Method::kShared && step.method != Method::kLongColumns) continue;
      bytes = std::max(bytes,
                       WholeLines(FftLongLayout(step.Complexes(), wide, vector_bytes).LineBytes()));
    }
  }
  return bytes;
}

int64_t FftLayout::SlabBytes() const {
  int64_t bytes = 0;
  for (const Stage& stage : Stages()) {
    if (stage.slabs > 1) bytes = std::max(bytes, WholeLines(SpectrumBytesTogether() / stage.slabs));
  }
  return bytes;
}

int64_t FftLayout::StepsBytes() const {
  int64_t bytes = 0;
  for (const Stage& stage : Stages()) {
    for (const Step& step : stage.steps) bytes = std::max(bytes, StepSlotBytes(step));
  }
  return WholeLines(bytes);
}

int64_t FftLayout::Slots() const {
  int64_t tasks = 1;
  for (const Stage& stage : Stages()) {
    for (const Step& step : stage.steps)
      tasks = std::max(tasks, stage.slabs * std::max(step.Lines(), step.n / 8));
  }
  return SlotsFor(tasks, SlotBytes(), threads);
}

int64_t FftLayout::ScratchBytes() const {
  int64_t bytes = 0;
  FftLayout layout = *this;
  for (const int64_t vector : {16, 32, 64}) {
    layout.vector_bytes = vector;
    bytes = std::max(
        bytes, layout.BetweenBytes() + layout.SharedBytes() + layout.Slots() * layout.SlotBytes());
  }
  return bytes;
}

std::vector<int64_t> FftLayout::ToDims() const {
  std::vector<int64_t> dims{type, wide ? 1 : 0, parts ? 1 : 0, batch, inner, threads};
  dims.insert(dims.end(), lengths.begin(), lengths.end());
  return dims;
}

FftLayout FftLayout::FromDims(absl::Span<const int64_t> dims) {
  FftLayout layout;
  layout.type = static_cast<Type>(dims[0]);
  layout.wide = dims[1] != 0;
  layout.parts = dims[2] != 0;
  layout.batch = dims[3];
  layout.inner = dims[4];
  layout.threads = dims[5];
  layout.lengths.assign(dims.begin() + kLengths, dims.end());
  return layout;
}

}  // namespace sinter::program
