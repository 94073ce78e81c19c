#include "runtime/cpu/fft_plan.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>

namespace sinter::runtime::cpu {
namespace {

using program::FftLineLayout;
using program::FftLongLayout;
using Wide = std::complex<long double>;

// e^(-2 pi i k / order), rounded once from more bits than F64 has: the product of two roots from
// tables of about the square root of the order each.
class Roots {
 public:
  explicit Roots(int64_t order) : order_(order) {
    while (int64_t{1} << (2 * shift_) < order / 8) ++shift_;
    // Up to an eighth of a turn.
    for (int64_t k = 0; k < int64_t{1} << shift_; ++k) low_.push_back(Exact(k));
    for (int64_t k = 0; k <= order / 8 + 1; k += int64_t{1} << shift_) high_.push_back(Exact(k));
  }

  Wide operator()(int64_t k) const {
    k %= order_;
    // Within an eighth of a turn to either side of a quarter.
    const int64_t quarter = (8 * k + order_) / (2 * order_), rest = 4 * k - quarter * order_;
    // rest / (4 order) of a turn; the tables are of 1 / order.
    Wide w = rest % 4 == 0 ? InEighth(std::abs(rest) / 4) : Angle(std::abs(rest), 4 * order_);
    if (rest < 0) w = std::conj(w);
    switch (quarter % 4) {
      case 0:
        return w;
      case 1:
        return {w.imag(), -w.real()};
      case 2:
        return -w;
      default:
        return {-w.imag(), w.real()};
    }
  }

 private:
  static Wide Angle(int64_t k, int64_t order) {
    const long double angle = 2 * std::numbers::pi_v<long double> * static_cast<long double>(k) /
                              static_cast<long double>(order);
    return {std::cos(angle), -std::sin(angle)};
  }
  Wide Exact(int64_t k) const { return Angle(k, order_); }
  Wide InEighth(int64_t k) const {
    const Wide a = high_[static_cast<size_t>(k >> shift_)];
    const Wide b = low_[static_cast<size_t>(k & ((int64_t{1} << shift_) - 1))];
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }

  const int64_t order_;
  int shift_ = 0;
  std::vector<Wide> low_, high_;
};

// (j j mod 2 n) without overflow.
int64_t Square(int64_t j, int64_t n) {
  return static_cast<int64_t>(static_cast<unsigned __int128>(j) *
                              static_cast<unsigned __int128>(j) %
                              static_cast<unsigned __int128>(2 * n));
}

void RunSerially(int64_t tasks, absl::FunctionRef<void(int64_t, int64_t)> body) {
  for (int64_t i = 0; i < tasks; ++i) body(i, 0);
}

template <class T>
class Builder {
 public:
  Builder(FftTables<T>& tables, VectorTarget target, int64_t lanes)
      : tables_(tables), target_(target), lanes_(lanes) {}

  void Line(int64_t n, FftLine<T>& line) { Line(FftLineLayout(n, VectorBytes(target_)), line); }

  void Line(const FftLineLayout& layout, FftLine<T>& line) {
    line.n = layout.n;
    if (layout.chirp > 0) {
      auto inner = std::make_unique<FftLine<T>>();
      Line(layout.chirp, *inner);
      line.convolved = std::move(inner);
      line.chirp = Chirp(layout.n);
      line.filter = ChirpFilter(layout.n, layout.chirp);
      return;
    }
    if (layout.cyclic > 0) {
      auto inner = std::make_unique<FftLine<T>>();
      Line(layout.cyclic, *inner);
      line.convolved = std::move(inner);
      const std::vector<int32_t>& order = tables_.orders.emplace_back(Powers(layout.n));
      line.order = order.data();
      line.filter = PowersFilter(order);
      return;
    }
    const FftLineLayout first(layout.first, layout.vector_bytes);
    if (first.IsConvolution()) {
      auto factor = std::make_unique<FftLine<T>>();
      Line(first, *factor);
      line.factor = std::move(factor);
    } else {
      Passes(layout.first, line.first);
    }
    Passes(layout.second, line.second);
    if (layout.second == 1) return;
    const Roots roots(layout.n);
    T* to = New(2 * layout.n);
    line.twiddles = to;
    for (int64_t j2 = 0; j2 < layout.second; ++j2) {
      for (int64_t k1 = 0; k1 < layout.first; ++k1) Write(roots(j2 * k1), to);
    }
  }

