#include "ir/text/parser.h"

#include <algorithm>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "ir/text/annotations.h"
#include "ir/text/attributes.h"
#include "ir/text/entry_layout.h"
#include "ir/text/instruction_parser.h"
#include "ir/text/lexer.h"
#include "ir/text/stack_frames.h"
#include "types/shape_text.h"

namespace sinter {
namespace {

// Limit of computations that call each other: visitors recurse as deep.
constexpr int kMaxCallDepth = 1000;
// Limit of computations that are written where they are called: the parser recurses as deep.
constexpr int kMaxInlineDepth = 64;

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
    l_.SkipSpace();
    const size_t start = l_.pos();
    const std::string_view first = l_.EatName();
    if (first != "HloModule") {
      module_ = std::make_unique<HloModule>("module");
      const char next = l_.Peek();
      const bool is_computation = next == '{' || next == '(' || first == "ENTRY";
      const bool is_instruction = next == '=' || first == "ROOT";
      l_.set_pos(start);
      if (first.empty() || (!is_computation && !is_instruction))
        return l_.Error("expected 'HloModule'");
      if (is_instruction) RETURN_IF_ERROR(ParseInstruction());
      return ParseComputations();
    }
    std::string_view name = l_.EatName();
    if (name.empty()) return l_.Error("expected the module's name");
    module_ = std::make_unique<HloModule>(std::string(name));
    l_.Eat(':');  // XLA's own tests have one
    while (l_.Eat(',')) RETURN_IF_ERROR(ParseModuleAttribute());
    module_->set_annotations(std::move(annotations_));
    RETURN_IF_ERROR(frames_.Parse(l_));
    return ParseComputations();
  }

  // Up to the end of the text.
  absl::Status ParseComputations() {
    while (l_.Peek() != '\0' || l_.remaining()) RETURN_IF_ERROR(ParseComputation());
    NameInline();
    if (module_->computations().empty()) return l_.Error("the module has no computation");
    if (!module_->entry()) module_->set_entry(LastOutside());
    if (const std::string* layout = Find(module_->annotations(), kEntryLayout)) {
      l_.set_pos(entry_layout_at_);
      RETURN_IF_ERROR(CheckEntryLayout(*layout, *module_->entry()));
    }
    module_->PlaceDonors(donors_);
    return absl::OkStatus();
  }

  // An instruction without a computation around it, which is all of the text: the entry.
  absl::Status ParseInstruction() {
    HloComputation* c = module_->AddComputation("entry");
    const size_t start = l_.pos();
    InstructionParser parser(l_, c, computations_, frames_.places(), start,
                             [&] { return ParseInline(c->name()); });
    parser.MakeParametersOfUnknown();
    RETURN_IF_ERROR(parser.Parse());
    if (l_.Peek() != '\0' || l_.remaining())
      return l_.Error("expected the end of the text behind an instruction without a computation");
    parser.NameTheRest();
    RETURN_IF_ERROR(FinishBody(c, start));
    RETURN_IF_ERROR(CheckDepth(c));
    module_->set_entry(c);
    return absl::OkStatus();
  }

  absl::Status ParseModuleAttribute() {
    ASSIGN_OR_RETURN(const std::string_view name, ParseAttributeName());
    if (name == "input_output_alias") return ParseAliases();
    if (name == "buffer_donor") return ParseDonors();
    if (name == "replica_count" || name == "num_partitions") {
      int64_t count;
      if (!l_.EatInt(&count) || count < 1) return l_.Error("expected how many there are");
      if (name == "replica_count") {
        module_->set_replica_count(count);
      } else {
        module_->set_partition_count(count);
      }
      return absl::OkStatus();
    }
    if (name == kEntryLayout) {
      l_.SkipSpace();
      entry_layout_at_ = l_.pos();
    }
    return ParseAnnotation(AnnotationOf::kModule, "a module", name, annotations_);
  }

  // Reads "name=" and remembers where it stands.
  absl::StatusOr<std::string_view> ParseAttributeName() {
    l_.SkipSpace();
    attribute_at_ = l_.pos();
    const std::string_view name = l_.EatName();
    if (name.empty()) return l_.Error("expected the name of an attribute");
    RETURN_IF_ERROR(l_.Expect('=', "after the name of an attribute"));
    return name;
  }
  absl::Status ParseAnnotation(AnnotationOf of, std::string_view what, std::string_view name,
                               Annotations& annotations) {
    if (!IsAnnotation(of, name)) {
      l_.set_pos(attribute_at_);
      return l_.Error("{} has no attribute '{}'", what, name);
    }
    l_.SkipSpace();
    const size_t start = l_.pos();
    RETURN_IF_ERROR(l_.SkipValue());
    // Which parameters are fetched ahead is for the machine that the text was compiled for.
    if (name != "cross_program_prefetches") {
      annotations.push_back(
          {std::string(name), std::string(l_.text().substr(start, l_.pos() - start))});
    }
    return absl::OkStatus();
  }

