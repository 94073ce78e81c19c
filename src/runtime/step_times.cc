#include "runtime/step_times.h"

namespace sinter::runtime {

StepTimer::StepTimer(StepTimes& times, absl::Span<const int32_t> parents)
    : times_(times), parents_(parents) {
  times_.steps.resize(parents.size());
}

void StepTimer::Close(int64_t now) {
  const Open open = open_.back();
  open_.pop_back();
  StepTimes::Step& step = times_.steps[static_cast<size_t>(open.step)];
  ++step.calls;
  step.nanoseconds += now - open.begin;
  times_.Add({open.step, -1, 0, open.begin, now});
}

void StepTimer::Begin(int32_t step, bool opens, int64_t now) {
  // What `step` is in, from the outside.
  chain_.clear();
  for (int32_t s = opens ? step : parents_[static_cast<size_t>(step)]; s >= 0;
       s = parents_[static_cast<size_t>(s)])
    chain_.insert(chain_.begin(), s);
  size_t common = 0;
  while (common < chain_.size() && common < open_.size() && open_[common].step == chain_[common])
    ++common;
  while (open_.size() > common) Close(now);
  for (; common < chain_.size(); ++common) open_.push_back({chain_[common], now});
}

void StepTimer::End(int32_t step, int64_t begin, int64_t end) {
  StepTimes::Step& s = times_.steps[static_cast<size_t>(step)];
  ++s.calls;
  s.nanoseconds += end - begin;
  times_.Add({step, -1, 0, begin, end});
}

void StepTimer::Stage(int32_t step, int32_t stage, int64_t begin, int64_t end) {
  std::vector<int64_t>& stages = times_.steps[static_cast<size_t>(step)].stages;
  const auto k = static_cast<size_t>(stage);
  if (stages.size() <= k) stages.resize(k + 1);
  stages[k] += end - begin;
  times_.Add({step, stage, 0, begin, end});
}

void StepTimer::Block(int32_t loop, int64_t turns, int64_t begin, int64_t end) {
  times_.steps[static_cast<size_t>(loop)].turns += turns;
  times_.Add({loop, -1, 0, begin, end});
}

void StepTimer::StageOfBlock(int32_t step, int32_t stage, int64_t calls, int64_t nanoseconds) {
  StepTimes::Step& s = times_.steps[static_cast<size_t>(step)];
  if (stage == 0) s.calls += calls;
  s.nanoseconds += nanoseconds;
  const auto k = static_cast<size_t>(stage);
  if (s.stages.size() <= k) s.stages.resize(k + 1);
  s.stages[k] += nanoseconds;
}

void StepTimer::Finish(int64_t now) {
  while (!open_.empty()) Close(now);
}

}  // namespace sinter::runtime