  // Roots of order 2 n for real lines of 2 n.
  const T* Real(int64_t n) {
    const Roots roots(2 * n);
    T* const table = New(2 * (n / 2 + 1));
    T* to = table;
    for (int64_t k = 0; k <= n / 2; ++k) Write(roots(k), to);
    return table;
  }

  void Long(FftLong<T>& one) {
    const FftLongLayout& l = one.layout;
    Line(l.columns, one.columns);
    Line(l.rows, one.rows);
    const Roots roots(l.length());
    const int64_t groups = (l.rows + lanes_ - 1) / lanes_;
    if (l.HasWholeTable()) {
      T* const whole = New(groups * l.columns * 2 * lanes_);
      one.whole = whole;
      for (int64_t g = 0; g < groups; ++g) {
        for (int64_t k1 = 0; k1 < l.columns; ++k1) {
          for (int64_t lane = 0; lane < lanes_; ++lane)
            WriteLane(roots(k1 * (g * lanes_ + lane)), whole + (g * l.columns + k1) * 2 * lanes_,
                      lane);
        }
      }
    } else {
      T* base = New(2 * groups * l.columns);
      one.base = base;
      for (int64_t g = 0; g < groups; ++g) {
        for (int64_t k1 = 0; k1 < l.columns; ++k1) Write(roots(k1 * g * lanes_), base);
      }
      T* const lane_table = New(l.columns * 2 * lanes_);
      one.lane = lane_table;
      for (int64_t k1 = 0; k1 < l.columns; ++k1) {
        for (int64_t lane = 0; lane < lanes_; ++lane)
          WriteLane(roots(k1 * lane), lane_table + k1 * 2 * lanes_, lane);
      }
    }
    if (!l.chirped) return;
    one.chirp = Chirp(l.n);
    one.filter = ChirpFilter(l.n, l.length());
  }

 private:
  T* New(int64_t count) {
    return tables_.numbers.emplace_back(static_cast<size_t>(std::max<int64_t>(count, 1))).data();
  }
  static void Write(Wide w, T*& to) {
    *to++ = static_cast<T>(w.real());
    *to++ = static_cast<T>(w.imag());
  }
  void WriteLane(Wide w, T* block, int64_t lane) const {
    block[lane] = static_cast<T>(w.real());
    block[lanes_ + lane] = static_cast<T>(w.imag());
  }

  // Radix 8 first, then what is left of powers of 2 by 4.
  static std::vector<int64_t> Radices(int64_t n) {
    std::vector<int64_t> radices;
    int twos = 0;
    for (; n % 2 == 0; n /= 2) ++twos;
    const int fours = twos == 1 ? 0 : twos % 3 == 1 ? 2 : twos % 3 == 2 ? 1 : 0;
    const int eights = (twos - 2 * fours) / 3;
    for (int64_t p = kMost; p > 1; p -= 1) {
      for (; n % p == 0 && n > 1 && IsPrime(p); n /= p) radices.push_back(p);
    }
    radices.insert(radices.end(), static_cast<size_t>(eights), 8);
    radices.insert(radices.end(), static_cast<size_t>(fours), 4);
    if (twos == 1) radices.push_back(2);
    return radices;
  }
  static constexpr int64_t kMost = program::kMostFftRadix;
  static bool IsPrime(int64_t p) {
    for (int64_t d = 2; d * d <= p; ++d) {
      if (p % d == 0) return false;
    }
    return true;
  }

