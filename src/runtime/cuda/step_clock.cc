#include "runtime/cuda/step_clock.h"

#include <cmath>

#include "base/status.h"

namespace sinter::runtime::cuda {
namespace {

// Events that are held at a time; then the device is waited for.
constexpr size_t kMostNotes = 1024;

}  // namespace

StepClock::~StepClock() {
  for (const Note& n : notes_) {
    if (n.event != nullptr) free_.push_back(n.event);
  }
  if (origin_ != nullptr) free_.push_back(origin_);
  for (EventHandle event : free_) context_.driver().EventDestroy(event);
}

absl::StatusOr<EventHandle> StepClock::Record() {
  EventHandle event = nullptr;
  if (free_.empty()) {
    RETURN_IF_CUDA_ERROR(context_, EventCreate, &event, kEventBlockingSync);
  } else {
    event = free_.back();
    free_.pop_back();
  }
  absl::Status status = SINTER_CUDA_CHECK(context_, EventRecord, event, context_.stream());
  if (status.ok()) return event;
  free_.push_back(event);
  return status;
}

absl::Status StepClock::Start() {
  ASSIGN_OR_RETURN(origin_, Record());
  origin_ns_ = last_ = timer_.times().Now();
  return absl::OkStatus();
}

absl::Status StepClock::Add(Kind kind, int32_t step, int32_t stage) {
  ASSIGN_OR_RETURN(EventHandle event, Record());
  notes_.push_back({kind, step, stage, event});
  return absl::OkStatus();
}

void StepClock::Control(int32_t step, bool turn) {
  notes_.push_back({turn ? Kind::kTurn : Kind::kControl, step, -1, nullptr});
}
absl::Status StepClock::Begin(int32_t step) {
  if (notes_.size() >= kMostNotes) RETURN_IF_ERROR(Drain());
  return Add(Kind::kBegin, step, -1);
}
absl::Status StepClock::Stage(int32_t step, int32_t stage) {
  return Add(Kind::kStage, step, stage);
}
absl::Status StepClock::End(int32_t step) { return Add(Kind::kEnd, step, -1); }

absl::Status StepClock::Drain() {
  int64_t begin = 0, stage_begin = 0;
  for (const Note& n : notes_) {
    if (n.event != nullptr) {
      float milliseconds = 0;
      RETURN_IF_CUDA_ERROR(context_, EventSynchronize, n.event);
      RETURN_IF_CUDA_ERROR(context_, EventElapsedTime, &milliseconds, origin_, n.event);
      last_ = origin_ns_ + std::llround(static_cast<double>(milliseconds) * 1e6);
    }
    switch (n.kind) {
      case Kind::kControl:
      case Kind::kTurn:
        timer_.Begin(n.step, /*opens=*/true, last_);
        if (n.kind == Kind::kTurn) timer_.Turn(n.step);
        break;
      case Kind::kBegin:
        timer_.Begin(n.step, /*opens=*/false, last_);
        begin = stage_begin = last_;
        break;
      case Kind::kStage:
        timer_.Stage(n.step, n.stage, stage_begin, last_);
        stage_begin = last_;
        break;
      case Kind::kEnd:
        timer_.End(n.step, begin, last_);
        break;
    }
  }
  for (const Note& n : notes_) {
    if (n.event != nullptr) free_.push_back(n.event);
  }
  notes_.clear();
  return absl::OkStatus();
}

absl::Status StepClock::Finish() {
  RETURN_IF_ERROR(Drain());
  timer_.Finish(last_);
  return absl::OkStatus();
}

}  // namespace sinter::runtime::cuda
