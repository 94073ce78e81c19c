// Runs of many numbered programs, each batch in a process of its own, so that what crashes or hangs
// is a failure with a number.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>

#include "base/status.h"

namespace sinter::fuzz {

// What is wrong with the program of a number; none: nothing.
using Check = std::function<std::optional<std::string>(uint64_t seed)>;

struct Failure {
  uint64_t seed = 0;
  std::string what;
};
// The first number in [from, to) that goes wrong, and how, in a process of its own.
inline std::optional<Failure> RunApart(const Check& check, uint64_t from, uint64_t to) {
  int ends[2];
  if (pipe(ends) != 0) return Failure{from, "no pipe"};
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    for (uint64_t seed = from; seed < to; ++seed) {
      alarm(60);
      // At the reading end: this number is in flight.
      if (write(ends[1], &seed, sizeof seed) != sizeof seed) _exit(1);
      if (auto wrong = check(seed)) {
        wrong->resize(std::min<size_t>(wrong->size(), 4000));
        const uint64_t mark = ~uint64_t{0};
        if (write(ends[1], &mark, sizeof mark) != sizeof mark) _exit(1);
        if (write(ends[1], wrong->data(), wrong->size()) < 0) _exit(1);
        break;
      }
    }
    _exit(0);
  }
  close(ends[1]);
  Failure last{from, ""};
  bool failed = false;
  uint64_t number = 0;
  while (!failed && read(ends[0], &number, sizeof number) == sizeof number) {
    failed = number == ~uint64_t{0};
    if (!failed) last.seed = number;
  }
  char buffer[4096];
  for (ssize_t n; failed && (n = read(ends[0], buffer, sizeof buffer)) > 0;)
    last.what.append(buffer, static_cast<size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) return Failure{last.seed, Format("signal {}", WTERMSIG(status))};
  if (WEXITSTATUS(status) != 0) return Failure{last.seed, Format("exit {}", WEXITSTATUS(status))};
  if (failed) return last;
  return std::nullopt;
}

// Fails for the first few that go wrong; `show` gives what else to tell of a number.
inline void RunAllApart(const Check& check, uint64_t first, uint64_t count, uint64_t batch = 5000,
                        const std::function<std::string(uint64_t)>& show = nullptr) {
  int failures = 0;
  for (uint64_t at = first; at < first + count && failures < 10;) {
    const uint64_t end = std::min(at + batch, first + count);
    auto failure = RunApart(check, at, end);
    if (failure) {
      ++failures;
      FAIL_CHECK("number " << failure->seed << ": " << failure->what
                           << (show ? "\n" + show(failure->seed) : ""));
    }
    at = failure ? failure->seed + 1 : end;
  }
}

// The numbers that the environment asks for: SINTER_FUZZ_SEED alone, or SINTER_FUZZ_COUNT of them
// from there on or from 1; else `count`.
struct Numbers {
  uint64_t first, count;
};
inline Numbers NumbersAskedFor(uint64_t count) {
  const char *seed = std::getenv("SINTER_FUZZ_SEED"), *many = std::getenv("SINTER_FUZZ_COUNT");
  return {seed != nullptr ? std::strtoull(seed, nullptr, 10) : 1,
          many != nullptr   ? std::strtoull(many, nullptr, 10)
          : seed != nullptr ? 1
                            : count};
}

}  // namespace sinter::fuzz