  // "{ (0, {}), (2, {1}) }": parameters whose storage may be any result's.
  absl::Status ParseDonors() {
    RETURN_IF_ERROR(l_.Expect('{', "before donors"));
    if (l_.Eat('}')) return absl::OkStatus();
    do {
      BufferDonor& donor = donors_.emplace_back();
      RETURN_IF_ERROR(l_.Expect('(', "before a parameter"));
      if (!l_.EatInt(&donor.parameter)) return l_.Error("expected the number of a parameter");
      RETURN_IF_ERROR(l_.Expect(',', "after the number of a parameter"));
      RETURN_IF_ERROR(ParseIndex(donor.parameter_index));
      RETURN_IF_ERROR(l_.Expect(')', "after a parameter"));
    } while (l_.Eat(','));
    return l_.Expect('}', "after donors");
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
    std::optional<Shape> stated;
    if (l_.Peek() == '(') RETURN_IF_ERROR(l_.SkipGroup().status());
    if (l_.Eat("->")) {
      ASSIGN_OR_RETURN(stated, ParseShape(l_));
    }

    HloComputation* c = module_->AddComputation(std::string(name));
    c->set_name(std::string(name));
    RETURN_IF_ERROR(ParseBody(c));
    if (stated && !Shape::Compatible(*stated, c->root()->shape())) {
      return fail_at(l_.Error("computation '{}' gives {}, not {}", name,
                              c->root()->shape().ToString(), stated->ToString()));
    }
    if (absl::Status s = CheckDepth(c); !s.ok()) return fail_at(s);
    computations_[name] = c;
    if (is_entry) module_->set_entry(c);
    Annotations annotations;
    while (l_.Eat(',')) {
      ASSIGN_OR_RETURN(const std::string_view attribute, ParseAttributeName());
      RETURN_IF_ERROR(
          ParseAnnotation(AnnotationOf::kComputation, "a computation", attribute, annotations));
    }
    c->set_annotations(std::move(annotations));
    return absl::OkStatus();
  }

  absl::Status ParseBody(HloComputation* c) {
    l_.SkipSpace();
    size_t open = l_.pos();
    RETURN_IF_ERROR(l_.Expect('{', "before the body of a computation"));
    InstructionParser parser(l_, c, computations_, frames_.places(), open,
                             [&] { return ParseInline(c->name()); });
    while (!l_.Eat('}')) {
      if (!l_.remaining()) {
        l_.set_pos(open);
        return l_.Error("the body of the computation does not end");
      }
      RETURN_IF_ERROR(parser.Parse());
    }
    parser.NameTheRest();
    return FinishBody(c, l_.pos() - 1);
  }

  // Sets the root; what is missing is an error at the position `at`.
  absl::Status FinishBody(HloComputation* c, size_t at) {
    auto fail = [&](absl::Status s) {
      l_.set_pos(at);
      return s;
    };
    if (c->instructions().empty()) return fail(l_.Error("the computation is empty"));
    if (!c->root()) c->set_root(c->instructions().back().get());
    for (size_t i = 0; i < c->parameters().size(); ++i) {
      if (!c->parameter(i)) return fail(l_.Error("the computation has no parameter {}", i));
    }
    return absl::OkStatus();
  }

  // A computation without a name, where one of that name calls it.
  absl::StatusOr<HloComputation*> ParseInline(const std::string& caller) {
    if (inline_depth_ == kMaxInlineDepth) {
      return ResourceExhausted("computations in computations nested deeper than {} levels",
                               kMaxInlineDepth);
    }
    ++inline_depth_;
    HloComputation* c = module_->AddComputation(Format("{}.inline", caller));
    inline_.push_back(c);
    absl::Status s = ParseBody(c);
    --inline_depth_;
    RETURN_IF_ERROR(s);
    RETURN_IF_ERROR(CheckDepth(c));
    return c;
  }

  // Where none is marked the entry is the last computation that stands for itself.
  HloComputation* LastOutside() const {
    const auto& all = module_->computations();
    auto outside = std::find_if(all.rbegin(), all.rend(), [&](const auto& c) {
      return std::find(inline_.begin(), inline_.end(), c.get()) == inline_.end();
    });
    return outside->get();
  }

  // Names that the text gives to computations come first.
  void NameInline() {
    for (HloComputation* c : inline_) {
      std::string name = c->name();
      while (computations_.contains(name)) name += '_';
      c->set_name(std::move(name));
    }
  }

  absl::Status CheckDepth(const HloComputation* c) {
    int depth = 1;
    for (const auto& i : c->instructions()) {
      for (const HloComputation* called : i->called())
        depth = std::max(depth, depths_.at(called) + 1);
    }
    if (depth > kMaxCallDepth) {
      return ResourceExhausted("computations nested deeper than {} levels", kMaxCallDepth);
    }
    depths_[c] = depth;
    return absl::OkStatus();
  }

  Lexer l_;
  std::unique_ptr<HloModule> module_;
  std::vector<HloComputation*> inline_;
  int inline_depth_ = 0;
  size_t entry_layout_at_ = 0;
  size_t attribute_at_ = 0;  // of the attribute being read
  ComputationNames computations_;
  StackFrameTables frames_;
  Annotations annotations_;  // of the module
  std::vector<BufferDonor> donors_;
  absl::flat_hash_map<const HloComputation*, int> depths_;  // of the computations they call
};

}  // namespace

absl::StatusOr<std::unique_ptr<HloModule>> ParseHloText(std::string_view text,
                                                        std::string_view filename) {
  return ModuleParser(text, filename).Parse();
}

}  // namespace sinter
