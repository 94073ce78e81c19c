#include "ir/text/parser.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "ir/text/attributes.h"
#include "ir/text/instruction_parser.h"
#include "ir/text/lexer.h"
#include "types/shape_text.h"

namespace sinter {
namespace {

// Of computations that call each other. What walks them recurses as deep.
constexpr int kMaxCallDepth = 1000;

class ModuleParser {
 public:
  ModuleParser(std::string_view text, std::string_view filename) : l_(text, filename) {}

  absl::StatusOr<std::unique_ptr<HloModule>> Parse() {
    absl::Status s = ParseModule();
    // An error of a shape rule names its place itself, other errors are where the lexer stands.
    if (!s.ok()) return l_.Locate(s, l_.pos());
    return std::move(module_);
  }

 private:
  absl::Status ParseModule() {
    if (l_.EatName() != "HloModule") {
      l_.set_pos(0);
      l_.SkipSpace();
      return l_.Error("expected 'HloModule'");
    }
    std::string_view name = l_.EatName();
    if (name.empty()) return l_.Error("expected the module's name");
    module_ = std::make_unique<HloModule>(std::string(name));
    while (l_.Eat(',')) RETURN_IF_ERROR(ParseModuleAttribute());
    while (l_.Peek() != '\0' || l_.remaining()) RETURN_IF_ERROR(ParseComputation());
    if (module_->computations().empty()) return l_.Error("the module has no computation");
    if (!module_->entry()) module_->set_entry(module_->computations().back().get());
    return absl::OkStatus();
  }

  absl::Status ParseModuleAttribute() {
    std::string_view name = l_.EatName();
    if (name.empty()) return l_.Error("expected the name of an attribute");
    RETURN_IF_ERROR(l_.Expect('=', "after the name of an attribute"));
    return name == "input_output_alias" ? ParseAliases() : l_.SkipValue();
  }

  // "{ {0}: (0, {}, may-alias), {1}: (2, {1}) }"
  absl::Status ParseAliases() {
    RETURN_IF_ERROR(l_.Expect('{', "before aliases"));
    if (l_.Eat('}')) return absl::OkStatus();
    do {
      InputOutputAlias& a = module_->aliases().emplace_back();
      RETURN_IF_ERROR(ParseIndex(a.output_index));
      RETURN_IF_ERROR(l_.Expect(':', "after the index of an output"));
      RETURN_IF_ERROR(l_.Expect('(', "before a parameter"));
      if (!l_.EatInt(&a.parameter)) return l_.Error("expected the number of a parameter");
      RETURN_IF_ERROR(l_.Expect(',', "after the number of a parameter"));
      RETURN_IF_ERROR(ParseIndex(a.parameter_index));
      if (l_.Eat(',')) {
        l_.SkipSpace();
        size_t at = l_.pos();
        std::string_view kind = l_.EatName();
        if (kind != "may-alias" && kind != "must-alias") {
          l_.set_pos(at);
          return l_.Error("expected may-alias or must-alias");
        }
        a.must = kind == "must-alias";
      }
      RETURN_IF_ERROR(l_.Expect(')', "after a parameter"));
    } while (l_.Eat(','));
    return l_.Expect('}', "after aliases");
  }

  absl::Status ParseIndex(Dims& index) {
    RETURN_IF_ERROR(l_.Expect('{', "before an index"));
    if (l_.Eat('}')) return absl::OkStatus();
    do {
      if (!l_.EatInt(&index.emplace_back())) return l_.Error("expected an integer");
    } while (l_.Eat(','));
    return l_.Expect('}', "after an index");
  }

  // "[ENTRY] name [(a: f32[2]) -> f32[2]] { instructions } [, attributes]"
  absl::Status ParseComputation() {
    l_.SkipSpace();
    size_t at = l_.pos();
    std::string_view name = l_.EatName();
    bool is_entry = name == "ENTRY" && l_.Peek() != '{' && l_.Peek() != '(';
    if (is_entry) {
      l_.SkipSpace();
      at = l_.pos();
      name = l_.EatName();
    }
    if (name.empty()) return l_.Error("expected a computation");
    auto fail_at = [&](absl::Status s) {
      l_.set_pos(at);
      return s;
    };
    if (computations_.contains(name))
      return fail_at(l_.Error("computation '{}' is defined twice", name));
    if (is_entry && module_->entry()) return fail_at(l_.Error("a second ENTRY"));

    // The signature repeats what the body says.
    if (l_.Peek() == '(') RETURN_IF_ERROR(l_.SkipGroup().status());
    if (l_.Eat("->")) RETURN_IF_ERROR(ParseShape(l_).status());

    HloComputation* c = module_->AddComputation(std::string(name));
    c->set_name(std::string(name));
    RETURN_IF_ERROR(ParseBody(c));
    int depth = 1;
    for (const auto& i : c->instructions()) {
      for (const HloComputation* called : i->called())
        depth = std::max(depth, depths_.at(called) + 1);
    }
    if (depth > kMaxCallDepth) {
      return fail_at(ResourceExhausted("computations nested deeper than {} levels", kMaxCallDepth));
    }
    depths_[c] = depth;
    computations_[name] = c;
    if (is_entry) module_->set_entry(c);
    while (l_.Eat(',')) {
      if (l_.EatName().empty()) return l_.Error("expected the name of an attribute");
      RETURN_IF_ERROR(l_.Expect('=', "after the name of an attribute"));
      RETURN_IF_ERROR(l_.SkipValue());
    }
    return absl::OkStatus();
  }

  absl::Status ParseBody(HloComputation* c) {
    l_.SkipSpace();
    size_t open = l_.pos();
    RETURN_IF_ERROR(l_.Expect('{', "before the body of a computation"));
    InstructionParser parser(l_, c, computations_, open);
    while (!l_.Eat('}')) {
      if (!l_.remaining()) {
        l_.set_pos(open);
        return l_.Error("the body of the computation does not end");
      }
      RETURN_IF_ERROR(parser.Parse());
    }
    size_t close = l_.pos() - 1;
    auto fail = [&](absl::Status s) {
      l_.set_pos(close);
      return s;
    };
    if (c->instructions().empty()) return fail(l_.Error("the computation is empty"));
    if (!c->root()) c->set_root(c->instructions().back().get());
    for (size_t i = 0; i < c->parameters().size(); ++i) {
      if (!c->parameter(i)) return fail(l_.Error("the computation has no parameter {}", i));
    }
    return absl::OkStatus();
  }

  Lexer l_;
  std::unique_ptr<HloModule> module_;
  ComputationNames computations_;
  absl::flat_hash_map<const HloComputation*, int> depths_;  // of the computations they call
};

}  // namespace

absl::StatusOr<std::unique_ptr<HloModule>> ParseHloText(std::string_view text,
                                                        std::string_view filename) {
  return ModuleParser(text, filename).Parse();
}

}  // namespace sinter
