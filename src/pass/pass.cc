#include "pass/pass.h"

#include <algorithm>
#include <chrono>

#include "base/status.h"
#include "ir/text/printer.h"
#include "ir/verify/verify.h"

namespace sinter {
namespace {

class FunctionPass final : public Pass {
 public:
  FunctionPass(std::string name, std::function<absl::StatusOr<bool>(HloModule&)> run)
      : name_(std::move(name)), run_(std::move(run)) {}
  std::string_view name() const override { return name_; }
  absl::StatusOr<bool> Run(HloModule& module) override { return run_(module); }

 private:
  std::string name_;
  std::function<absl::StatusOr<bool>(HloModule&)> run_;
};

class Runner {
 public:
  Runner(HloModule& module, const PipelineOptions& options) : module_(module), options_(options) {
    if (options.dump) options.dump("00-start", module);
  }

  absl::StatusOr<bool> Run(Pass& pass) {
    const std::string name(pass.name());
    if (std::find(options_.disabled.begin(), options_.disabled.end(), name) !=
        options_.disabled.end())
      return false;
    if (options_.limit >= 0 && count_ >= options_.limit) return false;
    ++count_;
    const std::string before = options_.verify ? Print(module_) : "";
    const auto start = std::chrono::steady_clock::now();
    absl::StatusOr<bool> changed = pass.Run(module_);
    if (options_.timing) {
      options_.timing(
          name, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
                    .count());
    }
    if (!changed.ok()) return Annotate(changed.status(), name);
    if (options_.verify) {
      if (absl::Status s = VerifyModule(module_); !s.ok())
        return Internal("after pass {}: {}", name, MessageOf(s));
      RETURN_INTERNAL_IF(!*changed && Print(module_) != before,
                         "pass {} changed the module and says that it did not", name);
    }
    if (*changed && options_.dump) options_.dump(Format("{:02}-{}", count_, name), module_);
    return changed;
  }

 private:
  HloModule& module_;
  const PipelineOptions& options_;
  int64_t count_ = 0;
};

}  // namespace

std::unique_ptr<Pass> MakePass(std::string name,
                               std::function<absl::StatusOr<bool>(HloModule&)> run) {
  return std::make_unique<FunctionPass>(std::move(name), std::move(run));
}

Pipeline& Pipeline::Add(std::unique_ptr<Pass> pass) {
  Entry entry;
  entry.passes.push_back(std::move(pass));
  entries_.push_back(std::move(entry));
  return *this;
}

Pipeline& Pipeline::AddFixedPoint(std::vector<std::unique_ptr<Pass>> passes, int rounds) {
  entries_.push_back({std::move(passes), rounds});
  return *this;
}

std::vector<std::string> Pipeline::PassNames() const {
  std::vector<std::string> names;
  for (const Entry& e : entries_) {
    for (const auto& p : e.passes) names.emplace_back(p->name());
  }
  return names;
}

absl::Status Pipeline::Run(HloModule& module, const PipelineOptions& options) const {
  Runner runner(module, options);
  for (const Entry& e : entries_) {
    for (int round = 0; round < e.rounds; ++round) {
      bool any = false;
      for (const auto& pass : e.passes) {
        ASSIGN_OR_RETURN(bool changed, runner.Run(*pass));
        any |= changed;
      }
      if (!any) break;
    }
  }
  return absl::OkStatus();
}

}  // namespace sinter
