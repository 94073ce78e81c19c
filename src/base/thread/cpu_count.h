// How many processors this process may use.
#pragma once

#include <string_view>

namespace sinter {

// The least of the processors in the affinity mask and the quota of the control group (version 1 or
// 2, with its parents), rounded up; at least 1.
int AvailableCpus();

// For the text of a version 2 `cpu.max` ("200000 100000", "max 100000"): the quota rounded up, or 0
// for none.
int CpusOfCgroupQuota(std::string_view cpu_max);

}  // namespace sinter
