#include "passes/partition/call_rule.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <string>

#include "base/status.h"
#include "ir/frontend_attributes.h"
#include "ir/sharding/scanner.h"

namespace sinter::partition {
namespace {

using sharding_text::Scanner;

constexpr std::string_view kRule = "sdy.sharding_rule", kFrontend = "frontend_attributes",
                           kBatchDims = "num_batch_dims";

// By dimension, the names of factors.
using Mapping = std::vector<std::vector<std::string>>;

// <([i, jk])->([i], [k]) {i=8, j=2, k=3} reduction={j} need_replication={k}, custom>
class RuleText {
 public:
  RuleText(const HloInstruction& i, std::string_view text) : i_(i), text_(text), scan_(text) {}

  absl::StatusOr<Rule> Read() {
    scan_.Eat("#sdy.op_sharding_rule");
    if (!scan_.Eat("<")) return Bad("'<'");
    ASSIGN_OR_RETURN(const std::vector<Mapping> operands, Mappings());
    if (!scan_.Eat("->")) return Bad("'->'");
    ASSIGN_OR_RETURN(const std::vector<Mapping> results, Mappings());
    RETURN_IF_ERROR(Sizes());
    while (!scan_.Eat(">")) {
      scan_.Eat(",");
      RETURN_IF_ERROR(Kind());
    }
    if (!scan_.AtEnd()) return Bad("the end");

    std::vector<Shape> shapes;
    for (const HloInstruction* x : i_.operands()) shapes.push_back(x->shape());
    // A side of operands or results only is cut by nothing: no part of the other follows from it.
    Count(operands, in_operands_);
    Count(results, in_results_);
    ASSIGN_OR_RETURN(rule_.operands, Bind(operands, shapes, "operands"));
    ASSIGN_OR_RETURN(rule_.results, Bind(results, LeavesOf(i_.shape()), "results"));
    return std::move(rule_);
  }

 private:
  absl::Status Bad(std::string_view expected) {
    return InvalidArgument("'{}': sharding rule {}: expected {} at '{}'", i_.name(), text_,
                           expected, scan_.rest());
  }

  // z, z_1: a letter and perhaps a number behind it.
  absl::StatusOr<std::vector<std::string>> Names() {
    const std::string word = scan_.Word();
    std::vector<std::string> names;
    for (size_t at = 0; at < word.size();) {
      if (std::isalpha(static_cast<unsigned char>(word[at])) == 0) return Bad("a factor");
      size_t end = at + 1;
      if (end < word.size() && word[end] == '_') {
        for (++end; end < word.size() && std::isdigit(static_cast<unsigned char>(word[end]));)
          ++end;
      }
      names.push_back(word.substr(at, end - at));
      at = end;
    }
    return names;
  }

  absl::StatusOr<std::vector<Mapping>> Mappings() {
    std::vector<Mapping> out;
    if (!scan_.Eat("(")) return Bad("'('");
    for (bool first = true; !scan_.Eat(")"); first = false) {
      if (!first && !scan_.Eat(",")) return Bad("','");
      if (!scan_.Eat("[")) return Bad("'['");
      Mapping& dims = out.emplace_back();
      for (bool start = true; !scan_.Eat("]"); start = false) {
        if (!start && !scan_.Eat(",")) return Bad("','");
        ASSIGN_OR_RETURN(std::vector<std::string> names, Names());
        if (names.empty()) return Bad("a factor");
        dims.push_back(std::move(names));
      }
    }
    return out;
  }

  absl::Status Sizes() {
    if (!scan_.Eat("{")) return Bad("'{'");
    for (bool first = true; !scan_.Eat("}"); first = false) {
      if (!first && !scan_.Eat(",")) return Bad("','");
      ASSIGN_OR_RETURN(const std::vector<std::string> name, Names());
      if (name.size() != 1 || !scan_.Eat("=")) return Bad("a factor and '='");
      const auto size = scan_.Integer();
      if (!size || *size < 1) return Bad("a size");
      if (!numbers_.emplace(name[0], rule_.factors.size()).second)
        return InvalidArgument("'{}': sharding rule {}: two sizes of factor {}", i_.name(), text_,
                               name[0]);
      // The call is not told what fills up parts.
      rule_.factors.push_back({*size, FactorKind::kPass, true});
    }
    whole_.assign(rule_.factors.size(), false);
    in_operands_ = in_results_ = whole_;
    return absl::OkStatus();
  }

  absl::StatusOr<size_t> Number(const std::string& name) {
    const auto it = numbers_.find(name);
    if (it != numbers_.end()) return it->second;
    return InvalidArgument("'{}': sharding rule {}: factor {} has no size", i_.name(), text_, name);
  }

  // Sums are combined; where elements have to be whole, or move, the factor is not cut.
  absl::Status Kind() {
    const std::string what = scan_.Word();
    if (what == "custom") return absl::OkStatus();
    const bool sums = what == "reduction";
    const bool whole = what == "need_replication" || what == "permutation";
    if ((!sums && !whole && what != "blocked_propagation") || !scan_.Eat("=") || !scan_.Eat("{"))
      return Bad("reduction=, need_replication=, permutation=, blocked_propagation= or custom");
    for (bool first = true; !scan_.Eat("}"); first = false) {
      if (!first && !scan_.Eat(",")) return Bad("','");
      ASSIGN_OR_RETURN(const std::vector<std::string> names, Names());
      for (const std::string& name : names) {
        ASSIGN_OR_RETURN(const size_t f, Number(name));
        if (whole) whole_[f] = true;
        if (sums) rule_.factors[f].kind = FactorKind::kReduce;
      }
    }
    return absl::OkStatus();
  }

