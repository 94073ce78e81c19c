// What the compiler did and why, for people to read: no run depends on it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sinter::program {

struct Notes {
  struct Kernel {
    std::string name;                     // as of the launch
    std::string nest;                     // its kind of loops, with the tile where there is one
    std::vector<std::string> operations;  // the instructions in it
    // Of these, those whose values a thread caches in memory; of equal regions, by the names in the
    // first.
    std::vector<std::string> cached;
    int64_t tasks = 0;
    bool shared = false;  // another kernel runs the same code
  };
  // A value that a kernel computes and another one reads from memory.
  struct Edge {
    std::string producer, consumer;  // kernels
    std::string value;               // its shape
    std::string reason;              // why the two are not one kernel
    // Nanoseconds that computing it inside the consumer takes, and in a kernel by itself; 0 where
    // the decision did not need them.
    double fused = 0, apart = 0;
  };
  std::vector<Kernel> kernels;
  std::vector<Edge> edges;
  std::vector<std::string> outside;  // operations without a kernel: views, control flow over arrays
  // Of programs of several participants: what a collective moves, a line each; operations that
  // every partition computes from whole arrays, and why; where the compiler made the partitions'
  // program, how the leaves of parameters and results are spread over them, as HLO text.
  std::vector<std::string> traffic, replicated, parameter_shardings, result_shardings;
  // Milliseconds spent on passes, on plans and kernels, on machine code.
  double pass_ms = 0, kernel_ms = 0, code_ms = 0;
};

}  // namespace sinter::program
