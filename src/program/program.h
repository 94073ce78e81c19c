// The contract between the compiler and the runtime: what a compiled program consists of. A program
// names no compiler type, so that it can be cached, shipped and run by a process without a
// compiler.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "collective/rendezvous.h"
#include "program/notes.h"
#include "sinter/literal.h"
#include "sinter/shape.h"

namespace sinter::program {

// --- memory

// Where a run's bytes live; arrays are packed (Shape::packed_byte_size), but of `constants`, which
// are of types with bytes of their own. kArgument: buffer `index` of the caller's flattened
// parameters. kResult: flattened result `index`, allocated by the runtime for each run, or the
// storage of the donated argument `aliased_argument`. kTemp: the run's arena, at `offset` (a
// multiple of 64). kConstant: `constants[index]`, owned by the program.
enum class Residence : uint8_t { kArgument, kResult, kTemp, kConstant };
struct Allocation {
  Residence residence = Residence::kTemp;
  int index = 0;
  int64_t offset = 0;
  int64_t size = 0;  // bytes
  // kResult: >= 0 where the result takes over a donated argument's storage.
  int aliased_argument = -1;
};

// A range of an allocation.
struct Slice {
  int allocation = -1;
  int64_t offset = 0;
  int64_t size = 0;
};

// --- code

// A compiled stage of a kernel. `buffers` are pointers in the order of Launch::buffers, `dims` the
// values of the run-time dimensions, [lo, hi) the tasks to run, `scratch` this thread's task memory
// (Launch::task_bytes, 64-byte aligned). It refers to no symbol of the library and calls nothing
// outside its object. The caller has set the floating-point state that the program is to run in:
// rounding to nearest, exceptions masked.
using StageFunction = void (*)(void* const* buffers, const int64_t* dims, int64_t lo, int64_t hi,
                               void* scratch);

// One object file (ELF for the CPU, PTX text for a GPU) and the symbols of the stages in it.
struct Code {
  std::string target;  // triple and features that it needs, for messages and keys
  std::vector<uint8_t> object;
  std::vector<std::string> symbols;  // of the stage functions that launches name by index
};

// Code that has been made runnable; functions live as long as it does.
class LoadedCode {
 public:
  virtual ~LoadedCode() = default;
  // In the order of Code::symbols.
  virtual absl::Span<const StageFunction> functions() const = 0;
};

class Loader {
 public:
  virtual ~Loader() = default;
  virtual absl::StatusOr<std::shared_ptr<LoadedCode>> Load(const Code& code) = 0;
};

// --- steps

// What one call of a step does, as the compiler counts it, for profiles: no run depends on it.
struct Cost {
  // Distinct elements of arguments and results, of a result that a step only writes to in part
  // those that it writes.
  int64_t bytes_read = 0, bytes_written = 0;
  // Additions, multiplications and the like (a multiply-add is two; other functions by their
  // length). A loop inside a kernel counts as one turn.
  double operations = 0;
  double wide_operations = 0;  // of these, those on numbers of 8 bytes
};
// What the first half of a stage's tasks uses of a buffer, and the second half: its own half of it,
// as much that lies all over it, as columns do, or more than a half.
enum class Share : uint8_t { kNone, kOwn, kApart, kAll };
struct BufferUse {
  Share share = Share::kNone;
  bool is_written = false;
};
// The bytes of a launch's buffer that a stage's tasks use: task t those in [bounds[2 t],
// bounds[2 t + 1]), or fewer.
struct TaskRanges {
  int buffer = 0;
  bool is_written = false;
  std::vector<int64_t> bounds;
};
struct Stage {
  int function = 0;         // index into the symbols of its code
  int64_t tasks = 1;        // independent; any split over threads gives the same result
  int64_t nanoseconds = 0;  // estimated serial time: the runtime stays serial below its threshold
  // Threads of a block on a GPU, where a task is a block; 0 on the CPU.
  int threads = 0;
  int code = 0;                 // index into Program::codes
  std::vector<BufferUse> uses;  // of the launch's buffers, on the CPU
  // All that its tasks use, where turns of a loop around it may run several at a time: else none.
  std::vector<TaskRanges> ranges;
};
struct Launch {
  std::string name;            // for profiles
  int kernel = 0;              // which of the compiler's, until the stages are known
  std::vector<Slice> buffers;  // argument and scratch buffers of the kernel, in its order
  int operands = 0;            // of the buffers, the first ones: those that it only reads
  std::vector<int64_t> dims;
  std::vector<Stage> stages;  // in order, a barrier between two
  // Private memory of a task's thread; on a GPU the dynamic shared memory of a block.
  int64_t task_bytes = 0;
  Cost cost;
};
struct Copy {
  Slice source, destination;
  // At the end of a loop's body: the next value of an element of the loop's state. Whole
  // allocations, that no other step uses but steps of the loop, and the source's contents of one
  // turn are of no use in the next: so the two may exchange their roles from turn to turn, and
  // bytes be copied only when the loop ends after an odd number of turns.
  bool exchange = false;
  // Before an exchange and after it, at the same place: saves the contents of its destination,
  // which are of use in the next turn, and brings them to its source. Left out where the two
  // exchange their roles.
  bool keeps = false;
};
// A kernel of the runtime's library, by its name there. What buffers and integers mean, the kernel
// says.
struct LibraryCall {
  std::string name;
  std::vector<Slice> buffers;
  std::vector<int64_t> dims;
  int code = -1;     // index into Program::codes of a stage that the kernel calls, -1: none
  int function = 0;  // index into its symbols
  // Of the vectors that the program's own code uses, for a kernel that has code for several
  // instruction sets; 0: whatever the processor has.
  int vector_bytes = 0;
  Cost cost;  // without comparisons
};
struct Step;
// Runs `condition`, then, while the predicate (one byte) is not 0, `body` and `condition` again.
struct While {
  std::vector<Step> condition, body;
  Slice predicate;
  std::string name;    // for profiles
  int64_t turns = -1;  // how often the body runs, where that is known; else -1
};
// Runs the branch that `selector` (s32; outside the range: the last; a predicate byte: 1 the first,
// 0 the second) names.
struct Conditional {
  Slice selector;
  bool selector_is_predicate = false;
  std::vector<std::vector<Step>> branches;
};
// Calls a function of the host's, by name; which one is found when the program is made ready.
struct CustomCall {
  std::string target;
  std::string opaque;
  std::vector<Slice> operands, results;  // leaves of tuples, in order
  std::vector<Shape> operand_shapes, result_shapes;
  bool tuple_result = false;
};
// Writes the number of the replica or of the partition that runs the program, u32.
struct ParticipantId {
  Slice result;
  bool is_partition = false;
};
// An exchange with other participants, who have the same program. All of a group meet in it, but
// those that send and receive. Memory is dense; results are zeros where nobody sends to a
// participant.
struct Collective {
  enum class Kind : uint8_t {
    kAllGather,
    kAllReduce,
    kAllToAll,
    kBroadcast,
    kPermute,
    kRaggedAllToAll,
    kReduce,
    kReduceScatter,
    kSend,
    kReceive
  };
  Kind kind = Kind::kAllReduce;
  collective::Operation operation;
  int64_t channel = 0;
  // Of participants: who meets; of kPermute, kSend and kReceive also source and target.
  collective::Groups groups, pairs;
  std::vector<Slice> operands, results;
  // By result (kSend: by operand): rows, each of which has a part of `part_bytes` for each of the
  // group where it is split or put together, and one else. kAllToAll with several operands does not
  // split: operand k goes to the group's member k. kRaggedAllToAll: a part is a row of dimension 0.
  struct Array {
    int64_t rows = 1, part_bytes = 0;
  };
  std::vector<Array> arrays;
  // kBroadcast, kReduce: the last operand has, as integers of this type, the place in the group of
  // the participant that each result is from or for; else it is the first.
  bool has_roots = false;
  ElementType index_type = ElementType::S32;  // of roots, and of offsets and sizes of rows
  // kAllReduce, kReduce, kReduceScatter: what they combine, and elements of what type.
  collective::Reduction reduction = collective::Reduction::kOther;
  ElementType type = ElementType::F32;
  // Where the device has no exchange that reduces by itself, they combine by a kernel of `tasks`
  // tasks whose buffers are two operands and the result, each of `tile_bytes`. It goes through the
  // group in its order.
  int code = -1, function = 0;
  int64_t tasks = 0, tile_bytes = 0;
  // Of those who meet: the step only begins, and an Await of this number waits for its end. Until
  // then nobody writes its operands or touches its results. -1: it is one step.
  int ticket = -1;
  Cost cost;
};
// The end of the exchange that has begun last with this number.
struct Await {
  int ticket = 0;
};
struct Step {
  std::variant<Launch, Copy, LibraryCall, While, Conditional, CustomCall, ParticipantId, Collective,
               Await>
      op;
};

// --- program

// A dynamic dimension of a flattened argument or result, an array of the dimension's bound:
// argument or result `size`, an s32 scalar, holds how many of its elements there are. The elements
// behind them are anything.
struct DynamicSize {
  int array = 0;
  int64_t dimension = 0;
  int size = 0;
};

struct Program {
  std::string name;
  std::vector<Shape> parameters;  // as the computation states them (tuples possible)
  Shape result;
  std::vector<Shape> argument_shapes;  // flattened: every array leaf, in order
  std::vector<Shape> result_shapes;
  // Where dimensions are dynamic, the sizes are further arguments and results after those that
  // `parameters` and `result` state.
  std::vector<DynamicSize> argument_sizes, result_sizes;
  std::vector<Allocation> allocations;
  // Of each flattened result; usually a whole kResult allocation, but a result may also be an
  // argument or a constant, which the runtime then copies.
  std::vector<Slice> results;
  std::vector<Literal> constants;
  std::vector<Code> codes;
  std::vector<Step> steps;
  int64_t temp_bytes = 0;  // of the arena
  collective::Grid grid;   // of the participants that it was compiled for
  // Null: nobody has written any.
  std::shared_ptr<const Notes> notes;
};

}  // namespace sinter::program
