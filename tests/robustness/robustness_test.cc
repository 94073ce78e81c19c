// Programs at the edges of what there can be, through the public interface: they run, or are
// refused as the user's or the machine's error.
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include "base/text.h"
#include "sinter/client.h"
#include "sinter/import.h"
#include "sinter/testing.h"

namespace sinter {
namespace {

// Of threads on some systems; the main thread's is 8 MiB here.
constexpr size_t kStack = size_t{1} << 20;

bool IsRefusal(const absl::Status& s) {
  return s.code() == absl::StatusCode::kInvalidArgument ||
         s.code() == absl::StatusCode::kUnimplemented ||
         s.code() == absl::StatusCode::kResourceExhausted;
}

const std::shared_ptr<Client>& Cpu() {
  static const std::shared_ptr<Client> client =
      *Client::Cpu({.threads = 2, .memory_limit = int64_t{1} << 30, .cache_entries = 1});
  return client;
}

Literal Zeros(const Shape& shape) {
  Literal literal(shape);
  auto* bytes = static_cast<uint8_t*>(literal.untyped_data());
  for (int64_t i = 0; i < literal.byte_size(); ++i) bytes[i] = 0;
  return literal;
}

// Loads, compiles and runs on zeros. Also a status: that it cannot be explained.
absl::StatusOr<Literal> Run(const std::string& text) {
  auto program = Load(text, "edge");
  if (!program.ok()) return program.status();
  auto executable = Cpu()->Compile(*program);
  if (!executable.ok()) return executable.status();
  std::vector<Literal> arguments;
  for (const Shape& s : executable->flat_parameter_shapes()) {
    if (s.byte_size() > 1 << 28) return absl::ResourceExhaustedError("arguments");
    arguments.push_back(Zeros(s));
  }
  return executable->Evaluate(arguments);
}

void RunsOrIsRefused(const std::string& text) {
  auto result = Run(text);
  INFO(text.substr(0, 2000));
  if (!result.ok()) {
    INFO(result.status().ToString().substr(0, 2000));
    CHECK(IsRefusal(result.status()));
  }
}
void Runs(const std::string& text) {
  auto result = Run(text);
  INFO(text.substr(0, 2000));
  INFO(result.status().ToString().substr(0, 2000));
  CHECK(result.ok());
}
void IsRefused(const std::string& text) {
  auto result = Run(text);
  INFO(text.substr(0, 2000));
  INFO(result.status().ToString().substr(0, 2000));
  CHECK(IsRefusal(result.status()));
}

std::string Entry(const std::string& body) {
  return "HloModule m\nadd {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] "
         "add(a, b)\n}\nENTRY e {\n" +
         body + "}\n";
}

TEST_CASE("sizes that no machine has") {
  for (const char* n : {"9223372036854775807", "4611686018427387904", "2305843009213693951",
                        "1152921504606846976", "1099511627776"}) {
    const std::string s = Format("f32[{}]", n);
    IsRefused(Entry("ROOT p = " + s + " parameter(0)\n"));
    IsRefused(Entry("z = f32[] constant(0)\n ROOT b = " + s + " broadcast(z), dimensions={}\n"));
    IsRefused(Entry("ROOT i = " + s + " iota(), iota_dimension=0\n"));
    RunsOrIsRefused(Entry("z = f32[] constant(0)\n b = " + s +
                          " broadcast(z), dimensions={}\n ROOT r = f32[] reduce(b, z), "
                          "dimensions={0}, to_apply=add\n"));
    RunsOrIsRefused(Entry("z = f32[] constant(0)\n b = " + s +
                          " broadcast(z), dimensions={}\n ROOT r = f32[2] slice(b), "
                          "slice={[3:5]}\n"));
    IsRefused(Entry("p = f32[2] parameter(0)\n z = f32[] constant(0)\n ROOT r = " + s +
                    " pad(p, z), padding=0_" + n + "\n"));
    RunsOrIsRefused(
        Format("func.func @main() -> tensor<{0}xf32> {{\n %0 = stablehlo.constant "
               "dense<0.0> : tensor<{0}xf32>\n return %0 : tensor<{0}xf32>\n}}\n",
               n));
  }
  for (const char* dims :
       {"4294967296,4294967296", "3037000500,3037000500", "0,9223372036854775807",
        "9223372036854775807,0", "65536,65536,65536,65536", "2147483648,2147483648,2"}) {
    RunsOrIsRefused(
        Entry(Format("z = f32[] constant(0)\n b = f32[{0}] broadcast(z), "
                     "dimensions={{}}\n ROOT n = f32[{0}] negate(b)\n",
                     dims)));
    RunsOrIsRefused(Entry(Format("ROOT p = f32[{0}] parameter(0)\n", dims)));
  }
  CHECK(Shape::Make(ElementType::F64, {int64_t{1} << 61}).status().code() ==
        absl::StatusCode::kInvalidArgument);
}

TEST_CASE("a limit of memory is an error, and the client goes on") {
  auto client = *Client::Cpu({.threads = 1, .memory_limit = 1 << 20});
  auto program =
      *Load(Entry("z = f32[] parameter(0)\n b = f32[1000000] broadcast(z), dimensions={}\n"
                  " ROOT n = f32[1000000] sine(b)\n"));
  auto executable = *client->Compile(program);
  for (int i = 0; i < 3; ++i) {
    CHECK(executable.Evaluate({Literal::R0<float>(1)}).status().code() ==
          absl::StatusCode::kResourceExhausted);
  }
  auto small =
      *client->Compile(*Load(Entry("p = f32[3] parameter(0)\n ROOT n = f32[3] negate(p)\n")));
  CHECK(small.Evaluate({Literal::R1<float>({1, 2, 3})}).ok());
  CHECK(client->BufferFromLiteral(Literal(Shape(ElementType::F32, {1000000}))).status().code() ==
        absl::StatusCode::kResourceExhausted);
}

#if !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)  // which map terabytes themselves

// What the process has mapped, in bytes.
size_t Mapped() {
  size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

// In a process of its own that may map so much more than it has; true if it ends by itself.
bool SurvivesWith(size_t more) {
  const pid_t child = fork();
  if (child == 0) {
    for (int s : {SIGSEGV, SIGABRT, SIGBUS}) std::signal(s, SIG_DFL);
    rlimit limit{};
    limit.rlim_cur = limit.rlim_max = Mapped() + more;
    setrlimit(RLIMIT_AS, &limit);
    auto client = Client::Cpu({.threads = 2});
    if (!client.ok()) _exit(0);
    for (int n : {1000, 100000, 10000000}) {
      auto program = Load(Entry(
          Format("p = f32[{0}] parameter(0)\n z = f32[] constant(0)\n s = f32[{0}] sine(p)\n r = "
                 "f32[] reduce(s, z), dimensions={{0}}, to_apply=add\n b = f32[{0}] broadcast(r), "
                 "dimensions={{}}\n ROOT a = f32[{0}] add(b, s)\n",
                 n)));
      if (!program.ok()) continue;
      auto executable = (*client)->Compile(*program);
      if (!executable.ok()) continue;
      auto in = executable->Execute({});  // refused
      try {
        (void)executable->Evaluate({Literal(Shape(ElementType::F32, {n}))});
      } catch (const std::bad_alloc&) {  // the literal's, which is ours
      }
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_CASE("where the system has no memory the process goes on") {
  for (size_t more = size_t{1} << 18; more < size_t{1} << 29; more += more / 4) {
    INFO(more << " bytes");
    CHECK(SurvivesWith(more));
  }
}

#endif

TEST_CASE("ranks beyond eight") {
  for (int rank : {9, 12, 20, 40}) {
    std::string dims, order, where;
    for (int d = 0; d < rank; ++d) {
      dims += (d ? "," : "") + std::to_string(d % 5 == 0 && d < 20 ? 2 : 1);
      order += (d ? "," : "") + std::to_string(rank - 1 - d);
      if (d % 2 == 0) where += (d ? "," : "") + std::to_string(d);
    }
    std::string turned, kept;
    for (int d = rank; d-- > 0;)
      turned += (d < rank - 1 ? "," : "") + std::to_string(d % 5 == 0 && d < 20 ? 2 : 1);
    for (int d = 1; d < rank; d += 2)
      kept += (d > 1 ? "," : "") + std::to_string(d % 5 == 0 && d < 20 ? 2 : 1);
    const std::string s = "f32[" + dims + "]";
    Runs(Entry("p = " + s + " parameter(0)\n ROOT n = " + s + " sine(p)\n"));
    Runs(Entry("p = " + s + " parameter(0)\n ROOT t = f32[" + turned +
               "] transpose(p), dimensions={" + order + "}\n"));
    Runs(Entry("p = " + s + " parameter(0)\n z = f32[] constant(0)\n ROOT r = f32[" + kept +
               "] reduce(p, z), dimensions={" + where + "}, to_apply=add\n"));
    Runs(Entry("p = " + s + " parameter(0)\n ROOT r = " + s + " reverse(p), dimensions={" + where +
               "}\n"));
    Runs(Entry("p = " + s + " parameter(0)\n q = " + s + " parameter(1)\n ROOT d = f32[" + kept +
               "," + kept + "] dot(p, q), lhs_contracting_dims={" + where +
               "}, rhs_contracting_dims={" + where + "}\n"));
    Runs(Entry("p = " + s + " parameter(0)\n ROOT i = " + s + " iota(), iota_dimension=5\n"));
  }
}

TEST_CASE("empty dimensions") {
  Runs(
      Entry("p = f32[0] parameter(0)\n z = f32[] constant(5)\n ROOT r = f32[] reduce(p, z), "
            "dimensions={0}, to_apply=add\n"));
  Runs(
      Entry("p = f32[3,0] parameter(0)\n q = f32[0,4] parameter(1)\n ROOT d = f32[3,4] dot(p, q), "
            "lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"));
  Runs(
      Entry("p = f32[0,5] parameter(0)\n q = f32[5,0] parameter(1)\n ROOT d = f32[0,0] dot(p, q), "
            "lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"));
  Runs(Entry("p = f32[0,5] parameter(0)\n ROOT t = f32[5,0] transpose(p), dimensions={1,0}\n"));
  Runs(Entry("p = f32[0,5] parameter(0)\n ROOT t = f32[5,0,7] reshape(p)\n"));
  Runs(Entry(
      "p = f32[0] parameter(0)\n q = f32[3] parameter(1)\n ROOT c = f32[3] concatenate(p, q), "
      "dimensions={0}\n"));
  Runs(
      Entry("p = f32[0] parameter(0)\n z = f32[] constant(5)\n ROOT r = f32[4] pad(p, z), "
            "padding=1_3_2\n"));
  Runs(Entry("p = f32[5] parameter(0)\n ROOT r = f32[0] slice(p), slice={[2:2]}\n"));
  Runs(
      Entry("p = f32[5] parameter(0)\n i = s32[] parameter(1)\n ROOT r = f32[0] dynamic-slice(p, "
            "i), dynamic_slice_sizes={0}\n"));
  Runs(
      Entry("p = f32[5] parameter(0)\n q = f32[0] parameter(1)\n i = s32[] parameter(2)\n ROOT r = "
            "f32[5] dynamic-update-slice(p, q, i)\n"));
  Runs(Entry("ROOT i = f32[3,0] iota(), iota_dimension=0\n"));
  Runs(Entry("p = c64[0] parameter(0)\n ROOT i = f32[0] real(p)\n"));
  Runs(Entry("ROOT t = () tuple()\n"));
}

// One instruction a line, each on the result of the one before.
std::string Chain(int count, const std::string& op) {
  std::string body = "x0 = f32[8] parameter(0)\n";
  for (int i = 1; i <= count; ++i) {
    std::string name = "x" + std::to_string(i), before = "x" + std::to_string(i - 1);
    body += (i == count ? "ROOT " : "") + name + " = f32[8] " + op + "(" + before +
            (op == "add" || op == "divide" ? ", x0" : "") + ")\n";
  }
  return Entry(body);
}

TEST_CASE("long chains") {
  Runs(Chain(20000, "negate"));
  Runs(Chain(20000, "add"));
  Runs(Chain(3000, "sine"));
  Runs(Chain(3000, "divide"));
  // Every value is used twice: to recompute each use would take 2^60 steps.
  std::string body = "x0 = f32[8] parameter(0)\n";
  for (int i = 1; i <= 60; ++i) body += Format("x{} = f32[8] add(x{}, x{})\n", i, i - 1, i - 1);
  body += "ROOT r = f32[8] negate(x60)\n";
  Runs(Entry(body));
  // The same through index maps, which fuse what they read.
  body = "x0 = f32[64] parameter(0)\n";
  for (int i = 1; i <= 40; ++i) {
    body += Format("r{0} = f32[64] reverse(x{1}), dimensions={{0}}\n", i, i - 1);
    body += Format("x{0} = f32[64] add(x{1}, r{0})\n", i, i - 1);
  }
  body += "ROOT r = f32[64] negate(x40)\n";
  Runs(Entry(body));
  body = "x0 = f32[8,8] parameter(0)\n";
  for (int i = 1; i <= 2000; ++i)
    body += Format("x{} = f32[8,8] transpose(x{}), dimensions={{1,0}}\n", i, i - 1);
  body += "ROOT r = f32[8,8] negate(x2000)\n";
  Runs(Entry(body));
}

// Runs on a thread of its own with so large a stack.
void OnStack(size_t bytes, std::function<void()> body) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  bytes *= 8;  // frames are larger
#endif
  pthread_attr_t attributes;
  REQUIRE(pthread_attr_init(&attributes) == 0);
  REQUIRE(pthread_attr_setstacksize(&attributes, bytes) == 0);
  pthread_t thread;
  auto run = [](void* f) -> void* {
    (*static_cast<std::function<void()>*>(f))();
    return nullptr;
  };
  // No assertion of this thread while the other one makes its own: Catch takes one at a time.
  const int failed = pthread_create(&thread, &attributes, run, &body);
  if (failed == 0) pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  REQUIRE(failed == 0);
}

TEST_CASE("a host's thread needs no large stack") {
  OnStack(kStack, [] {
    Runs(Chain(3000, "divide"));
    Runs(Chain(3000, "sine"));
    // Nodes that a region has more of than any other of depth: each needs the one before.
    std::string body = "x0 = f32[64] parameter(0)\n";
    for (int i = 1; i <= 1500; ++i)
      body += Format("x{0} = f32[64] {2}(x{1}, x0)\n", i, i - 1, i % 2 ? "multiply" : "subtract");
    Runs(Entry(body + "z = f32[] constant(0)\n ROOT r = f32[] reduce(x1500, z), dimensions={0}, "
                      "to_apply=add\n"));
  });
}

TEST_CASE("thousands of operands, parameters and results") {
  for (int n : {100, 1000}) {
    std::string body, list;
    for (int i = 0; i < n; ++i) {
      body += Format("p{0} = f32[2] parameter({0})\n", i);
      list += Format("{}p{}", i ? ", " : "", i);
    }
    Runs(Entry(body + Format("ROOT c = f32[{}] concatenate({}), dimensions={{0}}\n", 2 * n, list)));
    std::string shapes;
    for (int i = 0; i < n; ++i) shapes += i ? ", f32[2]" : "f32[2]";
    Runs(Entry(body + Format("ROOT t = ({}) tuple({})\n", shapes, list)));
    // A tree of sums over all of them.
    std::string sum = "s0 = f32[2] negate(p0)\n";
    for (int i = 1; i < n; ++i) sum += Format("s{} = f32[2] add(s{}, p{})\n", i, i - 1, i);
    Runs(Entry(body + sum + Format("ROOT r = f32[2] sine(s{})\n", n - 1)));
    // As many results of one value.
    std::string many = "p = f32[2] parameter(0)\n", results;
    for (int i = 0; i < n; ++i) {
      many += Format(
          "c{0} = f32[] constant({0})\n b{0} = f32[2] broadcast(c{0}), dimensions={{}}\n "
          "m{0} = f32[2] multiply(p, b{0})\n",
          i);
      results += Format("{}m{}", i ? ", " : "", i);
    }
    Runs(Entry(many + Format("ROOT t = ({}) tuple({})\n", shapes, results)));
  }
}

TEST_CASE("deep nesting") {
  for (int depth : {10, 100, 5000, 100000}) {
    std::string open, close;
    for (int i = 0; i < depth; ++i) {
      open += "(";
      close += ")";
    }
    RunsOrIsRefused("HloModule m\nENTRY e {\n ROOT p = " + open + "f32[]" + close +
                    " parameter(0)\n}\n");
    std::string tuples = "x0 = f32[] parameter(0)\n", shape = "f32[]";
    if (depth <= 5000) {
      for (int i = 1; i <= std::min(depth, 200); ++i) {
        shape = "(" + shape + ")";
        tuples += Format("x{} = {} tuple(x{})\n", i, shape, i - 1);
      }
      RunsOrIsRefused(
          Entry(tuples + Format("ROOT r = {} copy(x{})\n", shape, std::min(depth, 200))));
    }
    std::string nested;
    for (int i = 0; i < depth; ++i) nested += "tuple<";
    RunsOrIsRefused("func.func @main(%a: " + nested + "tensor<f32>) {\n return\n}\n");
    std::string regions = "func.func @main(%p: tensor<i1>) {\n";
    for (int i = 0; i < depth; ++i) regions += "\"stablehlo.if\"(%p) ({\n";
    RunsOrIsRefused(regions);
    std::string dense = "func.func @main() {\n %0 = stablehlo.constant dense<";
    for (int i = 0; i < depth; ++i) dense += "[";
    RunsOrIsRefused(dense);
  }
  // Loops in loops, calls in calls.
  for (int depth : {20, 200, 2000, 100000}) {
    std::string text =
        "HloModule m\nc { s = (s32[]) parameter(0)\n i = s32[] get-tuple-element(s), "
        "index=0\n n = s32[] constant(0)\n ROOT r = pred[] compare(i, n), "
        "direction=LT\n}\nb0 { ROOT s = (s32[]) parameter(0)\n}\n";
    for (int i = 1; i <= depth; ++i) {
      text += Format(
          "b{0} {{ s = (s32[]) parameter(0)\n ROOT w = (s32[]) while(s), condition=c, "
          "body=b{1}\n}}\n",
          i, i - 1);
    }
    auto check = depth < 1000 ? Runs : IsRefused;
    check(text + Format("ENTRY e {{ s = (s32[]) parameter(0)\n ROOT w = (s32[]) while(s), "
                        "condition=c, body=b{}\n}}\n",
                        depth));
    text = "HloModule m\nf0 { p = f32[] parameter(0)\n ROOT n = f32[] negate(p)\n}\n";
    for (int i = 1; i <= depth; ++i) {
      text += Format("f{0} {{ p = f32[] parameter(0)\n ROOT c = f32[] call(p), to_apply=f{1}\n}}\n",
                     i, i - 1);
    }
    check(text + Format("ENTRY e {{ p = f32[] parameter(0)\n ROOT c = f32[] call(p), "
                        "to_apply=f{}\n}}\n",
                        depth));
  }
  // Calls that double at each level.
  for (int depth : {10, 60}) {
    std::string text = "HloModule m\nf0 { p = f32[] parameter(0)\n ROOT n = f32[] sine(p)\n}\n";
    for (int i = 1; i <= depth; ++i) {
      text += Format(
          "f{0} {{ p = f32[] parameter(0)\n c = f32[] call(p), to_apply=f{1}\n ROOT d = "
          "f32[] call(c), to_apply=f{1}\n}}\n",
          i, i - 1);
    }
    auto check = depth < 20 ? Runs : IsRefused;
    check(text + Format("ENTRY e {{ p = f32[] parameter(0)\n ROOT c = f32[] call(p), "
                        "to_apply=f{}\n}}\n",
                        depth));
  }
}

TEST_CASE("reductions, products and loops at odd extents") {
  for (const char* n : {"1", "2", "65537", "16777217"}) {
    Runs(
        Entry(Format("p = f32[{0}] parameter(0)\n z = f32[] constant(0)\n ROOT r = f32[] reduce(p, "
                     "z), dimensions={{0}}, to_apply=add\n",
                     n)));
    Runs(Entry(
        Format("p = f32[{0},1] parameter(0)\n q = f32[1,1] parameter(1)\n ROOT r = f32[{0},1] "
               "dot(p, q), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n",
               n)));
    Runs(Entry(
        Format("p = f32[1,{0}] parameter(0)\n q = f32[{0},1] parameter(1)\n ROOT r = f32[1,1] "
               "dot(p, q), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n",
               n)));
    Runs(
        Entry(Format("p = s8[{0},1] parameter(0)\n ROOT r = s8[1,{0}] transpose(p), "
                     "dimensions={{1,0}}\n",
                     n)));
  }
}

TEST_CASE("options and arguments that make no sense") {
  CHECK_FALSE(Client::Cpu({.threads = -1}).ok());
  CHECK_FALSE(Client::Cpu({.threads = 1 << 30}).ok());
  CHECK_FALSE(Client::Cpu({.memory_limit = -1}).ok());
  auto program = *Load(Entry("p = f32[3] parameter(0)\n ROOT n = f32[3] negate(p)\n"));
  CHECK_FALSE(Cpu()->Compile(Computation()).ok());
  CHECK_FALSE(Cpu()->Compile(program, {.isa = "nonsense"}).ok());
  CHECK_FALSE(Cpu()->Compile(program, {.donated_parameters = {7}}).ok());
  CHECK_FALSE(Cpu()->Compile(program, {.donated_parameters = {-1}}).ok());
  CHECK_FALSE(Cpu()->Compile(program, {.dump_directory = "/proc/none/such"}).ok());
  auto executable = *Cpu()->Compile(program);
  CHECK_FALSE(executable.Evaluate({}).ok());
  CHECK_FALSE(executable.Evaluate({Literal::R0<float>(1)}).ok());
  CHECK_FALSE(executable.Execute({Buffer()}).ok());
  CHECK_FALSE(Executable().Execute({}).ok());
  CHECK_FALSE(Executable().Explain().ok());
  CHECK_FALSE(executable.Profile({}).ok());
  CHECK_FALSE(Buffer().ToLiteral().ok());
  CHECK_FALSE(Cpu()->BufferFromHost(nullptr, Shape(ElementType::F32, {3})).ok());
  CHECK_FALSE(Cpu()->BufferFromHost(nullptr, Shape::Tuple({})).ok());
  CHECK_FALSE(Cpu()->BufferFromLiteral(Literal::Tuple({})).ok());
}

}  // namespace
}  // namespace sinter