  void Passes(int64_t n, FftPasses<T>& line) {
    line.n = n;
    int64_t length = n, s = 1;
    for (const int64_t radix : Radices(n)) {
      FftPass<T> pass;
      pass.radix = radix, pass.m = length / radix, pass.s = s;
      const Roots roots(length), own(radix);
      T* to = New(2 * pass.m * (radix - 1));
      pass.twiddles = to;
      for (int64_t p = 0; p < pass.m; ++p) {
        for (int64_t j = 1; j < radix; ++j) Write(roots(p * j), to);
      }
      T* const of_radix = New(2 * radix);
      pass.roots = of_radix;
      for (int64_t k = 0; k < radix; ++k) {
        of_radix[k] = static_cast<T>(own(k).real());
        of_radix[radix + k] = static_cast<T>(-own(k).imag());
      }
      line.passes.push_back(pass);
      length /= radix, s *= radix;
    }
  }

  const T* Chirp(int64_t n) {
    const Roots roots(2 * n);
    T* const table = New(2 * n);
    T* to = table;
    for (int64_t j = 0; j < n; ++j) Write(roots(Square(j, n)), to);
    return table;
  }

  // The powers of the least generator of the numbers modulo a prime.
  static std::vector<int32_t> Powers(int64_t prime) {
    std::vector<int32_t> powers(static_cast<size_t>(prime - 1));
    for (int64_t g = 2;; ++g) {
      int64_t power = 1;
      size_t k = 0;
      for (; k == 0 || (power != 1 && k < powers.size()); ++k) {
        powers[k] = static_cast<int32_t>(power);
        power = power * g % prime;
      }
      if (k == powers.size()) return powers;
    }
  }

  // Of the roots of order n to the powers of a generator downwards.
  const T* PowersFilter(const std::vector<int32_t>& powers) {
    const auto length = static_cast<int64_t>(powers.size());
    std::vector<double> x(2 * powers.size());
    const Roots roots(length + 1);
    for (size_t k = 0; k < powers.size(); ++k) {
      const Wide w = roots(powers[k == 0 ? 0 : powers.size() - k]);
      x[2 * k] = static_cast<double>(w.real());
      x[2 * k + 1] = static_cast<double>(w.imag());
    }
    return Filter(x, length);
  }

  // Of the conjugated chirp at 0 .. n - 1 and, from the end, at -1 .. -(n - 1).
  const T* ChirpFilter(int64_t n, int64_t length) {
    std::vector<double> x(static_cast<size_t>(2 * length));
    const Roots roots(2 * n);
    for (int64_t j = 0; j < n; ++j) {
      const Wide w = std::conj(roots(Square(j, n)));
      for (const int64_t at : {j, j == 0 ? 0 : length - j}) {
        x[static_cast<size_t>(2 * at)] = static_cast<double>(w.real());
        x[static_cast<size_t>(2 * at + 1)] = static_cast<double>(w.imag());
      }
    }
    return Filter(x, length);
  }

  // The spectrum of `length` complex numbers over `length`: what convolutions with them multiply
  // by.
  const T* Filter(std::vector<double>& x, int64_t length) {
    FftTables<double> tables;
    const FftKernels<double> kernels = FftKernelsFor<double>(target_);
    Builder<double> builder(tables, target_, kernels.lanes);
    FftLong<double> plan{FftLongLayout(length, true, VectorBytes(target_))};
    builder.Long(plan);
    std::vector<char> memory(static_cast<size_t>(plan.layout.LineBytes()));
    std::vector<char> slot(static_cast<size_t>(plan.layout.TaskBytes()));
    auto own = [&](int64_t) { return slot.data(); };
    RunLong(FftLongCall<double>{&plan,
                                &kernels,
                                x.data(),
                                nullptr,
                                x.data(),
                                false,
                                1 / static_cast<double>(length),
                                false,
                                {},
                                memory.data(),
                                own,
                                RunSerially});
    T* const filter = New(2 * length);
    for (size_t f = 0; f < x.size(); ++f) filter[f] = static_cast<T>(x[f]);
    return filter;
  }

