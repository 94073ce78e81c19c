// Runs a program everywhere and compares.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/program.h"

namespace sinter::fuzz {

struct Variant {
  std::string isa;
  bool simplify = true;
  std::vector<std::string> DisabledPasses() const;
  std::string Text() const { return "isa=" + isa + (simplify ? "" : ", not simplified"); }
};
std::vector<Variant> AllVariants();

// Beside what every program is checked for.
struct Checks {
  std::vector<Variant> variants;
  bool kernels = true;       // each kernel against the interpreter of the kernel IR
  bool two_threads = false;  // two threads give the same bits as one
};

class Checker {
 public:
  Checker();
  ~Checker();
  // What is wrong with the program: printing, what a variant of the compiled program gives, or what
  // `checks` asks for beside; nothing if all is well.
  std::optional<std::string> Check(const Program& program, uint64_t seed, const Checks& checks);

 private:
  struct Clients;
  std::unique_ptr<Clients> clients_;
};

// What `check` says in a process of its own, which may crash or hang.
std::optional<std::string> Apart(const std::function<std::optional<std::string>()>& check);
// The same of a program.
std::optional<std::string> CheckApart(const Program& program, uint64_t seed, const Checks& checks);

// What went wrong without the particulars, so that a program that is reduced does not come to fail
// for other reasons.
std::string Kind(const std::string& wrong);

}  // namespace sinter::fuzz
