#include "passes/partition/statements.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "base/status.h"
#include "ir/annotation_call.h"
#include "passes/partition/call_rule.h"
#include "passes/partition/rule.h"

namespace sinter::partition {
namespace {

constexpr std::string_view kMeshPrefix = "sdy.mesh.", kSdySharding = "sdy.sharding",
                           kIdentity = "sdy.identity", kManualAxes = "sdy.manual_axes";

std::string TargetOf(const HloInstruction& i) {
  if (i.op() == HloOpcode::CustomCall) return i.attrs<CustomCallAttrs>().custom_call_target;
  if (auto call = AnnotationCallOf(i)) return call->target;
  return "";
}

// Of an array, one; of a tuple, one for all leaves or one a leaf.
void Flatten(const Sharding& s, std::vector<Sharding>& out) {
  if (s.kind != Sharding::Kind::kTuple) {
    out.push_back(s);
    return;
  }
  for (const Sharding& e : s.elements) Flatten(e, out);
}

class Reader {
 public:
  explicit Reader(const HloModule& module) : module_(module) {}

  absl::StatusOr<Statements> Read(absl::Span<HloComputation* const> computations) {
    for (const Annotation& a : module_.annotations()) {
      if (!a.name.starts_with(kMeshPrefix)) continue;
      ASSIGN_OR_RETURN(SdyMesh mesh, ParseSdyMesh(a.value));
      meshes_.emplace(a.name.substr(kMeshPrefix.size()), std::move(mesh));
    }
    for (const HloComputation* c : computations) {
      for (const HloInstruction* i : c->PostOrder()) RETURN_IF_ERROR(ReadInstruction(*i));
    }
    RETURN_IF_ERROR(ReadResults(*module_.entry()));
    return std::move(out_);
  }

 private:
  absl::StatusOr<Statements::Leaves> ForLeaves(std::vector<Sharding> stated, const Shape& shape,
                                               std::string_view name) {
    const std::vector<Shape> shapes = LeavesOf(shape);
    if (stated.size() == 1 && shapes.size() != 1) stated.resize(shapes.size(), stated[0]);
    if (stated.size() != shapes.size())
      return InvalidArgument("'{}' has {} values and {} shardings", name, shapes.size(),
                             stated.size());
    Statements::Leaves leaves;
    for (size_t k = 0; k < shapes.size(); ++k) {
      Sharding& s = stated[k];
      if (s.kind == Sharding::Kind::kUnknown || !shapes[k].is_array()) {
        leaves.emplace_back();
        continue;
      }
      if (s.kind == Sharding::Kind::kTiled && static_cast<int64_t>(s.rank()) != shapes[k].rank())
        return InvalidArgument("'{}' is {}, its sharding {} is of {} dimensions", name,
                               shapes[k].ToString(), ToText(s), s.rank());
      // A function that was written for one device says so wherever it is called.
      if (s.kind == Sharding::Kind::kTiled && s.subgroups.empty() && s.devices == Dims{0})
        s = Sharding();
      leaves.emplace_back(std::move(s));
    }
    return leaves;
  }

  absl::Status ReadInstruction(const HloInstruction& i) {
    const std::string* hlo = Find(i.annotations(), "sharding");
    const std::string* sdy = Find(i.annotations(), kSdySharding);
    const std::string* identity = Find(i.annotations(), kIdentity);
    std::vector<Sharding> stated;
    if (hlo != nullptr) {
      ASSIGN_OR_RETURN(const Sharding s, ParseSharding(*hlo));
      Flatten(s, stated);
      OpenUnspecified(i, stated);
    } else if (sdy != nullptr && sdy->starts_with("#sdy.sharding_per_value")) {
      ASSIGN_OR_RETURN(stated, ParseSdyShardings(*sdy, meshes_));
    } else if (sdy != nullptr) {
      ASSIGN_OR_RETURN(Sharding s, ParseSdySharding(*sdy, meshes_));
      stated.push_back(std::move(s));
    } else if (identity != nullptr) {
      RETURN_IF_ERROR(ReadIdentity(i, *identity, stated));
    }
    if (i.op() == HloOpcode::CustomCall) RETURN_IF_ERROR(RuleOfCall(i).status());
    const std::string target = TargetOf(i);
    if (target == kIntoManual || target == kOutOfManual)
      return ReadBorder(i, target == kIntoManual, stated, Find(i.annotations(), kManualAxes));
    if (stated.empty()) return absl::OkStatus();
    if (i.op() == HloOpcode::CustomCall && absl::c_all_of(stated, [&](const Sharding& s) {
          return s.kind == Sharding::Kind::kMaximal && s.device == stated[0].device;
        }))
      out_.callers[&i] = stated[0];
    ASSIGN_OR_RETURN(Statements::Leaves leaves, ForLeaves(std::move(stated), i.shape(), i.name()));
    for (const auto& leaf : leaves) {
      if (!leaf) continue;
      out_.values[&i] = std::move(leaves);
      break;
    }
    return absl::OkStatus();
  }

