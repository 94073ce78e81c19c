#include "tools/profile_report.h"

#include <algorithm>
#include <set>
#include <vector>

#include "base/status.h"

namespace sinter::tools {
namespace {

using Json = nlohmann::ordered_json;

std::string NameOf(const Profile::Step& step) {
  return step.kind == Profile::Kind::kWhile || step.kind == Profile::Kind::kConditional
             ? Format("{} {}", step.name, step.number)
             : step.name;
}

}  // namespace

Json ProfileJson(const Profile& profile) {
  Json out;
  out["runs"] = profile.runs;
  out["run_us"] = profile.seconds * 1e6;
  out["bytes_per_second"] = profile.bytes_per_second;
  out["operations_per_second"] = profile.operations_per_second;
  const double all = profile.seconds * static_cast<double>(profile.runs);
  Json& steps = out["steps"] = Json::array();
  for (const Profile::Step& s : profile.steps) {
    Json j;
    j["name"] = s.name;
    j["kind"] = KindName(s.kind);
    j["number"] = s.number;
    j["parent"] = s.parent;
    j["calls"] = s.calls;
    j["total_us"] = s.seconds * 1e6;
    j["call_us"] = s.seconds_per_call() * 1e6;
    j["share_of_run"] = all > 0 ? s.seconds / all : 0;
    if (s.kind == Profile::Kind::kWhile) j["turns"] = s.turns;
    if (s.stage_seconds.size() > 1) {
      for (double seconds : s.stage_seconds) j["stages_us"].push_back(seconds * 1e6);
    }
    j["bytes_read"] = s.bytes_read;
    j["bytes_written"] = s.bytes_written;
    j["operations"] = s.operations;
    j["share_of_limit"] = s.share_of_limit;
    steps.push_back(std::move(j));
  }
  return out;
}

std::string TraceJson(const Profile& profile) {
  std::vector<const Profile::Step*> by_number(profile.steps.size());
  for (const Profile::Step& s : profile.steps) by_number[static_cast<size_t>(s.number)] = &s;
  // The outer first: it begins no later, and ends no earlier.
  std::vector<Profile::Event> events = profile.events;
  std::stable_sort(events.begin(), events.end(),
                   [&](const Profile::Event& a, const Profile::Event& b) {
                     if (a.thread != b.thread) return a.thread < b.thread;
                     if (a.begin != b.begin) return a.begin < b.begin;
                     if (a.end != b.end) return a.end > b.end;
                     return a.step != b.step ? a.step < b.step : a.stage < b.stage;
                   });
  Json out;
  out["displayTimeUnit"] = "ns";
  Json& list = out["traceEvents"] = Json::array();
  std::set<int64_t> threads;
  for (const Profile::Event& e : events) threads.insert(e.thread);
  for (int64_t t : threads) {
    list.push_back({{"name", "thread_name"},
                    {"ph", "M"},
                    {"pid", 0},
                    {"tid", t},
                    {"args", {{"name", t == 0 ? std::string("steps") : Format("thread {}", t)}}}});
  }
  for (const Profile::Event& e : events) {
    const Profile::Step& step = *by_number[static_cast<size_t>(e.step)];
    Json j;
    j["name"] = e.stage < 0 ? NameOf(step) : Format("{} stage {}", NameOf(step), e.stage);
    j["cat"] = KindName(step.kind);
    j["ph"] = "X";
    j["ts"] = e.begin * 1e6;
    j["dur"] = (e.end - e.begin) * 1e6;
    j["pid"] = 0;
    j["tid"] = e.thread;
    Json& args = j["args"] = Json::object();
    args["step"] = step.number;
    if (e.stage < 0) {
      args["bytes_read"] = step.bytes_read;
      args["bytes_written"] = step.bytes_written;
      args["operations"] = step.operations;
    }
    list.push_back(std::move(j));
  }
  return out.dump();
}

}  // namespace sinter::tools
