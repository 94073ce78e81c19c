// Runs a program everywhere and compares.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "fuzz/program.h"
#include "sinter/literal.h"

namespace sinter::fuzz {

struct Variant {
  std::string isa;
  bool simplify = true;
  std::string Text() const { return "isa=" + isa + (simplify ? "" : ", not simplified"); }
};
std::vector<Variant> AllVariants();

// What a device made of the program against what the interpreter did: exact where the program's
// facts say so, else within what they allow.
absl::Status Compare(const Program& program, const Literal& actual, const Literal& expected);

class Checker {
 public:
  Checker();
  ~Checker();
  // What is wrong with the program: printing, what a variant of the compiled program gives, or what
  // one of its kernels does that the interpreter of the kernel IR does not; nothing if all is well.
  // `two_threads`: also that two threads give the same bits as one.
  std::optional<std::string> Check(const Program& program, uint64_t seed,
                                   const std::vector<Variant>& variants, bool two_threads);

 private:
  struct Clients;
  std::unique_ptr<Clients> clients_;
};

// The same in a process of its own, that may crash or hang.
std::optional<std::string> CheckApart(const Program& program, uint64_t seed,
                                      const std::vector<Variant>& variants, bool two_threads);

}  // namespace sinter::fuzz