  void Count(const std::vector<Mapping>& arrays, std::vector<bool>& seen) {
    for (const Mapping& dims : arrays) {
      for (const auto& names : dims) {
        for (const std::string& name : names) {
          const auto it = numbers_.find(name);
          if (it != numbers_.end()) seen[it->second] = true;
        }
      }
    }
  }
  bool IsCut(size_t f) const {
    const Factor& factor = rule_.factors[f];
    if (factor.size == 1 || whole_[f] || !in_operands_[f]) return false;
    if (factor.kind == FactorKind::kReduce) return !in_results_[f] && i_.shape().is_array();
    return in_results_[f];
  }

  absl::StatusOr<std::vector<std::vector<Dims>>> Bind(const std::vector<Mapping>& arrays,
                                                      const std::vector<Shape>& shapes,
                                                      std::string_view which) {
    if (arrays.size() != shapes.size())
      return InvalidArgument("'{}': sharding rule {}: {} {}, the call has {}", i_.name(), text_,
                             arrays.size(), which, shapes.size());
    std::vector<std::vector<Dims>> out;
    for (size_t k = 0; k < arrays.size(); ++k) {
      const Mapping& dims = arrays[k];
      if (static_cast<int64_t>(dims.size()) != shapes[k].rank())
        return InvalidArgument("'{}': sharding rule {}: {} {} are of {} dimensions, got {}",
                               i_.name(), text_, which, k, shapes[k].rank(), dims.size());
      auto& along = out.emplace_back(dims.size());
      for (size_t d = 0; d < dims.size(); ++d) {
        int64_t left = shapes[k].dimensions()[d];
        bool is_cut = true;
        for (const std::string& name : dims[d]) {
          ASSIGN_OR_RETURN(const size_t f, Number(name));
          const int64_t size = rule_.factors[f].size;
          if (left % size != 0 || left == 0) {
            return InvalidArgument("'{}': sharding rule {}: dimension {} of {} {} is {}", i_.name(),
                                   text_, d, which, k, shapes[k].dimensions()[d]);
          }
          left /= size;
          // Behind one that stays whole nothing is cut.
          is_cut &= IsCut(f) || size == 1;
          if (is_cut && size != 1) along[d].push_back(static_cast<int64_t>(f));
        }
        if (left != 1) {
          return InvalidArgument("'{}': sharding rule {}: dimension {} of {} {} is {}", i_.name(),
                                 text_, d, which, k, shapes[k].dimensions()[d]);
        }
      }
    }
    return out;
  }

  const HloInstruction& i_;
  std::string_view text_;
  Scanner scan_;
  std::map<std::string, size_t> numbers_;
  std::vector<bool> whole_, in_operands_, in_results_;
  Rule rule_;
};

// The leading dimensions that all arrays have; none, where one has not.
Rule BatchRule(const HloInstruction& i, int64_t count) {
  std::vector<Shape> shapes;
  for (const HloInstruction* x : i.operands()) shapes.push_back(x->shape());
  for (Shape& leaf : LeavesOf(i.shape())) shapes.push_back(std::move(leaf));
  Rule rule;
  for (int64_t d = 0; d < count; ++d) {
    for (const Shape& s : shapes) {
      if (s.rank() <= d || s.dimension(d) != shapes[0].dimension(d)) return {};
    }
    rule.factors.push_back({shapes[0].dimension(d), FactorKind::kPass, true});
  }
  for (size_t k = 0; k < shapes.size(); ++k) {
    auto& side = k < i.operands().size() ? rule.operands : rule.results;
    auto& along = side.emplace_back(static_cast<size_t>(shapes[k].rank()));
    for (int64_t d = 0; d < count; ++d) {
      if (shapes[k].dimension(d) != 1) along[static_cast<size_t>(d)] = {d};
    }
  }
  return rule;
}

// Rules speak of arrays whose sizes are known and that the target sees as they are.
bool HasPlainArrays(const HloInstruction& i) {
  auto plain = [](const Shape& s) { return s.is_array() && s.is_static(); };
  if (i.operands().empty() || !i.attrs<CustomCallAttrs>().stated_shapes.empty()) return false;
  if (i.shape().is_tuple() && i.shape().tuple_shapes().size() != LeafCount(i.shape())) return false;
  const std::vector<Shape> leaves = LeavesOf(i.shape());
  return std::all_of(leaves.begin(), leaves.end(), plain) &&
         std::all_of(i.operands().begin(), i.operands().end(),
                     [&](const HloInstruction* x) { return plain(x->shape()); });
}

}  // namespace

absl::StatusOr<Rule> RuleOfCall(const HloInstruction& i) {
  if (!HasPlainArrays(i)) return Rule();
  if (const std::string* text = Find(i.annotations(), kRule)) return RuleText(i, *text).Read();
  const std::string* frontend = Find(i.annotations(), kFrontend);
  if (frontend == nullptr) return Rule();
  for (const FrontendAttribute& a : FrontendAttributes(*frontend)) {
    if (a.name != kBatchDims) continue;
    int64_t count = 0;
    const char* end = a.value.data() + a.value.size();
    const auto read = std::from_chars(a.value.data(), end, count);
    if (read.ec != std::errc() || read.ptr != end || count < 0)
      return InvalidArgument("'{}': {} is a number, got \"{}\"", i.name(), kBatchDims, a.value);
    return BatchRule(i, count);
  }
  return Rule();
}

}  // namespace sinter::partition
