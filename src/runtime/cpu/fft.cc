#include "runtime/cpu/fft.h"

#include <algorithm>
#include <array>

#include "absl/base/attributes.h"
#include "base/status.h"
#include "program/fft_layout.h"
#include "runtime/cpu/fft_plan.h"
#include "runtime/cpu/tasks.h"

namespace sinter::runtime::cpu {
namespace {

using program::FftLayout;
using Method = FftLayout::Method;

template <class T>
class Transformer {
  using Step = typename FftPlan<T>::Step;
  using Stage = typename FftPlan<T>::Stage;

  // Numbers, or their real and imaginary parts.
  struct Source {
    const T* at;
    const T* im = nullptr;
    // So many numbers of T further, as if the parts were not apart.
    ABSL_ATTRIBUTE_ALWAYS_INLINE Source operator+(int64_t by) const {
      return im == nullptr ? Source{at + by} : Source{at + by / 2, im + by / 2};
    }
  };

 public:
  Transformer(const LibraryArguments& arguments, const FftPlan<T>& plan)
      : arguments_(arguments),
        plan_(plan),
        layout_(plan.layout),
        lanes_(plan.kernels.lanes),
        parts_(plan.layout.parts ? 1 : 0),
        argument_{static_cast<const T*>(arguments.buffers[0]),
                  parts_ == 0 ? nullptr : static_cast<const T*>(arguments.buffers[1])},
        result_(static_cast<T*>(arguments.buffers[parts_ + 1])),
        scratch_(static_cast<char*>(arguments.buffers[parts_ + 2])),
        shared_(scratch_ + plan.between_bytes),
        first_slot_(shared_ + plan.shared_bytes) {}

  void Run() {
    for (int64_t done = 0; done < layout_.batch; done += plan_.together) {
      RunStages();
      // Of the whole batch in numbers of T.
      auto numbers = [&](int64_t bytes) {
        return bytes / layout_.batch * plan_.together / static_cast<int64_t>(sizeof(T));
      };
      argument_ = argument_ + numbers(layout_.ArgumentBytes());
      result_ += numbers(layout_.ResultBytes());
    }
  }

 private:
  void RunStages() const {
    for (const Stage& stage : plan_.stages) {
      if (stage.slabs == 1) {
        for (const Step& step : stage.steps) RunShared(step);
        continue;
      }
      double nanoseconds = 0;
      for (const Step& step : stage.steps) nanoseconds += step.nanoseconds;
      Each(stage.slabs, nanoseconds * static_cast<double>(stage.slabs),
           [&](int64_t slab, int64_t seat) {
             for (const Step& step : stage.steps) {
               for (int64_t i = 0, n = TasksOf(step); i < n; ++i) RunTask(step, slab, i, seat);
             }
           });
    }
  }

  template <class F>
  void Each(int64_t tasks, double nanoseconds, F&& f) const {
    constexpr double kThread = 5000;
    const auto useful =
        std::min<int64_t>(std::min<int64_t>(arguments_.workers.parallelism(), plan_.slots),
                          static_cast<int64_t>(nanoseconds / kThread) + 1);
    ForEachTask(arguments_, tasks, static_cast<int>(useful),
                [&](int64_t i, int seat) { f(i, static_cast<int64_t>(seat)); });
  }

  char* Slot(int64_t seat) const { return first_slot_ + seat * plan_.slot_bytes; }

  // Numbers of T in a line, with what is beside it.
  int64_t InExtent(const FftLayout::Step& s) const {
    if (!s.real) return 2 * s.n;
    return layout_.is_inverse() ? 2 * (s.n / 2 + 1) : s.n;
  }
  int64_t OutExtent(const FftLayout::Step& s) const {
    if (!s.real) return 2 * s.n;
    return layout_.is_inverse() ? s.n : 2 * (s.n / 2 + 1);
  }
  Source From(const FftLayout::Step& s, int64_t slab, int64_t count, int64_t seat) const {
    if (s.from == FftLayout::Place::kArgument) return argument_ + slab * count;
    return {At(s.from, slab, count, seat)};
  }
  // Of slabs of `count` numbers of T.
  T* At(FftLayout::Place place, int64_t slab, int64_t count, int64_t seat) const {
    switch (place) {
      case FftLayout::Place::kResult:
        return result_ + slab * count;
      case FftLayout::Place::kScratch:
        return reinterpret_cast<T*>(scratch_) + slab * count;
      case FftLayout::Place::kArgument:  // is not written
      case FftLayout::Place::kSlab:
        break;
    }
    return reinterpret_cast<T*>(Slot(seat) + plan_.steps_bytes);
  }
  // --- lines side by side

