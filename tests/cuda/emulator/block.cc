#include "cuda/emulator/block.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/status.h"
#include "cuda/emulator/instrument.h"

namespace sinter::emulator {
namespace {

// The block whose fibers this thread of the operating system runs.
thread_local Block* running = nullptr;

Epoch last_epoch = 0;  // under LaunchMutex

}  // namespace

absl::Status Block::Init() {
  if (shared_ != nullptr) return absl::OkStatus();
  // At a multiple of 1024, which is all that swizzled layouts ask for.
  auto* p = static_cast<char*>(std::aligned_alloc(1024, (kMaxShared + 1023) / 1024 * 1024));
  shared_cells_ = NewCells(kMaxShared);
  if (p == nullptr || shared_cells_ == nullptr) return ResourceExhausted("no memory for a block");
  shared_memory_ = {p, [](char* q) { std::free(q); }};
  shared_ = p;
  return absl::OkStatus();
}

absl::Status Block::Begin(const Work& work, uint64_t seed) {
  work_ = work;
  const auto& b = work.geometry.block;
  count_ = b[0] * b[1] * b[2];
  RETURN_IF_ERROR(stacks_.Reserve(count_));
  if (threads_.size() < count_) threads_.resize(count_);
  if (last_epoch > (Epoch{1} << 31))
    return ResourceExhausted("the emulator has run too many blocks");
  random_.seed(seed);
  time_.launch = last_epoch + 1;
  last_allocation_ = nullptr;
  last_range_ = 0;
  return absl::OkStatus();
}

absl::Status Block::Run(std::array<uint32_t, 3> index) {
  work_.geometry.index = index;
  time_.block = time_.now = ++last_epoch;
  waiting_ = ended_ = 0;
  steps_ = 0;
  error_ = absl::OkStatus();
  // What shared memory holds before the block writes: anything.
  const uint64_t junk = random_() | 0x7ff07ff07ff07ff0;
  for (size_t i = 0; i < work_.shared_bytes; i += sizeof junk)
    std::memcpy(shared_ + i, &junk, std::min(sizeof junk, work_.shared_bytes - i));
  in_flight_.assign(work_.shared_bytes, 0);
  for (uint32_t i = 0; i < count_; i++) {
    threads_[i].state = State::kReady;
    threads_[i].copies.list.clear();
    threads_[i].copies.groups = 0;
    PrepareFiber(threads_[i].fiber, stacks_.stack(i), FiberStacks::kBytes, &Block::Start);
  }
  const uint32_t warps = (count_ + kWarp - 1) / kWarp;
  std::vector<uint32_t> order(warps);
  std::iota(order.begin(), order.end(), 0);
  Block* outer = running;
  running = this;
  while (ended_ < count_ && error_.ok()) {
    std::shuffle(order.begin(), order.end(), random_);
    // Some warps run ahead of others.
    uint64_t most = 1 + random_() % warps;
    bool any = false;
    for (uint32_t warp : order) {
      const auto first = static_cast<uint32_t>(random_() % kWarp);
      bool ran = false;
      for (uint32_t l = 0; l < kWarp && error_.ok(); l++) {
        const uint32_t i = warp * kWarp + (first + l) % kWarp;
        if (i >= count_ || threads_[i].state != State::kReady) continue;
        current_ = i;
        ran = true;
        SwitchFiber(scheduler_, threads_[i].fiber);
      }
      any |= ran;
      if (ran && --most == 0) break;
    }
    if (!any && error_.ok()) error_ = Deadlock();
  }
  running = outer;
  if (work_.banks != nullptr) banks_.EndBlock(*work_.sites, *work_.banks);
  return error_;
}

void Block::Start() {
  Block& b = *running;
  EnterFiber(b.scheduler_);
  b.work_.entry(b.work_.arguments);
  if (!b.copies().list.empty()) b.Fail("ends with copies to shared memory that nobody waited for");
  b.ended_++;
  b.threads_[b.current_].state = State::kEnded;
  SwitchFiber(b.threads_[b.current_].fiber, b.scheduler_, true);
}

void Block::Fail(std::string what) {
  error_ = Problem(current_, what);
  // Nothing of this stack is destroyed.
  std::string().swap(what);
  SwitchFiber(threads_[current_].fiber, scheduler_, true);
  __builtin_unreachable();
}

std::string Block::NameOf(uint32_t thread) const {
  return Format("thread {} (warp {}, lane {})", thread, thread / kWarp, thread % kWarp);
}

absl::Status Block::Problem(uint32_t thread, std::string_view what) const {
  const auto& i = work_.geometry.index;
  std::string block = Format("{}", i[0]);
  if (work_.geometry.grid[1] * work_.geometry.grid[2] > 1)
    block = Format("({},{},{})", i[0], i[1], i[2]);
  const Site& site = (*work_.sites)[current_site_];
  return Internal("kernel {}, block {}, {}: {}: {}{}", work_.symbol, block, NameOf(thread), what,
                  site.text,
                  site.function == work_.symbol ? "" : Format(" (in {})", site.function));
}

std::string Block::Where(uint32_t thread) const {
  const Thread& t = threads_[thread];
  switch (t.state) {
    case State::kEnded:
      return "has ended";
    case State::kReady:
      return "runs";
    case State::kBarrier:
    case State::kWarp:
      break;
  }
  return Format("waits at: {}", SiteOf(t).text);
}

absl::Status Block::Deadlock() const {
  const auto& i = work_.geometry.index;
  for (uint32_t t = 0; t < count_; t++) {
    const Thread& waits = threads_[t];
    if (waits.state == State::kEnded) continue;
    // Somebody whom it waits for will not come.
    for (uint32_t u = 0; u < count_; u++) {
      const Thread& other = threads_[u];
      if (waits.state == State::kWarp &&
          (u / kWarp != t / kWarp || !(waits.mask >> (u % kWarp) & 1)))
        continue;
      if (other.state == waits.state && other.site == waits.site && other.mask == waits.mask)
        continue;
      return Internal("kernel {}, block {}: divergence: {} {}; {} {}", work_.symbol, i[0],
                      NameOf(t), Where(t), NameOf(u), Where(u));
    }
    if (waits.state == State::kWarp) {
      return Internal("kernel {}, block {}: {} waits for lanes that do not exist (mask {:#x}): {}",
                      work_.symbol, i[0], NameOf(t), waits.mask, SiteOf(waits).text);
    }
  }
  return Internal("kernel {}, block {}: no thread can go on", work_.symbol, i[0]);
}

void Block::Wait(State state, uint32_t site) {
  threads_[current_].state = state;
  SwitchFiber(threads_[current_].fiber, scheduler_);
  current_site_ = site;
}

void Block::SetInFlight(const char* p, size_t bytes, bool in_flight) {
  const auto offset = static_cast<size_t>(p - shared_);
  std::fill_n(in_flight_.begin() + static_cast<long>(offset), bytes, in_flight ? 1 : 0);
}

void Block::CountBanks(const char* p, size_t bytes) {
  if (work_.banks == nullptr) return;
  banks_.Note(current_site_, current_, p - shared_, static_cast<int64_t>(bytes));
}

void Block::AccessBytes(char* p, size_t bytes, size_t align, unsigned space, bool write,
                        bool read_only) {
  std::string wrong = Examine(p, bytes, align, space, write, read_only);
  if (!wrong.empty()) Fail(std::move(wrong));
}

std::string Block::Examine(char* p, size_t bytes, size_t align, unsigned space, bool write,
                           bool read_only) {
  const char* verb = write ? "writes" : "reads";
  const auto address = reinterpret_cast<uintptr_t>(p),
             shared = reinterpret_cast<uintptr_t>(shared_);
  if (space == 0) {
    const auto stack = reinterpret_cast<uintptr_t>(stacks_.stack(current_));
    if (address - stack <= FiberStacks::kBytes - bytes) return {};  // the thread's own
    space = address - shared < kMaxShared ? 3 : 1;
  }
  Cell* cells = nullptr;
  const auto offset = static_cast<int64_t>(address - shared);
  if (space == 3) {
    if (offset < 0 || static_cast<uint64_t>(offset) + bytes > work_.shared_bytes) {
      return Format("{} {} bytes outside shared memory, at {} of {} bytes", verb, bytes, offset,
                    work_.shared_bytes);
    }
    cells = shared_cells_.get() + offset;
  } else {
    for (const ModuleRange& r : *work_.constants) {
      if (p < r.base || p + bytes > r.base + r.bytes) continue;
      if (write) return Format("writes {} bytes to the constant {}", bytes, r.name);
      if (address % align != 0) return Format("reads {} bytes at no multiple of {}", bytes, align);
      return {};
    }
    if (space == 4) return Format("{} {} bytes outside the module's constants", verb, bytes);
    std::string wrong = FindGlobal(p, bytes, verb);
    if (!wrong.empty()) return wrong;
    cells = last_allocation_->cells.get() + (p - last_allocation_->base);
  }
  auto place = [&](size_t i) {
    const auto at = static_cast<int64_t>(i);
    if (space == 3) return Format("shared memory at {}", offset + at);
    return Format("global memory at {} of an allocation of {} bytes",
                  p - last_allocation_->base + at, last_allocation_->bytes);
  };
  if (address % align != 0)
    return Format("{} {} bytes of {}, no multiple of {}", verb, bytes, place(0), align);

  Accessor by = time_;
  by.thread = static_cast<uint16_t>(current_);
  // Shared memory is new in each block.
  if (space == 3) by.launch = by.block;
  for (size_t i = 0; i < bytes; i++) {
    Cell& c = cells[i];
    if (space == 3 && in_flight_[static_cast<size_t>(offset) + i] != 0)
      return Format("{} {}, to which a copy is in flight", verb, place(i));
    if (space == 3 && !write && c.write < by.block)
      return Format("reads {}, which nobody in this block wrote", place(i));
    switch (Touch(c, by, write, read_only)) {
      case Conflict::kNone:
        break;
      case Conflict::kReadAfterWrite:
      case Conflict::kWriteAfterWrite:
        return Format("race: {} {}, which {} wrote with no barrier between", verb, place(i),
                      NameOf(c.writer));
      case Conflict::kWriteAfterRead:
        return Format("race: writes {}, which {} read with no barrier between", place(i),
                      c.reader == Cell::kSeveral ? "several threads" : NameOf(c.reader));
      case Conflict::kOtherBlockWrote:
        return Format("race: {} {}, which another block wrote", verb, place(i));
      case Conflict::kOtherBlockRead:
        return Format("race: writes {}, which another block read", place(i));
      case Conflict::kReadOnly:
        return Format("{} {}, which this launch both writes and reads as memory that nobody writes",
                      verb, place(i));
    }
  }
  return {};
}

std::string Block::FindGlobal(const char* p, size_t bytes, std::string_view verb) {
  const auto address = reinterpret_cast<uintptr_t>(p);
  Allocation* a = last_allocation_;
  if (a == nullptr || address - reinterpret_cast<uintptr_t>(a->base) >= a->bytes)
    a = work_.memory->Find(p);
  if (a == nullptr || static_cast<size_t>(p - a->base) + bytes > a->bytes) {
    // The nearest allocation below says most.
    auto next = work_.memory->allocations.upper_bound(address);
    if (next == work_.memory->allocations.begin() || address < 4096)
      return Format("{} {} bytes at {}, where there is no memory", verb, bytes,
                    static_cast<const void*>(p));
    const Allocation& below = std::prev(next)->second;
    return Format("{} {} bytes outside global memory, at {} of an allocation of {} bytes", verb,
                  bytes, p - below.base, below.bytes);
  }
  last_allocation_ = a;
  const auto& ranges = *work_.ranges;
  auto holds = [&](const Launch::Range& r) {
    const auto* base = static_cast<const char*>(r.data);
    return p >= base && p + bytes <= base + r.bytes;
  };
  if (!ranges.empty() && !holds(ranges[last_range_])) {
    auto found = std::find_if(ranges.begin(), ranges.end(), holds);
    if (found == ranges.end()) {
      std::string near;
      for (const Launch::Range& r : ranges) {
        const auto* base = static_cast<const char*>(r.data);
        if (p + bytes > base && p < base + r.bytes + 256)
          near = Format(", at {} of a buffer of {} bytes", p - base, r.bytes);
      }
      return Format("{} {} bytes outside the launch's buffers{}", verb, bytes, near);
    }
    last_range_ = static_cast<size_t>(found - ranges.begin());
  }
  if (a->cells == nullptr) a->cells = NewCells(a->bytes);
  return a->cells == nullptr ? "no memory for the shadow of an allocation" : "";
}

void Block::Access(uint32_t index, char* p) {
  const Site& site = (*work_.sites)[index];
  current_site_ = index;
  AccessBytes(p, site.bytes, site.align, site.space, site.kind == Site::Kind::kStore,
              site.read_only);
  if (site.space == 3) CountBanks(p, site.bytes);
}

void Block::Call(uint32_t index, const uint64_t* arguments, uint64_t* results) {
  const Site& site = (*work_.sites)[index];
  current_site_ = index;
  Thread& t = threads_[current_];
  t.site = index;
  t.arguments = arguments;
  t.results = results;
  switch (site.callee->kind) {
    case Intrinsic::Kind::kThread:
      return site.callee->thread({*this, site, arguments, results});
    case Intrinsic::Kind::kWarp:
      return Meet(site);
    case Intrinsic::Kind::kBarrier:
      return Barrier(site);
  }
}

void Block::Barrier(const Site&) {
  Thread& me = threads_[current_];
  me.mask = 0;
  if (++waiting_ < count_) return Wait(State::kBarrier, me.site);
  for (uint32_t i = 0; i < count_; i++) {
    Thread& t = threads_[i];
    if (t.site != me.site) {
      std::string what = Format("divergence: the barrier at which {} {}", NameOf(i), Where(i));
      Fail(std::move(what));
    }
  }
  waiting_ = 0;
  time_.now = ++last_epoch;
  for (uint32_t i = 0; i < count_; i++) threads_[i].state = State::kReady;
}

void Block::Meet(const Site& site) {
  Thread& me = threads_[current_];
  const int argument = site.callee->mask_argument;
  me.mask = argument < 0 ? ~0U : static_cast<uint32_t>(me.arguments[argument]);
  if (!(me.mask >> (current_ % kWarp) & 1))
    Fail(Format("its lane is not in the mask {:#x}", me.mask));
  if (site.callee->arrive != nullptr) site.callee->arrive({*this, site, me.arguments, me.results});
  const uint32_t first = current_ / kWarp * kWarp;
  WarpCall call{*this, site, me.mask, {}, {}};
  for (uint32_t l = 0; l < kWarp; l++) {
    if (!(me.mask >> l & 1)) continue;
    const uint32_t i = first + l;
    if (i >= count_) return Wait(State::kWarp, me.site);
    const Thread& t = threads_[i];
    if (i != current_ && (t.state != State::kWarp || t.site != me.site || t.mask != me.mask))
      return Wait(State::kWarp, me.site);
    call.arguments[l] = t.arguments;
    call.results[l] = t.results;
  }
  site.callee->warp(call);
  for (uint32_t l = 0; l < kWarp; l++) {
    if (me.mask >> l & 1) threads_[first + l].state = State::kReady;
  }
}

void Block::Jump(uint32_t index) {
  if (++steps_ < work_.max_steps) return;
  current_site_ = index;
  Fail(Format("the block has not ended after {} jumps", work_.max_steps));
}

extern "C" {
// What instrumented code calls (instrument.cc).
void SinterEmulatorAccess(char* p, uint32_t site) { running->Access(site, p); }
void SinterEmulatorCall(uint32_t site, const uint64_t* arguments, uint64_t* results) {
  running->Call(site, arguments, results);
}
void SinterEmulatorJump(uint32_t site) { running->Jump(site); }
}

}  // namespace sinter::emulator
