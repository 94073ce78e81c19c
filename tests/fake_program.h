// Programs made by hand, whose stages are plain C++ functions, for tests of what runs programs.
#pragma once

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "program/program.h"

namespace sinter::fake {

// Functions of `codes[k]` are those given as the k-th list; the object is the index.
class FakeLoader : public program::Loader {
 public:
  explicit FakeLoader(std::vector<std::vector<program::StageFunction>> functions)
      : functions_(std::move(functions)) {}
  absl::StatusOr<std::shared_ptr<program::LoadedCode>> Load(const program::Code& code) override {
    return std::make_shared<Loaded>(functions_.at(code.object.at(0)));
  }

 private:
  class Loaded : public program::LoadedCode {
   public:
    explicit Loaded(std::vector<program::StageFunction> functions)
        : functions_(std::move(functions)) {}
    absl::Span<const program::StageFunction> functions() const override { return functions_; }

   private:
    std::vector<program::StageFunction> functions_;
  };
  std::vector<std::vector<program::StageFunction>> functions_;
};

inline program::Code FakeCode(uint8_t index, size_t functions) {
  program::Code code;
  code.target = "fake";
  code.object = {index};
  for (size_t i = 0; i < functions; ++i) code.symbols.push_back("f" + std::to_string(i));
  return code;
}

// Assembles a program; allocations and slices are of whole buffers.
class ProgramBuilder {
 public:
  explicit ProgramBuilder(std::string name = "fake") { p_.name = std::move(name); }

  program::Slice Argument(Shape shape) {
    p_.parameters.push_back(shape);
    p_.argument_shapes.push_back(shape);
    return Add({program::Residence::kArgument, static_cast<int>(p_.argument_shapes.size()) - 1, 0,
                shape.byte_size()});
  }
  // A result in its own allocation, which takes over an argument's if asked to.
  program::Slice Result(Shape shape, int aliased_argument = -1) {
    p_.result_shapes.push_back(shape);
    program::Slice slice =
        Add({program::Residence::kResult, static_cast<int>(p_.result_shapes.size()) - 1, 0,
             shape.byte_size(), aliased_argument});
    p_.results.push_back(slice);
    return slice;
  }
  // A result that is what `slice` holds at the end.
  void ResultFrom(Shape shape, program::Slice slice) {
    p_.result_shapes.push_back(std::move(shape));
    p_.results.push_back(slice);
  }
  program::Slice Temp(int64_t bytes) {
    program::Slice slice = Add({program::Residence::kTemp, 0, p_.temp_bytes, bytes});
    p_.temp_bytes += (bytes + 63) / 64 * 64;
    return slice;
  }
  program::Slice Constant(Literal literal) {
    int64_t bytes = literal.byte_size();
    p_.constants.push_back(std::move(literal));
    return Add(
        {program::Residence::kConstant, static_cast<int>(p_.constants.size()) - 1, 0, bytes});
  }
  static program::Step Launch(int function, std::vector<program::Slice> buffers, int64_t tasks,
                              int64_t nanoseconds = 0, std::vector<int64_t> dims = {}) {
    program::Launch l;
    l.name = "launch";
    l.buffers = std::move(buffers);
    l.dims = std::move(dims);
    l.stages = {{function, tasks, nanoseconds}};
    return {l};
  }
  void Add(program::Step step) { p_.steps.push_back(std::move(step)); }
  program::Program Build(size_t functions) {
    p_.result = p_.result_shapes.size() == 1 ? p_.result_shapes[0] : Shape::Tuple(p_.result_shapes);
    p_.codes = {FakeCode(0, functions)};
    return p_;
  }
  program::Program& program() { return p_; }

 private:
  program::Slice Add(program::Allocation allocation) {
    p_.allocations.push_back(allocation);
    return {static_cast<int>(p_.allocations.size()) - 1, 0, allocation.size};
  }
  program::Program p_;
};

// Stage functions over f32, tasks are elements. b[0] and b[1] may be one buffer.
inline void AddOne(void* const* b, const int64_t*, int64_t lo, int64_t hi, void*) {
  for (int64_t i = lo; i < hi; ++i)
    static_cast<float*>(b[1])[i] = static_cast<const float*>(b[0])[i] + 1;
}
// b[3] = b[0] * b[1] + b[2], b[0] a scalar.
inline void Axpy(void* const* b, const int64_t*, int64_t lo, int64_t hi, void*) {
  float a = *static_cast<const float*>(b[0]);
  for (int64_t i = lo; i < hi; ++i) {
    static_cast<float*>(b[3])[i] =
        a * static_cast<const float*>(b[1])[i] + static_cast<const float*>(b[2])[i];
  }
}
// b[1] (pred) = b[0][0] < dims[0].
inline void LessThan(void* const* b, const int64_t* dims, int64_t, int64_t, void*) {
  *static_cast<uint8_t*>(b[1]) = *static_cast<const float*>(b[0]) < static_cast<float>(dims[0]);
}
// b[0][i] = dims[0].
inline void Fill(void* const* b, const int64_t* dims, int64_t lo, int64_t hi, void*) {
  for (int64_t i = lo; i < hi; ++i) static_cast<float*>(b[0])[i] = static_cast<float>(dims[0]);
}
inline std::vector<program::StageFunction> Functions() { return {AddOne, Axpy, LessThan, Fill}; }
enum FunctionIndex { kAddOne, kAxpy, kLessThan, kFill };

}  // namespace sinter::fake