  FftTables<T>& tables_;
  const VectorTarget target_;
  const int64_t lanes_;
};

// Share g of shares of `each` lines.
template <class T>
FftAhead<T> Share(const FftAhead<T>& all, int64_t g, int64_t each) {
  const int64_t first = std::min(all.count, g * each),
                at = first * all.stride / static_cast<int64_t>(sizeof(T));
  return {all.at + at, std::min(all.count - first, each), all.stride, all.piece,
          all.im == nullptr ? nullptr : all.im + at};
}

// Columns to rows: the transform between two factors, without a chirp.
template <class T>
void RunFactors(const FftLongCall<T>& call, const T* in, const T* in_im, T* out, bool inverse,
                T scale, bool stream) {
  const FftLong<T>& plan = *call.plan;
  const int64_t lanes = call.kernels->lanes, block = 2 * lanes;
  const int64_t n1 = plan.columns.n, n2 = plan.rows.n;
  const int64_t groups1 = (n1 + lanes - 1) / lanes, groups2 = (n2 + lanes - 1) / lanes;
  T* const middle = reinterpret_cast<T*>(call.memory);
  // While columns are read, the caches are asked for what rows are written to.
  constexpr int64_t kCacheLine = 64, kMostAhead = int64_t{1} << 17;
  constexpr auto kBytes = static_cast<int64_t>(sizeof(T));
  FftAhead<T> result;
  if (!stream && in != out && 2 * n1 * n2 * kBytes <= kMostAhead)
    result = {out, 2 * n1 * n2 * kBytes / kCacheLine, kCacheLine};
  const int64_t each2 = (result.count + groups2 - 1) / groups2;
  call.tasks(groups2, [&](int64_t g, int64_t seat) {
    T* const work = reinterpret_cast<T*>(call.slot(seat));
    FftLinesCall<T> lines;
    lines.line = &plan.columns;
    lines.lines = std::min(lanes, n2 - g * lanes);
    lines.in_form = FftForm::kColumns;
    lines.in = in + g * block, lines.in_stride = 2 * n2;
    if (in_im != nullptr) {
      lines.in = in + g * lanes, lines.in_stride = n2;
      lines.in_im = in_im + g * lanes;
    }
    lines.out_form = FftForm::kBlocks;
    lines.out = middle + g * n1 * block, lines.out_stride = block;
    lines.inverse = inverse;
    lines.scratch = work + n1 * block;
    if (result.count > 0) {
      lines.ahead = Share(result, g, each2);
    } else if (g + 1 < groups2 && in_im == nullptr) {
      lines.ahead = {lines.in + block, n1, 2 * n2 * kBytes, block * kBytes};
    }
    if (plan.whole != nullptr) {
      lines.twiddles = plan.whole + g * n1 * block;
    } else {
      call.kernels->twiddles(plan.base + 2 * g * n1, plan.lane, n1, work);
      lines.twiddles = work;
    }
    call.kernels->lines(lines);
  });
  const int64_t each1 = (call.ahead.count + groups1 - 1) / groups1;
  call.tasks(groups1, [&](int64_t g, int64_t seat) {
    T* const work = reinterpret_cast<T*>(call.slot(seat));
    call.kernels->turn(middle, n1, n2, g * lanes, work);
    FftLinesCall<T> lines;
    lines.line = &plan.rows;
    lines.lines = std::min(lanes, n1 - g * lanes);
    lines.in_form = FftForm::kBlocks;
    lines.in = work, lines.in_stride = block;
    lines.out_form = FftForm::kColumns;
    lines.out = out + g * block, lines.out_stride = 2 * n1;
    lines.inverse = inverse;
    lines.scale = scale;
    lines.stream = stream;
    lines.scratch = work + groups2 * lanes * block;
    lines.ahead = Share(call.ahead, g, each1);
    call.kernels->lines(lines);
  });
}

}  // namespace

template <class T>
void RunLong(const FftLongCall<T>& call) {
  const FftLong<T>& plan = *call.plan;
  if (!plan.layout.chirped) {
    return RunFactors(call, call.in, call.in_im, call.out, call.inverse, call.scale, call.stream);
  }
  const int64_t n = plan.layout.n, length = plan.layout.length();
  T* const u = reinterpret_cast<T*>(call.memory + plan.middle_bytes);
  constexpr int64_t kChunk = 4096;
  auto multiply = [&](const T* from, const T* factors, int64_t count, bool conjugate_from,
                      bool conjugate_result, T scale, T* to) {
    call.tasks((count + kChunk - 1) / kChunk, [&](int64_t i, int64_t) {
      const int64_t at = 2 * i * kChunk, size = std::min(kChunk, count - i * kChunk);
      call.kernels->multiply(from + at, factors + at, size, conjugate_from, conjugate_result, scale,
                             to + at);
    });
  };
  multiply(call.in, plan.chirp, n, call.inverse, false, 1, u);
  std::fill(u + 2 * n, u + 2 * length, T{0});
  const T* const joined = nullptr;
  RunFactors(call, u, joined, u, false, T{1}, false);
  // Conjugated, for the inverse transform.
  multiply(u, plan.filter, length, false, true, 1, u);
  RunFactors(call, u, joined, u, false, T{1}, false);
  multiply(u, plan.chirp, n, true, call.inverse, call.scale, call.out);
}
template void RunLong(const FftLongCall<float>& call);
template void RunLong(const FftLongCall<double>& call);

template <class T>
FftPlan<T>::FftPlan(const program::FftLayout& of, VectorTarget target)
    : layout(of),
      kernels(FftKernelsFor<T>(target)),
      together(of.Together()),
      between_bytes(of.BetweenBytes()),
      shared_bytes(of.SharedBytes()),
      slots(of.Slots()),
      slot_bytes(of.SlotBytes()),
      steps_bytes(of.StepsBytes()) {
  Builder<T> builder(tables_, target, kernels.lanes);
  for (const program::FftLayout::Stage& stage : layout.Stages()) {
    Stage& planned = stages.emplace_back(Stage{stage.slabs, {}});
    for (const program::FftLayout::Step& step : stage.steps) {
      Step& s = planned.steps.emplace_back();
      s.layout = step;
      const int64_t n = step.Complexes();
      if (step.last && layout.is_inverse())
        s.scale = static_cast<T>(1 / static_cast<double>(layout.Count()));
      // What the next step reads is worth a cache, and what is written where it was read is in one.
      const int64_t cached = (step.last ? int64_t{6} : int64_t{16}) << 20;
      s.stream = step.to != program::FftLayout::Place::kSlab && step.to != step.from &&
                 layout.ResultBytes() >= cached;
      s.nanoseconds = static_cast<double>(step.Lines()) * static_cast<double>(n) *
                      (1 + std::log2(static_cast<double>(n))) * (layout.wide ? 0.2 : 0.1);
      const T* real = step.real && n != step.n ? builder.Real(n) : nullptr;
      if (step.method == program::FftLayout::Method::kLines) {
        builder.Line(n, s.line);
        s.line.real = real;
        // Of short rows several vectors: what a call takes by itself counts beside them.
        constexpr int64_t kNumbers = 2048, kMostVectors = 8;
        const int64_t vectors = kNumbers / (step.n * kernels.lanes);
        s.task_rows = kernels.lanes * std::clamp<int64_t>(vectors, 1, kMostVectors);
      } else {
        s.one = std::make_unique<FftLong<T>>(FftLongLayout(n, layout.wide, layout.vector_bytes));
        builder.Long(*s.one);
        s.one->real = real;
      }
    }
  }
}
template class FftPlan<float>;
template class FftPlan<double>;

}  // namespace sinter::runtime::cpu
