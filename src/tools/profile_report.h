// Profiles as JSON: for scripts, and as a trace for viewers.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sinter/profile.h"

namespace sinter::tools {

// What `sinter bench --profile --json` prints: times in microseconds, the longest first.
nlohmann::ordered_json ProfileJson(const Profile& profile);

// Profile::events in Chrome's trace event format, which Perfetto opens: complete events ("ph": "X")
// with "ts" and "dur" in microseconds, "tid" the thread, and bytes and operations of steps in
// "args". An event that is in another one follows it.
std::string TraceJson(const Profile& profile);

}  // namespace sinter::tools