  int64_t TasksOf(const Step& step) const {
    const FftLayout::Step& s = step.layout;
    if (s.method == Method::kLong) return s.Lines();
    if (s.inner == 1) return (s.outer + step.task_rows - 1) / step.task_rows;
    const int64_t rest = s.outer * (s.inner % lanes_);
    return s.outer * (s.inner / lanes_) + (rest + lanes_ - 1) / lanes_;
  }

  // Of so many numbers of T, as if the parts were not apart.
  static FftAhead<T> Pieces(Source from, int64_t count) {
    constexpr int64_t kPiece = 64;
    if (from.im != nullptr) count /= 2;
    return {from.at, count * static_cast<int64_t>(sizeof(T)) / kPiece, kPiece, kPiece, from.im};
  }

  void RunTask(const Step& step, int64_t slab, int64_t i, int64_t seat) const {
    const FftLayout::Step& s = step.layout;
    Source in = From(s, slab, s.Lines() * InExtent(s), seat);
    T* out = At(s.to, slab, s.Lines() * OutExtent(s), seat);
    const int64_t width = in.im == nullptr ? 2 : 1;  // of a number, where `in` is
    if (s.method == Method::kLong) {
      auto serially = [&](int64_t tasks, absl::FunctionRef<void(int64_t, int64_t)> body) {
        for (int64_t k = 0; k < tasks; ++k) body(k, seat);
      };
      char* const memory = Slot(seat);
      const int64_t line_bytes = (step.one->line_bytes + 63) / 64 * 64;
      auto slot = [&](int64_t own) { return Slot(own) + line_bytes; };
      const int64_t extent = InExtent(s);
      const FftAhead<T> ahead =
          i + 1 < s.Lines() ? Pieces(in + (i + 1) * extent, extent) : FftAhead<T>();
      return RunLine(step, in + i * extent, out + i * OutExtent(s), ahead, memory, slot, serially);
    }
    FftLinesCall<T> call;
    call.line = &step.line;
    call.inverse = layout_.is_inverse();
    call.scale = step.scale;
    call.scratch = reinterpret_cast<T*>(Slot(seat));
    if (s.inner == 1) {
      call.in_form = call.out_form = FftForm::kRows;
      const int64_t first = i * step.task_rows;
      call.lines = std::min(step.task_rows, s.outer - first);
      call.in_stride = width == 1 ? InExtent(s) / 2 : InExtent(s), call.out_stride = OutExtent(s);
      in = in + first * InExtent(s);
      call.in = in.at, call.in_im = in.im, call.out = out + first * OutExtent(s);
      if (first + 2 * lanes_ <= s.outer)
        call.ahead = Pieces(in + lanes_ * InExtent(s), lanes_ * InExtent(s));
      if (s.real) call.real = s.n % 2 == 0 ? FftReal::kPairs : FftReal::kAlone;
      call.stream = step.stream;
      return plan_.kernels.lines(call);
    }
    call.in_stride = width * s.inner, call.out_stride = 2 * s.inner;
    call.out = out;
    const int64_t whole = s.inner / lanes_, rest = s.inner % lanes_;
    std::array<int64_t, 64> apart;
    if (i < s.outer * whole) {
      const int64_t at = (i / whole * s.n * s.inner + i % whole * lanes_) * 2;
      in = in + at, call.out += at;
      call.in_form = call.out_form = FftForm::kColumns;
      call.lines = lanes_;
      constexpr int64_t kBytes = sizeof(T);
      call.stream = step.stream;
      if (i % whole + 1 < whole && in.im == nullptr)
        call.ahead = {in.at + 2 * lanes_, s.n, call.in_stride * kBytes, 2 * lanes_ * kBytes};
    } else if (s.outer == 1) {
      in = in + 2 * lanes_ * whole, call.out += 2 * lanes_ * whole;
      call.in_form = call.out_form = FftForm::kColumns;
      call.lines = rest;
    } else {
      // Those that fill no vector, of several outer indices.
      const int64_t first = (i - s.outer * whole) * lanes_;
      call.in_form = call.out_form = FftForm::kApart;
      call.lines = std::min(lanes_, s.outer * rest - first);
      call.apart = apart.data();
      for (int64_t l = 0; l < call.lines; ++l) {
        const int64_t o = (first + l) / rest, column = whole * lanes_ + (first + l) % rest;
        apart[static_cast<size_t>(l)] = (o * s.n * s.inner + column) * 2;
      }
    }
    call.in = in.at, call.in_im = in.im;
    plan_.kernels.lines(call);
  }