  // "unspecified_dims=[0,2]" of a call of Sharding.
  static void OpenUnspecified(const HloInstruction& i, std::vector<Sharding>& stated) {
    const auto call = AnnotationCallOf(i);
    if (!call || stated.size() != 1 || stated[0].kind != Sharding::Kind::kTiled) return;
    const size_t at = call->backend_config.find("unspecified_dims=[");
    if (at == std::string::npos) return;
    stated[0].open.assign(stated[0].rank(), false);
    size_t d = 0;
    bool digits = false;
    for (char c : call->backend_config.substr(at + 18)) {
      if (c >= '0' && c <= '9') {
        d = d * 10 + static_cast<size_t>(c - '0');
        digits = true;
        continue;
      }
      if (digits && d < stated[0].open.size()) stated[0].open[d] = true;
      d = 0;
      digits = false;
      if (c == ']') break;
    }
  }

  absl::Status ReadIdentity(const HloInstruction& i, const std::string& text,
                            std::vector<Sharding>& stated) {
    if (text.starts_with("sdy.sharding_group")) {
      const size_t at = text.find("group_id=");
      if (at != std::string::npos)
        out_.groups[std::strtoll(text.c_str() + at + 9, nullptr, 10)].push_back(&i);
      return absl::OkStatus();
    }
    if (text.starts_with("sdy.propagation_barrier")) {
      const bool both = text.find("=BOTH") != std::string::npos;
      out_.barriers[&i] = {both || text.find("=FORWARD") != std::string::npos,
                           both || text.find("=BACKWARD") != std::string::npos};
      return absl::OkStatus();
    }
    const size_t operand = text.find("%0");
    const size_t open = operand == std::string::npos ? operand : text.find('<', operand);
    if (open == std::string::npos) return absl::OkStatus();
    ASSIGN_OR_RETURN(Sharding s, ParseSdySharding(std::string_view(text).substr(open), meshes_));
    stated.push_back(std::move(s));
    return absl::OkStatus();
  }

  // The whole array's sharding stands on a call out of a manual part, and on the operand of a call
  // into one; Shardy's on the call itself.
  absl::Status ReadBorder(const HloInstruction& i, bool into, std::vector<Sharding> stated,
                          const std::string* axes) {
    Border border;
    border.into_manual = into;
    if (i.operands().size() != 1)
      return InvalidArgument("'{}' takes 1 operand, got {}", i.name(), i.operands().size());
    const HloInstruction& operand = *i.operand(0);
    if (axes != nullptr && stated.size() == 1) {
      ASSIGN_OR_RETURN(border.manual,
                       ParseSdyAxes(*axes, *Find(i.annotations(), kSdySharding), meshes_));
      border.sharding = std::move(stated[0]);
    } else {
      const auto known = out_.values.find(&operand);
      std::optional<Sharding> of_operand;
      if (known != out_.values.end()) of_operand = known->second[0];
      std::optional<Sharding> own;
      if (stated.size() == 1) own = stated[0];
      const std::optional<Sharding>& whole = into ? of_operand : own;
      const std::optional<Sharding>& part = into ? own : of_operand;
      if (!whole)
        return InvalidArgument("'{}' needs the sharding of the whole array, on {}", i.name(),
                               into ? "its operand" : "itself");
      border.sharding = *whole;
      if (part && part->kind == Sharding::Kind::kTiled) {
        border.manual = *part;
      } else {
        border.manual_all = true;
      }
    }
    const Shape &whole = into ? operand.shape() : i.shape(),
                &part = into ? i.shape() : operand.shape();
    if (!whole.is_array() || !part.is_array() || whole.rank() != part.rank() ||
        whole.element_type() != part.element_type())
      return InvalidArgument("'{}' makes {} of {}", i.name(), i.shape().ToString(),
                             operand.shape().ToString());
    out_.borders[&i] = std::move(border);
    return absl::OkStatus();
  }

