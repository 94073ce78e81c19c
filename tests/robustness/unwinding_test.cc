// LLVM's errors, and lack of memory within it, leave it as exceptions. They end the process in a
// function that the unwinder does not find.
#include <link.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "sinter/client.h"

// libgcc's own, which no header declares (unwind-dw2-fde.h).
extern "C" {
struct dwarf_eh_bases {  // NOLINT(readability-identifier-naming)
  void* tbase;
  void* dbase;
  void* func;
};
const void* _Unwind_Find_FDE(void* pc, dwarf_eh_bases* bases);  // NOLINT
}

namespace sinter {
namespace {

template <class T>
T Read(const uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

// DW_EH_PE_pcrel | DW_EH_PE_sdata4 (Linux Standard Base, Core, 10.5).
constexpr uint8_t kRelative = 0x1b;
const uint8_t* Follow(const uint8_t* at) { return at + Read<int32_t>(at); }

// The main program's .eh_frame; null where it has no header.
const uint8_t* Frames() {
  const uint8_t* frames = nullptr;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* out) {
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          if (info->dlpi_phdr[i].p_type != PT_GNU_EH_FRAME) continue;
          // lint: allow reinterpret_cast: the loader states where it is as a number
          const auto* header =
              reinterpret_cast<const uint8_t*>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
          if (header[1] == kRelative) *static_cast<const uint8_t**>(out) = Follow(header + 4);
        }
        return 1;  // the first object is the program
      },
      &frames);
  return frames;
}

// A record of .eh_frame begins with its length and what tells a CIE (0) from a FDE (the distance to
// its CIE); then a FDE has where its function begins and how long it is.
TEST_CASE("each function of the program is found by the unwinder") {
  REQUIRE(Client::Cpu({.threads = 1}).ok());  // LLVM is a part of the program
  const uint8_t* record = Frames();
  REQUIRE(record != nullptr);
  int functions = 0, lost = 0;
  for (uint32_t length; (length = Read<uint32_t>(record)) != 0; record += 4 + length) {
    REQUIRE(length != 0xffffffff);
    const uint8_t* field = record + 4;
    const auto distance = Read<uint32_t>(field);
    if (distance == 0) {
      // Version and augmentation: all functions are stated as Follow reads them.
      const std::string_view augmentation(reinterpret_cast<const char*>(field + 5));
      const uint8_t* alignments = field + 5 + augmentation.size() + 1;
      if (augmentation == "zR") REQUIRE(alignments[4] == kRelative);
      continue;
    }
    const uint8_t* begin = Follow(field + 4);
    const auto size = Read<uint32_t>(field + 8);
    if (size == 0) continue;
    ++functions;
    dwarf_eh_bases bases{};
    // lint: allow const_cast: libgcc's function takes it so and changes nothing
    const void* found = _Unwind_Find_FDE(const_cast<uint8_t*>(begin), &bases);
    if (found == nullptr || bases.func != begin) ++lost;
  }
  CHECK(functions > 1000);
  CHECK(lost == 0);
}

}  // namespace
}  // namespace sinter