  // --- lines by themselves

  void RunShared(const Step& step) const {
    const FftLayout::Step& s = step.layout;
    const double nanoseconds = step.nanoseconds;
    if (s.method == Method::kLines || s.method == Method::kLong) {
      return Each(TasksOf(step), nanoseconds,
                  [&](int64_t i, int64_t seat) { RunTask(step, 0, i, seat); });
    }
    const double line = nanoseconds / static_cast<double>(s.Lines());
    auto tasks = [&](int64_t count, absl::FunctionRef<void(int64_t, int64_t)> body) {
      Each(count, line, body);
    };
    auto slot = [&](int64_t seat) { return Slot(seat); };
    for (int64_t o = 0; o < s.outer; ++o) {
      const Source in = From(s, o, InExtent(s) * s.inner, 0);
      T* out = At(s.to, o, OutExtent(s) * s.inner, 0);
      if (s.method == Method::kShared) {
        RunLine(step, in, out, FftAhead<T>(), shared_, slot, tasks);
      } else {
        for (int64_t i = 0; i < s.inner; ++i) RunColumn(step, in + 2 * i, out + 2 * i, slot, tasks);
      }
    }
  }

  // A column that is copied to a row and back.
  void RunColumn(const Step& step, Source in, T* out, absl::FunctionRef<char*(int64_t)> slot,
                 FftTasks tasks) const {
    const FftLayout::Step& s = step.layout;
    T* const row = Row(step, shared_);
    Join(in, s.inner, s.n, row, tasks);
    RunComplex(step, {row}, row, step.scale, FftAhead<T>(), shared_, slot, tasks);
    Chunks(s.n, tasks, [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k) {
        out[2 * s.inner * k] = row[2 * k];
        out[2 * s.inner * k + 1] = row[2 * k + 1];
      }
    });
  }

  // Memory for n + 1 complex numbers of the line.
  T* Row(const Step& step, char* memory) const {
    const program::FftLongLayout& l = step.one->layout;
    const int64_t bytes = (l.n + 1) * layout_.NumberBytes();
    return reinterpret_cast<T*>(memory + step.one->line_bytes - (bytes + 63) / 64 * 64);
  }

  template <class F>
  static void Chunks(int64_t count, FftTasks tasks, F&& f) {
    constexpr int64_t kChunk = 4096;
    tasks((count + kChunk - 1) / kChunk,
          [&](int64_t i, int64_t) { f(i * kChunk, std::min(count, (i + 1) * kChunk)); });
  }

  // Numbers that are `stride` numbers apart, one after another.
  static void Join(Source in, int64_t stride, int64_t count, T* row, FftTasks tasks) {
    const T* const im = in.im == nullptr ? in.at + 1 : in.im;
    const int64_t step = in.im == nullptr ? 2 * stride : stride;
    Chunks(count, tasks, [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k) {
        row[2 * k] = in.at[step * k];
        row[2 * k + 1] = im[step * k];
      }
    });
  }

  void RunComplex(const Step& step, Source in, T* out, T scale, const FftAhead<T>& ahead,
                  char* memory, absl::FunctionRef<char*(int64_t)> slot, FftTasks tasks) const {
    // Rows that stand in for columns or for a spectrum are read again at once.
    const bool stream = step.stream && !step.layout.real && step.layout.inner == 1;
    RunLong(FftLongCall<T>{step.one.get(), &plan_.kernels, in.at, in.im, out, layout_.is_inverse(),
                           scale, stream, ahead, memory, slot, tasks});
  }