  // Whether what is stated of the instruction is a constraint of its value that the program has
  // written as an operation.
  static bool IsConstraint(const HloInstruction& i) {
    return Find(i.annotations(), kIdentity) != nullptr || AnnotationCallOf(i).has_value();
  }

  // results.0.sdy.sharding of the entry, else what is stated of its root.
  absl::Status ReadResults(const HloComputation& entry) {
    const std::vector<Shape> shapes = LeavesOf(entry.root()->shape());
    out_.results.resize(shapes.size());
    auto root = out_.values.find(entry.root());
    if (root != out_.values.end()) {
      out_.results = root->second;
      out_.results_are_of_value = IsConstraint(*entry.root());
    }
    for (size_t k = 0; k < shapes.size(); ++k) {
      const std::string* sdy = Find(entry.annotations(), Format("results.{}.{}", k, kSdySharding));
      const std::string* mhlo = Find(entry.annotations(), Format("results.{}.mhlo.sharding", k));
      std::optional<Sharding> stated;
      if (sdy != nullptr) {
        ASSIGN_OR_RETURN(stated, ParseSdySharding(*sdy, meshes_));
      } else if (mhlo != nullptr && mhlo->size() > 2) {
        ASSIGN_OR_RETURN(stated, ParseSharding(mhlo->substr(1, mhlo->size() - 2)));
      }
      if (!stated) continue;
      ASSIGN_OR_RETURN(Statements::Leaves leaf,
                       ForLeaves({*std::move(stated)}, shapes[k], Format("result {}", k)));
      out_.results[k] = std::move(leaf[0]);
      out_.results_are_of_value = false;
    }
    for (const auto& leaf : out_.results) out_.has_results |= leaf.has_value();
    return absl::OkStatus();
  }

  const HloModule& module_;
  SdyMeshes meshes_;
  Statements out_;
};

}  // namespace

Annotations WithoutShardings(Annotations annotations) {
  std::erase_if(annotations, [](const Annotation& a) {
    return a.name == "sharding" || a.name.starts_with("sdy.") ||
           a.name.starts_with("annotation_call.");
  });
  return annotations;
}

std::vector<Sharding> Statements::All() const {
  // In a fixed order: what meshes are chosen by.
  std::vector<std::pair<int32_t, std::vector<Sharding>>> by_id;
  for (const auto& [i, leaves] : values) {
    auto& of = by_id.emplace_back(i->id(), std::vector<Sharding>()).second;
    for (const auto& leaf : leaves) {
      if (leaf) of.push_back(*leaf);
    }
  }
  for (const auto& [i, border] : borders) {
    by_id.emplace_back(i->id(), std::vector<Sharding>{border.sharding, border.manual});
  }
  for (const auto& [i, sharding] : callers)
    by_id.emplace_back(i->id(), std::vector<Sharding>{sharding});
  std::sort(by_id.begin(), by_id.end(),
            [](const auto& x, const auto& y) { return x.first < y.first; });
  std::vector<Sharding> all;
  for (auto& [id, of] : by_id) all.insert(all.end(), of.begin(), of.end());
  for (const auto& leaf : results) {
    if (leaf) all.push_back(*leaf);
  }
  return all;
}

absl::StatusOr<Statements> ReadStatements(const HloModule& module,
                                          absl::Span<HloComputation* const> computations) {
  return Reader(module).Read(computations);
}

std::vector<HloComputation*> ControlComputations(const HloModule& module) {
  std::vector<HloComputation*> all = module.PostOrder();
  std::reverse(all.begin(), all.end());
  std::set<const HloComputation*> run{module.entry()};
  std::vector<HloComputation*> out;
  for (HloComputation* c : all) {
    if (run.count(c) == 0) continue;
    out.push_back(c);
    for (const HloInstruction* i : c->PostOrder()) {
      if (i->op() == HloOpcode::While || i->op() == HloOpcode::Conditional ||
          i->op() == HloOpcode::Call)
        run.insert(i->called().begin(), i->called().end());
    }
  }
  return out;
}

}  // namespace sinter::partition
