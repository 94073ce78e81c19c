// What memory the system would give the process.
#pragma once

#include <cstddef>

namespace sinter {

// Whether the process may map `bytes` more now (RLIMIT_AS, or a system that promises no more than
// it has). Says nothing of the limits that are met by ending a process once memory is used.
bool CanMap(size_t bytes);

}  // namespace sinter