  void RunLine(const Step& step, Source from, T* out, const FftAhead<T>& ahead, char* memory,
               absl::FunctionRef<char*(int64_t)> slot, FftTasks tasks) const {
    const FftLayout::Step& s = step.layout;
    const T scale = step.scale;
    const int64_t n = s.n, half = s.n / 2 + 1;
    T* const row = Row(step, memory);
    if (from.im != nullptr && (s.real || step.one->layout.chirped)) {
      Join(from, 1, s.real ? half : n, row, tasks);
      from = {row};
    }
    if (!s.real) return RunComplex(step, from, out, scale, ahead, memory, slot, tasks);
    const T* const in = from.at;
    if (n % 2 == 0 && !layout_.is_inverse()) {
      RunComplex(step, from, out, scale, ahead, memory, slot, tasks);
      Chunks(n / 4 + 1, tasks, [&](int64_t begin, int64_t end) {
        plan_.kernels.spectrum_of_reals(n / 2, step.one->real, begin, end, out);
      });
    } else if (n % 2 == 0) {
      Chunks(n / 4 + 1, tasks, [&](int64_t begin, int64_t end) {
        plan_.kernels.reals_of_spectrum(n / 2, step.one->real, begin, end, in, row);
      });
      RunComplex(step, {row}, out, scale, ahead, memory, slot, tasks);
    } else if (!layout_.is_inverse()) {
      Chunks(n, tasks, [&](int64_t begin, int64_t end) {
        for (int64_t k = begin; k < end; ++k) row[2 * k] = in[k], row[2 * k + 1] = 0;
      });
      RunComplex(step, {row}, row, scale, ahead, memory, slot, tasks);
      Chunks(2 * half, tasks,
             [&](int64_t begin, int64_t end) { std::copy(row + begin, row + end, out + begin); });
    } else {
      // What the spectrum's first element has of an imaginary part is none of real numbers'.
      row[0] = in[0], row[1] = 0;
      Chunks(half, tasks, [&](int64_t begin, int64_t end) {
        for (int64_t k = std::max<int64_t>(begin, 1); k < end; ++k) {
          row[2 * k] = row[2 * (n - k)] = in[2 * k];
          row[2 * k + 1] = in[2 * k + 1];
          row[2 * (n - k) + 1] = -in[2 * k + 1];
        }
      });
      RunComplex(step, {row}, row, scale, ahead, memory, slot, tasks);
      Chunks(n, tasks, [&](int64_t begin, int64_t end) {
        for (int64_t k = begin; k < end; ++k) out[k] = row[2 * k];
      });
    }
  }

  const LibraryArguments& arguments_;
  const FftPlan<T>& plan_;
  const FftLayout& layout_;
  const int64_t lanes_;
  const size_t parts_;  // buffers that the argument has beside its first
  // Of the part of the batch that is at work.
  Source argument_;
  T* result_;
  char *const scratch_, *const shared_, *const first_slot_;
};

template <class T>
void RunFft(const LibraryArguments& arguments) {
  Transformer<T>(arguments, *static_cast<const FftPlan<T>*>(arguments.prepared)).Run();
}

}  // namespace

void Fft(const LibraryArguments& arguments) {
  if (arguments.dims[1] != 0) return RunFft<double>(arguments);
  RunFft<float>(arguments);
}

std::shared_ptr<const void> PrepareFft(absl::Span<const int64_t> dims, VectorTarget target) {
  FftLayout layout = FftLayout::FromDims(dims);
  layout.vector_bytes = VectorBytes(target);
  if (layout.wide) return std::make_shared<FftPlan<double>>(layout, target);
  return std::make_shared<FftPlan<float>>(layout, target);
}

absl::Status CheckFft(const LibrarySignature& s) {
  constexpr size_t kLengths = FftLayout::kLengths;
  RETURN_INTERNAL_IF(s.dims.size() <= kLengths || s.dims.size() > kLengths + 3, "fft: {} integers",
                     s.dims.size());
  const int64_t type = s.dims[0], parts = s.dims[2], batch = s.dims[3], inner = s.dims[4];
  RETURN_INTERNAL_IF(type < 0 || type > FftLayout::kRealInverse || parts < 0 || parts > 1 ||
                         batch < 0 || inner < 1,
                     "fft: type {}, parts {}, batch {}, inner {}", type, parts, batch, inner);
  RETURN_INTERNAL_IF(type == FftLayout::kRealForward && parts != 0, "fft: parts of real numbers");
  RETURN_INTERNAL_IF(type >= FftLayout::kRealForward && inner != 1, "fft: real numbers apart by {}",
                     inner);
  int64_t left = INT64_MAX / 64 / inner;
  if (batch > 0) left /= batch;
  for (const int64_t n : s.dims.subspan(kLengths)) {
    RETURN_INTERNAL_IF(n < 1 || n > left, "fft: a length of {}", n);
    left /= n;
  }
  const FftLayout layout = FftLayout::FromDims(s.dims);
  const std::vector<int64_t> least = layout.BufferBytes();
  RETURN_INTERNAL_IF(s.sizes.size() != least.size(), "fft: {} buffers", s.sizes.size());
  for (size_t k = 0; k < least.size(); ++k) {
    RETURN_INTERNAL_IF(s.sizes[k] < least[k], "fft: buffer {} of {} bytes", k, s.sizes[k]);
  }
  return absl::OkStatus();
}

}  // namespace sinter::runtime::cpu
