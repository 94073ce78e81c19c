#include "tools/profile_report.h"

#include <catch2/catch.hpp>

namespace sinter::tools {
namespace {

Profile Sample() {
  Profile p;
  p.name = "sample";
  p.runs = 2;
  p.seconds = 1e-3;
  Profile::Step loop, kernel;
  loop.name = "while";
  loop.kind = Profile::Kind::kWhile;
  loop.number = 0;
  loop.calls = 2;
  loop.turns = 6;
  loop.seconds = 1.5e-3;
  kernel.name = "fusion";
  kernel.number = 1;
  kernel.parent = 0;
  kernel.calls = 6;
  kernel.seconds = 1.2e-3;
  kernel.stage_seconds = {1e-3, 2e-4};
  kernel.bytes_read = 4000;
  kernel.bytes_written = 400;
  kernel.operations = 1000;
  p.steps = {loop, kernel};
  // As they are recorded: an event when it ends.
  p.events = {{1, 0, 0, 10e-6, 20e-6},
              {1, 0, 1, 12e-6, 18e-6},
              {1, -1, 0, 10e-6, 30e-6},
              {0, -1, 0, 5e-6, 40e-6}};
  return p;
}

TEST_CASE("a trace has complete events in microseconds, the outer first") {
  auto trace = nlohmann::json::parse(TraceJson(Sample()));
  std::vector<nlohmann::json> events;
  int names = 0;
  for (const auto& e : trace.at("traceEvents")) {
    if (e.at("ph") == "X") {
      events.push_back(e);
    } else {
      CHECK(e.at("ph") == "M");
      ++names;
    }
  }
  CHECK(names == 2);  // one a thread
  REQUIRE(events.size() == 4);
  CHECK(events[0].at("name") == "while 0");
  CHECK(events[0].at("ts").get<double>() == Approx(5));
  CHECK(events[0].at("dur").get<double>() == Approx(35));
  CHECK(events[1].at("name") == "fusion");
  CHECK(events[1].at("args").at("bytes_read") == 4000);
  CHECK(events[1].at("args").at("bytes_written") == 400);
  CHECK(events[1].at("args").at("operations") == 1000);
  CHECK(events[2].at("name") == "fusion stage 0");
  CHECK(events[3].at("tid") == 1);
  // Each lies in those of its thread that have begun and not ended.
  std::vector<double> ends;
  for (int k = 0; k < 3; ++k) {
    const double begin = events[static_cast<size_t>(k)].at("ts");
    const double end = begin + events[static_cast<size_t>(k)].at("dur").get<double>();
    while (!ends.empty() && ends.back() <= begin) ends.pop_back();
    if (!ends.empty()) CHECK(end <= ends.back() + 1e-9);
    ends.push_back(end);
  }
}

TEST_CASE("a profile as JSON keeps the order of its steps") {
  auto j = ProfileJson(Sample());
  CHECK(j.at("runs") == 2);
  CHECK(j.at("run_us").get<double>() == Approx(1000));
  REQUIRE(j.at("steps").size() == 2);
  CHECK(j.at("steps")[0].at("kind") == "while");
  CHECK(j.at("steps")[0].at("turns") == 6);
  CHECK(j.at("steps")[0].at("share_of_run").get<double>() == Approx(0.75));
  CHECK(j.at("steps")[1].at("call_us").get<double>() == Approx(200));
  CHECK(j.at("steps")[1].at("stages_us").size() == 2);
}

TEST_CASE("a profile as a table: a line a step, loops with their turns") {
  const std::string text = Sample().ToString();
  CHECK(text.find("3 turns") != std::string::npos);
  CHECK(text.find("  60.0       200.00          3") != std::string::npos);
  CHECK(text.find("22.0") == text.npos);                       // 4400 bytes in 200 us:
  CHECK(text.find("     0.0      0.0") != std::string::npos);  // 0.02 GB/s, 0.005 Gop/s
  CHECK(text.find("25.0 % of the time is outside of steps") != std::string::npos);
}

}  // namespace
}  // namespace sinter::tools
