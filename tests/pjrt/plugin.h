// The plugin as a host sees it: loaded by name, called through its table.
#pragma once

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/pjrt_c_api.h"

namespace sinter::plugin_test {

// Loaded once.
const PJRT_Api* Api();

// "" or "INVALID_ARGUMENT: message"; the error is destroyed.
std::string TextOf(PJRT_Error* error);

void Succeeds(const char* slot, PJRT_Error* error);

template <class Args>
Args Make() {
  Args args{};
  args.struct_size = sizeof args;
  return args;
}
// Calls a function of the table with what `set` makes of its arguments, and requires that it
// succeeds.
#define CALL(slot, ...)                                                \
  [&] {                                                                \
    auto args = ::sinter::plugin_test::Make<PJRT_##slot##_Args>();     \
    __VA_ARGS__;                                                       \
    ::sinter::plugin_test::Succeeds(#slot, Api()->PJRT_##slot(&args)); \
    return args;                                                       \
  }()
// The same for one that fails: the error's text.
#define ERROR_OF(slot, ...)                                        \
  [&] {                                                            \
    auto args = ::sinter::plugin_test::Make<PJRT_##slot##_Args>(); \
    __VA_ARGS__;                                                   \
    return TextOf(Api()->PJRT_##slot(&args));                      \
  }()

PJRT_NamedValue Named(std::string_view name, std::string_view value);
PJRT_NamedValue Named(std::string_view name, int64_t value);

// A client, destroyed at the end.
class TestClient {
 public:
  explicit TestClient(std::vector<PJRT_NamedValue> options = {});
  ~TestClient();
  PJRT_Client* get() const { return client_; }
  PJRT_Device* device() const;
  PJRT_Memory* memory() const;
  // Gives it up.
  void Destroy();

  PJRT_LoadedExecutable* Compile(std::string_view program, std::string_view options = "") const;
  PJRT_Buffer* Vector(const std::vector<float>& values) const;

 private:
  PJRT_Client* client_ = nullptr;
};

void Await(PJRT_Event* event, std::string_view error = "");  // and destroys it
std::vector<float> ValuesOf(PJRT_Buffer* buffer);
void Destroy(PJRT_Buffer* buffer);
void Destroy(PJRT_LoadedExecutable* executable);

struct RunOptions {
  std::vector<int64_t> keep;
  PJRT_ExecuteContext* context = nullptr;
  PJRT_Event** done = nullptr;
  std::string* error = nullptr;  // null: it succeeds
};
std::vector<PJRT_Buffer*> Run(PJRT_LoadedExecutable* executable,
                              std::vector<PJRT_Buffer*> arguments, size_t results = 1,
                              const RunOptions& options = {});

// y = a * x + y over so many elements; a is 2.
std::string Axpy(int64_t size, std::string_view attributes = "");

}  // namespace sinter::plugin_test
