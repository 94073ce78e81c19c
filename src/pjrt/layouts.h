// The layouts of the extension of that name.
#pragma once

#include <cstdint>
#include <vector>

#include "sinter/pjrt_extensions.h"

struct PJRT_Layouts_MemoryLayout {
  std::vector<int64_t> minor_to_major;
};
