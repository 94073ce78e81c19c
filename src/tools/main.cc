// The command `sinter`.
#include <cstdio>
#include <new>

#include "base/status.h"
#include "sinter/version.h"
#include "tools/commands.h"
#include "tools/report.h"

namespace {

constexpr int kUsage = 64, kEnvironment = 3, kOwnBug = 70;

int Main(int argc, char** argv) {
  using sinter::tools::Action;
  CLI::App app("Runs, compares, times and rewrites tensor programs.", "sinter");
  app.set_version_flag("--version", std::string(sinter::Version()));
  app.require_subcommand(1);
  Action action;
  sinter::tools::AddRun(app, action);
  sinter::tools::AddDiff(app, action);
  sinter::tools::AddBench(app, action);
  sinter::tools::AddOpt(app, action);
  sinter::tools::AddCompile(app, action);
  sinter::tools::AddExplain(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);  // --help, --version
    std::string what = e.what();
    for (char& c : what) c = c == '\n' ? ' ' : c;
    std::fprintf(stderr, "sinter: usage: %s\n", what.c_str());
    return kUsage;
  }
  absl::Status status = action();
  std::fflush(stdout);
  if (status.ok() && std::ferror(stdout)) {
    status = sinter::Unavailable("standard output cannot be written");
  }
  if (!status.ok()) std::fputs(sinter::tools::ErrorText(status).c_str(), stderr);
  return sinter::tools::ExitStatusOf(status);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return Main(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("sinter: too large: the system has no memory\n", stderr);
    return kEnvironment;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "sinter: internal error: %s\n", e.what());
    return kOwnBug;
  }
}
