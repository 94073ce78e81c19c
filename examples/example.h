// What the examples share: a clock, and leaving with a message where something is wrong.
#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

class Timer {
 public:
  double Milliseconds() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_)
        .count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

inline void Check(const absl::Status& status) {
  if (status.ok()) return;
  std::printf("error: %s\n", status.ToString().c_str());
  std::exit(1);
}
template <class T>
T Check(absl::StatusOr<T> value) {
  Check(value.status());
  return *std::move(value);
}
inline void Expect(bool holds, const char* what) {
  if (!holds) Check(absl::InternalError(what));
}
