// Programs as the generator makes them and the reducer takes them apart: computations of nodes,
// printed as HLO text, with what is known of each value.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "sinter/literal.h"

namespace sinter::fuzz {

// What is known of the elements of a value before it is computed.
struct Facts {
  bool exact = true;      // devices agree bit for bit
  bool integral = false;  // floats (and parts of complex numbers) that are integers
  // Bounds of floats, and of the parts of complex numbers; infinite where there may be infinities
  // or NaNs.
  double lo = -std::numeric_limits<double>::infinity();
  double hi = std::numeric_limits<double>::infinity();
  double error = 0;  // absolute, of what is not exact

  bool tame() const { return hi < std::numeric_limits<double>::infinity(); }
  double largest() const { return lo < 0 && -lo > hi ? -lo : hi < 0 ? -hi : hi; }
  // Of values some of which are of the one kind, the others of the other.
  Facts Or(const Facts& o) const {
    return {exact && o.exact, integral && o.integral, lo < o.lo ? lo : o.lo, hi > o.hi ? hi : o.hi,
            error > o.error ? error : o.error};
  }
  static Facts Wild() { return {}; }
  static Facts Within(double lo, double hi, bool integral = false) {
    return {true, integral, lo, hi, 0};
  }
  // Not exact: within `error` of what is computed otherwise.
  static Facts Near(double largest, double error) {
    return {false, false, -largest, largest, error};
  }
};

struct Node {
  std::string op;
  ElementType type = ElementType::F32;
  std::vector<int64_t> dims;
  std::string tuple;  // the shape, if it is a tuple
  std::vector<int> operands;
  std::string literal;     // of a constant
  std::string attributes;  // ", dimensions={0}"
  // Attribute, computation; an empty attribute: a list of branches.
  std::vector<std::pair<std::string, int>> called;
  Facts facts;

  bool is_array() const { return tuple.empty(); }
  int64_t count() const;
};

struct Function {
  std::vector<Node> nodes;
  std::vector<int> parameters;  // nodes, by number
  std::vector<int> results;
  bool tuple = false;       // the root is a tuple of the results
  std::string text;         // instead of nodes: written by hand
  std::vector<int> called;  // by the text
};

// Of a function, by its number.
std::string FunctionName(int function);

struct Program {
  int64_t replicas = 1, partitions = 1;  // of its participants
  std::vector<Function> functions;       // callees before their callers, the entry last

  Function& entry() { return functions.back(); }
  const Function& entry() const { return functions.back(); }
};

std::string ShapeText(ElementType type, const std::vector<int64_t>& dims);
std::string ShapeText(const Node& node);
Shape ShapeOf(const Node& node);

// Removes nodes that nothing depends on. Parameters without users stay.
std::string Print(const Program& program);

// Which nodes the results depend on.
std::vector<bool> Live(const Function& function);
// Which functions the entry needs, itself included.
std::vector<bool> Called(const Program& program);

// The entry's arguments: by their facts, the same for the same node whatever else is in the
// program.
std::vector<Literal> Arguments(const Program& program, uint64_t seed);

// The arrays that arguments consist of, and a literal of the shape of such arrays.
std::vector<Literal> LeavesOf(const std::vector<Literal>& arguments);
Literal FromLeaves(const Shape& shape, std::vector<Literal> leaves);

// What a device made of the program against what the interpreter did: exact where the program's
// facts say so, else within what they allow.
absl::Status Compare(const Program& program, const Literal& actual, const Literal& expected);

}  // namespace sinter::fuzz
