#include "base/build_id.h"

#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstring>

namespace sinter {
namespace {

// Finds the note of the loaded file that holds this function.
struct Search {
  uintptr_t inside = 0;
  std::string found;
};

std::string IdIn(const char* notes, size_t size) {
  auto aligned = [](size_t n) { return (n + 3) / 4 * 4; };
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes, sizeof note);
    const size_t name = sizeof note, value = name + aligned(note.n_namesz),
                 end = value + aligned(note.n_descsz);
    if (end > size) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        std::memcmp(notes + name, "GNU", 4) == 0) {
      constexpr char kDigits[] = "0123456789abcdef";
      std::string id;
      for (size_t i = 0; i < note.n_descsz; ++i) {
        const auto byte = static_cast<unsigned char>(notes[value + i]);
        id += kDigits[byte >> 4];
        id += kDigits[byte & 15];
      }
      return id;
    }
    notes += end;
    size -= end;
  }
  return "";
}

int Visit(dl_phdr_info* file, size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  std::string id;
  bool holds = false;
  for (int i = 0; i < file->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = file->dlpi_phdr[i];
    const uintptr_t begin = file->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD)
      holds |= search.inside >= begin && search.inside < begin + segment.p_memsz;
    if (segment.p_type == PT_NOTE && id.empty())
      id = IdIn(reinterpret_cast<const char*>(begin), segment.p_memsz);
  }
  if (holds) search.found = id;
  return holds;
}

}  // namespace

const std::string& BuildId() {
  static const std::string* id = [] {
    Search search;
    search.inside = reinterpret_cast<uintptr_t>(&BuildId);
    dl_iterate_phdr(&Visit, &search);
    return new std::string(search.found);
  }();
  return *id;
}

}  // namespace sinter
