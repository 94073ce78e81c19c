// Records a function node by node, deriving what is known of each value.
#pragma once

#include <string>
#include <vector>

#include "fuzz/generate.h"
#include "fuzz/program.h"
#include "fuzz/random.h"
#include "fuzz/types.h"

namespace sinter::fuzz {

using Dims = std::vector<int64_t>;

class Maker {
 public:
  Maker(Program& program, Random& random, const GenerateOptions& options)
      : program(program), random(random), options(options) {}

  const Node& at(int i) const { return f.nodes[static_cast<size_t>(i)]; }
  int Add(Node node);
  int Add(std::string op, ElementType type, Dims dims, std::vector<int> operands, Facts facts,
          std::string attributes = "");
  int Parameter(ElementType type, Dims dims, Facts facts);
  int Parameter(ElementType type, Dims dims);  // of facts drawn
  int Scalar(ElementType type, double value);
  int Splat(ElementType type, Dims dims, double value);
  int Broadcast(int x, Dims dims, const Dims& where);
  Facts DrawFacts(ElementType type);

  // Elementwise with the facts that follow; -1 where they would say too little (bounds too wide,
  // errors too large, an operation that is not continuous on inexact operands).
  int Unary(const std::string& op, int x);
  int Binary(const std::string& op, int x, int y);
  int Convert(int x, ElementType to);
  int Select(int p, int x, int y);
  int Compare(int x, int y);
  int Reduce(int x, const Dims& over, const std::string& op);
  // A dot whose result is of type `to`.
  int Dot(int x, int y, const Dims& xb, const Dims& yb, const Dims& xc, const Dims& yc,
          ElementType to);
  int Transpose(int x, const Dims& permutation);
  int Reshape(int x, Dims dims);
  int Element(int tuple, int index, ElementType type, Dims dims, Facts facts);
  // A tuple of these.
  int Tuple(const std::vector<int>& elements);

  // A value of the type and shape, new or not.
  int Like(ElementType type, Dims dims);
  // A value there is, preferring late ones.
  int Any();
  int AnyOf(ElementType type);
  Dims DrawDims(int64_t most_elements, int min_rank = 0);
  // One of these, or 0 as often as the options say.
  int64_t Extent(std::initializer_list<int64_t> list);
  ElementType DrawType();

  Program& program;
  Random& random;
  GenerateOptions options;
  // A loop that there is, for others to share its state.
  struct Loop {
    int state, loop;  // the tuple that it starts from, and itself
    std::vector<Node> elements;
    int counter;  // of the elements
    int condition, body;
  };

  Function f;
  std::vector<Loop> loops;
  bool inner = false;  // of a loop or branch: no new parameters
  int depth = 0;       // loops and branches around this function
};

// One more random operation (patterns.cc: one that is more than a node); false where the values
// drawn did not fit.
bool Step(Maker& m);
bool ElementwiseStep(Maker& m);
bool Pattern(Maker& m);
bool LoopPattern(Maker& m);        // loops.cc
bool MaskedLoopPattern(Maker& m);  // masked_loops.cc
bool IntegratorPattern(Maker& m);  // integrators.cc
bool HistoryPattern(Maker& m);     // histories.cc
bool BranchPattern(Maker& m);      // branches.cc
bool StatePattern(Maker& m);       // states.cc
void LargePattern(Maker& m);
void Corners(Maker& m);                 // corners.cc: parameters and results too
bool WindowPattern(Maker& m);           // windows.cc
bool RaggedDotPattern(Maker& m);        // scans.cc
bool ScanPattern(Maker& m);             // scans.cc
bool CumulativePattern(Maker& m);       // scans.cc
bool AlgebraPattern(Maker& m);          // algebra.cc
bool FunctionPattern(Maker& m);         // functions.cc
bool NormPattern(Maker& m);             // functions.cc
bool BitPattern(Maker& m);              // bits.cc
bool SeveralPattern(Maker& m);          // several.cc
bool PiecesPattern(Maker& m);           // pieces.cc
bool PartsPattern(Maker& m);            // parts.cc
bool LayersPattern(Maker& m);           // layers.cc
bool PairsPattern(Maker& m);            // pairs.cc
bool NarrowPattern(Maker& m);           // narrow.cc
bool RowsPattern(Maker& m);             // rows.cc
bool CountsPattern(Maker& m);           // counts.cc
bool SortByKeys(Maker& m, bool large);  // sorts.cc
bool ExchangePattern(Maker& m);         // exchange.cc
bool FeaturesPattern(Maker& m);         // features.cc
// Elements lo to hi along a dimension, and several arrays one after the other (pieces.cc); -1 where
// one of these is.
int Part(Maker& m, int x, size_t dimension, int64_t lo, int64_t hi, int64_t stride = 1);
int Together(Maker& m, const std::vector<int>& parts, size_t dimension);
// Every second element along a dimension of `extent` elements, from `low` on, is one of x; the
// others are `between` (pieces.cc).
int Apart(Maker& m, int x, size_t dimension, int64_t low, int64_t extent, int between);
// A gather, scatter or sort (moves.cc).
bool Move(Maker& m);
// Indices of these dimensions into an array of others, some of them outside of it (moves.cc).
int IndicesInto(Maker& m, const Dims& dims, const Dims& array);
// "{1,2}", as attributes have it (moves.cc).
std::string Braces(const Dims& dims);

// A computation written by hand ("  ROOT r = ..."), which calls others; its index in the program.
int AddText(Maker& m, const std::string& text, std::vector<int> called = {});
// (f32[2], s32[]) of the nodes' shapes.
std::string TupleText(const std::vector<Node>& nodes);

// A function of parameters of these nodes' shapes whose results have the shapes of `results`; index
// in the program.
int Nested(Maker& outer, const std::vector<Node>& parameters, const std::vector<Node>& results,
           int steps);
// The same of one parameter, a tuple of these.
int NestedOfTuple(Maker& outer, const std::vector<Node>& elements, const std::vector<Node>& results,
                  int steps);

// Values to carry through loops and branches, one at least if any fits: exact ones.
std::vector<int> Carried(Maker& m, int most);

}  // namespace sinter::fuzz
