// Where every field of every struct of the C API lies.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace sinter::pjrt_abi {

struct Field {
  std::string name;  // "PJRT_Event_IsReady_Args.is_ready"
  size_t offset, size;
};
struct Struct {
  std::string name;
  size_t size;
};
struct Table {
  std::vector<Field> fields;
  std::vector<Struct> structs;
  std::vector<std::pair<std::string, long>> constants;
};
Table Ours();
Table Theirs();

}  // namespace sinter::pjrt_abi
