// What the compiler made of an executable: which operations share a kernel, and why others do not.
//
//   std::cout << executable.Explain().value().ToString();
//   // kernel fusion: loop, 4 tasks
//   //   multiply f32[1000]
//   //   add f32[1000]
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sinter/export.h"

namespace sinter {

struct Explanation {
  struct Kernel {
    std::string name;                     // as in Profile::Step
    std::string nest;                     // how it is laid out, with its tile
    std::vector<std::string> operations;  // names of the instructions in it
    // Of these, those whose values a thread caches in memory; of equal regions, by the names in the
    // first.
    std::vector<std::string> cached;
    int64_t tasks = 0;    // that may run at the same time
    bool shared = false;  // another kernel runs the same code
  };
  // A value that one kernel computes and another one reads from memory.
  struct Edge {
    std::string producer, consumer;  // names of kernels
    std::string value;               // its shape
    std::string reason;              // why they are not one kernel
    // Where that was a matter of price: nanoseconds, estimated, of one thread, that computing the
    // value inside the consumer would take, and of a kernel by itself with the way through memory.
    // Else 0.
    double fused_nanoseconds = 0, apart_nanoseconds = 0;
  };
  std::vector<Kernel> kernels;
  std::vector<Edge> edges;
  // Operations of the computation itself, not of loops and branches, that need no kernel: views,
  // control flow over arrays.
  std::vector<std::string> outside;
  // Of programs that run on several devices: a line a collective, with the bytes that a device
  // receives when it runs once; operations that every partition computes from whole arrays, and
  // why.
  std::vector<std::string> traffic, replicated;
  // Where partitions were made of a program with shardings: how each leaf of the parameters and of
  // the result is spread over them, in the text of HLO: "{devices=[2,1]<=[2]}".
  std::vector<std::string> parameter_shardings, result_shardings;
  // When the executable was compiled: time spent on passes, on kernels, on machine code.
  double pass_milliseconds = 0, kernel_milliseconds = 0, code_milliseconds = 0;

  // A line a kernel, a line an operation, a line a value between kernels, a summary.
  SINTER_API std::string ToString() const;
};

}  // namespace sinter
