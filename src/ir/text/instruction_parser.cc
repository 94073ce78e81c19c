#include "ir/text/instruction_parser.h"

#include <algorithm>

#include "ir/custom_call_layouts.h"
#include "ir/ops/comparison.h"
#include "ir/text/annotations.h"
#include "ir/text/attributes.h"
#include "ir/text/forms.h"
#include "types/literal_text.h"
#include "types/shape_text.h"

namespace sinter {
namespace {

bool Starts(const TextForm& form) {
  return form.kind == TextForm::Kind::kStart || form.kind == TextForm::Kind::kCopyStart;
}

// What stays true of an instruction that is read as one of another op.
void KeepOfAnyOp(Annotations& annotations) {
  std::erase_if(annotations, [](const Annotation& a) { return !IsAnnotationOfAnyOp(a.name); });
}

}  // namespace

// XLA writes a topk for which it has a kernel as a call of that kernel: the largest elements, as
// many as the result has.
bool InstructionParser::IsTopKCall(const Parts& p) {
  if (p.op != HloOpcode::CustomCall || p.operands.size() != 1) return false;
  if (!p.shape || !p.shape->is_tuple()) return false;
  if (std::get<CustomCallAttrs>(p.attrs).custom_call_target != "TopK") return false;
  const auto& results = p.shape->tuple_shapes();
  return results.size() == 2 && results[0].is_array() && results[0].rank() > 0;
}

// atan2(x, f32[4] broadcast(f32[] constant(1))), the 1 without a name: see forms.h.
bool InstructionParser::IsArcTangent(const Parts& p) const {
  if (p.op != HloOpcode::Atan2 || p.operands.size() != 2 || anonymous_.empty()) return false;
  const HloInstruction* one = p.operands[1];
  if (one != anonymous_.back() || !Shape::Compatible(one->shape(), p.operands[0]->shape())) {
    return false;
  }
  if (one->op() == HloOpcode::Broadcast) {
    one = one->operand(0);
    if (anonymous_.size() < 2 || one != anonymous_[anonymous_.size() - 2]) return false;
  }
  if (one->op() != HloOpcode::Constant || !one->shape().is_scalar()) return false;
  const std::string text = one->literal().ElementToString(0);
  return text == "1" || text == "(1, 0)";
}

absl::Status InstructionParser::Parse() {
  l_.SkipSpace();
  size_t at = l_.pos();
  std::string_view name = l_.EatName();
  bool is_root = name == "ROOT" && l_.Peek() != '=';
  if (is_root) {
    l_.SkipSpace();
    at = l_.pos();
    name = l_.EatName();
  }
  if (name.empty()) return l_.Error("expected an instruction");
  if (names_.contains(name)) return At(at, l_.Error("instruction '{}' is defined twice", name));
  if (is_root && c_->root()) return At(at, l_.Error("a second ROOT"));
  RETURN_IF_ERROR(l_.Expect('=', "after the name of an instruction"));

  ASSIGN_OR_RETURN(HloInstruction * value, ParseValue(name));
  names_[name] = value;
  if (is_root) c_->set_root(value);
  return absl::OkStatus();
}

// "[shape] op(operands)[, attributes]". Without a name it is the operand of another, to whom the
// attributes belong.
absl::StatusOr<HloInstruction*> InstructionParser::ParseValue(std::string_view name) {
  Parts parts;
  if (AtShape(l_)) {
    ASSIGN_OR_RETURN(parts.shape, ParseShape(l_));
  }
  return ParseOp(name, std::move(parts));
}

absl::StatusOr<HloInstruction*> InstructionParser::ParseOp(std::string_view name, Parts parts) {
  l_.SkipSpace();
  size_t op_at = l_.pos();
  std::string_view op_name = l_.EatName();
  if (op_name.empty()) return l_.Error("expected an op");
  if (std::optional<HloOpcode> op = OpFromName(op_name)) {
    parts.op = *op;
  } else if ((parts.form = FormFromName(op_name))) {
    parts.op = parts.form->op;
  } else {
    // "f33[2] add(x, y)"
    if (l_.Here() == '[') return At(op_at, l_.Error("'{}' is no element type", op_name));
    return At(op_at, Unimplemented("there is no op '{}'", op_name));
  }
  parts.name = op_name;
  parts.attrs = DefaultAttributes(Info(parts.op).attrs);
  RETURN_IF_ERROR(l_.Expect('(', "before operands"));
  RETURN_IF_ERROR(ParseOperands(parts));
  RETURN_IF_ERROR(l_.Expect(')', "after operands"));
  size_t end = l_.pos();
  RETURN_IF_ERROR(ParseAttributes(parts, !name.empty()));
  const bool calls = !parts.form || parts.form->kind == TextForm::Kind::kStart;
  if (calls && std::find(parts.called.begin(), parts.called.end(), nullptr) != parts.called.end()) {
    std::vector<std::string_view> names = CalledNames(parts.op);
    if (names.empty()) names = {"true_computation", "false_computation"};
    return At(end, l_.Error("{} needs {}=", op_name, Join(names, "= and ")));
  }
  absl::StatusOr<HloInstruction*> added = Add(name, parts);
  if (added.ok()) return added;
  absl::Status s = added.status();
  return At(op_at,
            parts.form ? absl::Status(s.code(), Format("{}: {}", op_name, MessageOf(s))) : s);
}

absl::StatusOr<HloInstruction*> InstructionParser::Add(std::string_view name, Parts& parts) {
  const Shape* declared = parts.shape ? &*parts.shape : nullptr;
  size_t before = c_->instructions().size();
  absl::StatusOr<HloInstruction*> added;
  if (parts.op == HloOpcode::CustomCall) StateLayoutsOf(parts);
  if (parts.form) {
    std::erase(parts.called, nullptr);  // ends need not state what they end
    added = chains_.Add(c_, {parts.form->async_name, *parts.form, parts.operands,
                             std::move(parts.attrs), parts.called, parts.thread, declared});
  } else {
    if (IsTopKCall(parts)) {
      parts.op = HloOpcode::TopK;
      parts.called.clear();  // a comparator, which is known
      KeepOfAnyOp(parts.annotations);
      parts.attrs = TopKAttrs{parts.shape->tuple_shapes()[0].dimensions().back(), true};
    }
    if (IsArcTangent(parts)) {
      parts.op = HloOpcode::Atan;
      for (HloInstruction* one = parts.operands[1]; one;) {
        HloInstruction* scalar = one->operands().empty() ? nullptr : one->operand(0);
        c_->Remove(one);
        anonymous_.pop_back();
        one = scalar;
      }
      parts.operands.pop_back();
      before = c_->instructions().size();
    }
    RETURN_IF_ERROR(NormalizeOperands(c_, parts.op, parts.operands));
    ASSIGN_OR_RETURN(HloInstruction * copies,
                     AddCopies(c_, parts.op, parts.operands, parts.attrs, declared));
    if (copies && parts.op == HloOpcode::CustomCall) KeepOfAnyOp(parts.annotations);
    if (copies) {
      added = copies;
    } else {
      added = c_->Add(parts.op, parts.operands, std::move(parts.attrs), parts.called, declared,
                      std::string(name));
    }
  }
  if (!added.ok()) return added;
  const auto& all = c_->instructions();
  for (size_t n = before; n < all.size(); ++n) {
    HloInstruction* i = all[n].get();
    if (i == *added && !name.empty()) {
      // The text's own name, which is unique in the computation though perhaps not in the module.
      i->set_name(std::string(name));
    } else {
      anonymous_.push_back(i);
    }
    i->set_metadata(parts.metadata);
    if (i != *added) continue;
    for (const Annotation& a : i->annotations()) parts.annotations.push_back(a);
    i->set_annotations(std::move(parts.annotations));
  }
  return added;
}

// Without constraints operands have the layouts that they state.
void InstructionParser::StateLayoutsOf(Parts& parts) {
  const Shape* result = parts.shape ? &*parts.shape : nullptr;
  if (parts.form && result) {
    // Of a start: (operands, result, context). An end repeats it, and a start whose operands are
    // still to come gives nothing.
    const bool starts =
        parts.form->kind == TextForm::Kind::kStart && result->tuple_shapes().size() >= 2;
    result = starts ? &result->tuple_shapes()[1] : nullptr;
    if (result && result->is_tuple() && result->tuple_shapes().empty()) result = nullptr;
  }
  if (result == nullptr) return;
  std::vector<Shape>& layouts = parts.operand_layouts;
  if (layouts.empty()) {
    for (const HloInstruction* o : parts.operands) layouts.push_back(o->shape());
  }
  StateLayouts(std::get<CustomCallAttrs>(parts.attrs), layouts, *result);
}

void InstructionParser::NameTheRest() {
  for (HloInstruction* i : anonymous_) {
    std::string name = Format("{}.anon.{}", Name(i->op()), i->id());
    while (names_.contains(name)) name += '_';
    i->set_name(std::move(name));
  }
}

absl::Status InstructionParser::ParseOperands(Parts& parts) {
  if (parts.op == HloOpcode::Parameter)
    return ParseParameterNumber(std::get<ParameterAttrs>(parts.attrs).number);
  if (parts.op == HloOpcode::Constant) {
    if (!parts.shape) return l_.Error("a constant needs its shape");
    ASSIGN_OR_RETURN(Literal value, ParseLiteralValue(l_, *parts.shape));
    std::get<ConstantAttrs>(parts.attrs).value = std::make_shared<const Literal>(std::move(value));
    return absl::OkStatus();
  }
  if (l_.Peek() == ')') return absl::OkStatus();
  do {
    ASSIGN_OR_RETURN(HloInstruction * operand, ParseOperand());
    parts.operands.push_back(operand);
  } while (l_.Eat(','));
  return absl::OkStatus();
}

absl::StatusOr<HloInstruction*> InstructionParser::ParseOperand() {
  l_.SkipSpace();
  size_t shape_at = l_.pos();
  std::optional<Shape> stated;
  if (AtShape(l_)) {
    ASSIGN_OR_RETURN(stated, ParseShape(l_));
    l_.SkipSpace();
  }
  size_t at = l_.pos();
  std::string_view name = l_.EatName();
  if (name.empty()) return l_.Error("expected an operand");
  if (l_.Peek() == '(') {  // no name, but an instruction of its own
    l_.set_pos(at);
    if (depth_ == kMaxDepth) {
      return At(at, ResourceExhausted("operands nested deeper than {} levels", kMaxDepth));
    }
    Parts parts;
    parts.shape = std::move(stated);
    ++depth_;
    absl::StatusOr<HloInstruction*> nested = ParseOp("", std::move(parts));
    --depth_;
    return nested;
  }
  auto it = names_.find(name);
  if (it == names_.end() && unknown_are_parameters_ && stated) {
    const auto number = static_cast<int64_t>(c_->parameters().size());
    it = names_.emplace(name, c_->AddParameter(number, *stated, std::string(name))).first;
  }
  if (it == names_.end())
    return At(at, l_.Error("there is no instruction '{}' before this one", name));
  ASSIGN_OR_RETURN(HloInstruction * value, ParseElements(it->second));
  if (stated && !Shape::Compatible(*stated, value->shape())) {
    return At(shape_at,
              l_.Error("'{}' is {}, not {}", name, value->shape().ToString(), stated->ToString()));
  }
  return value;
}

// "#1#0" behind an operand: an element of an element of it.
absl::StatusOr<HloInstruction*> InstructionParser::ParseElements(HloInstruction* value) {
  while (l_.remaining() && l_.Here() == '#') {
    const size_t at = l_.pos();
    l_.set_pos(at + 1);
    int64_t index;
    if (!l_.EatInt(&index)) return l_.Error("expected the number of an element");
    absl::StatusOr<HloInstruction*> element =
        c_->Add(HloOpcode::GetTupleElement, {value}, TupleElementAttrs{index});
    if (!element.ok()) return At(at, element.status());
    anonymous_.push_back(*element);
    value = *element;
  }
  return value;
}

absl::Status InstructionParser::ParseParameterNumber(int64_t& number) {
  l_.SkipSpace();
  size_t at = l_.pos();
  if (!l_.EatInt(&number)) return l_.Error("expected the number of a parameter");
  if (number < 0) return At(at, l_.Error("the number of a parameter is negative"));
  if (number >= parameter_limit_) {
    // The list of parameters is as long as the largest number: it must not outgrow the text. A
    // parameter takes more than 16 characters.
    size_t here = l_.pos();
    l_.set_pos(body_);
    absl::StatusOr<std::string_view> body = l_.SkipGroup();
    if (!body.ok()) return body.status();
    l_.set_pos(here);
    parameter_limit_ = std::max(parameter_limit_, static_cast<int64_t>(body->size() / 16));
    if (number >= parameter_limit_) {
      return At(
          at, l_.Error("the computation has not so many parameters as the number {} says", number));
    }
  }
  if (number < static_cast<int64_t>(c_->parameters().size()) &&
      c_->parameter(static_cast<size_t>(number))) {
    return At(at, l_.Error("parameter {} is defined twice", number));
  }
  return absl::OkStatus();
}

absl::Status InstructionParser::ParseAttributes(Parts& parts, bool present) {
  parts.called.assign(CalledNames(parts.op).size(), nullptr);
  std::vector<std::string_view> required = RequiredAttributes(parts.op), seen;
  size_t start = l_.pos();
  while (present && l_.Eat(',')) {
    l_.SkipSpace();
    size_t at = l_.pos();
    std::string_view name = l_.EatName();
    if (name.empty()) return l_.Error("expected the name of an attribute");
    if (seen.size() < 64) {
      if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
        return At(at, l_.Error("attribute '{}' is given twice", name));
      }
      seen.push_back(name);
    } else {
      return At(at, ResourceExhausted("more than {} attributes", seen.size()));
    }
    RETURN_IF_ERROR(l_.Expect('=', "after the name of an attribute"));
    RETURN_IF_ERROR(ParseOneAttribute(name, at, parts));
  }
  auto given = [&](std::string_view name) {
    return std::find(seen.begin(), seen.end(), name) != seen.end();
  };
  if (auto* compare = std::get_if<CompareAttrs>(&parts.attrs)) {
    if (given("type") && given("order"))
      return At(start, l_.Error("compare takes type= or order=, not both"));
    if (!parts.operands.empty()) {
      compare->type = ComparisonTypeFor(compare->type, parts.operands[0]->shape().element_type());
    }
  }
  // Ends need not say again what they end.
  if (parts.form && !Starts(*parts.form)) return absl::OkStatus();
  // XLA's own tests leave it out.
  if (parts.op == HloOpcode::Broadcast && parts.operands.size() == 1 &&
      parts.operands[0]->shape().is_scalar()) {
    return absl::OkStatus();
  }
  for (std::string_view name : required) {
    if (!given(name)) {
      return At(start, l_.Error("{} needs {}=", Name(parts.op), name));
    }
  }
  return absl::OkStatus();
}

absl::Status InstructionParser::ParseOneAttribute(std::string_view name, size_t at, Parts& parts) {
  if (name == "metadata") return ParseMetadata(parts.metadata);
  bool is_note = IsAnnotation(AnnotationOf::kInstruction, name, parts.name) ||
                 IsAnnotation(AnnotationOf::kInstruction, name, Name(parts.op));
  if (name == "result_accuracy") {
    RETURN_IF_ERROR(CheckAccuracy(parts.op));
    is_note = true;
  }
  if (name == "control-predecessors") return ParsePredecessors(parts.annotations);
  l_.SkipSpace();
  const size_t start = l_.pos();
  // Of a custom call: a shape and a value.
  const bool is_literal = name == "literal" && l_.Peek() != '(';
  if (is_literal) RETURN_IF_ERROR(ParseShape(l_).status());
  ASSIGN_OR_RETURN(bool called, ParseCalled(name, parts));
  if (called) return absl::OkStatus();
  if (parts.op == HloOpcode::CustomCall && name == "operand_layout_constraints")
    return ParseOperandLayouts(parts);
  ASSIGN_OR_RETURN(bool known, ParseAttribute(l_, name, parts.attrs));
  if (known) return absl::OkStatus();
  if (name == "order" && std::holds_alternative<CompareAttrs>(parts.attrs))
    return ParseComparisonOrder(std::get<CompareAttrs>(parts.attrs));
  const bool is_thread = parts.form && name == "async_execution_thread";
  if (!is_note && !is_thread) return At(at, l_.Error("{} has no attribute '{}'", parts.name, name));
  RETURN_IF_ERROR(l_.SkipValue());
  const std::string_view value = l_.text().substr(start, l_.pos() - start);
  if (is_thread) {
    parts.thread = value.size() > 1 && value[0] == '"' ? value.substr(1, value.size() - 2) : value;
  }
  if (!parts.form || IsAnnotationOfAnyOp(name)) {
    parts.annotations.push_back({std::string(name), std::string(value)});
  }
  return absl::OkStatus();
}

// "TOTAL", "PARTIAL": what newer versions of XLA write instead of type=.
absl::Status InstructionParser::ParseComparisonOrder(CompareAttrs& compare) {
  const size_t at = l_.pos();
  const std::string_view order = l_.EatName();
  if (order != "TOTAL" && order != "PARTIAL")
    return At(at, l_.Error("'{}' is no comparison order", order));
  if (order == "TOTAL") compare.type = ComparisonType::kTotalOrder;
  return absl::OkStatus();
}

// "{tolerance={atol=0.5, rtol=0, ulps=2}}" or "{mode=highest}", of elementary functions. Leaves the
// lexer where it was: the accuracy of results does not depend on it, and the text is preserved.
absl::Status InstructionParser::CheckAccuracy(HloOpcode op) {
  if (!(Info(op).traits & kResultAccuracy)) return l_.Error("{} has no result_accuracy", Name(op));
  const size_t start = l_.pos();
  RETURN_IF_ERROR(l_.Expect('{', "before an accuracy"));
  size_t at = l_.pos();
  const std::string_view field = l_.EatName();
  if (field != "tolerance" && field != "mode")
    return At(at, l_.Error("expected tolerance or mode"));
  RETURN_IF_ERROR(l_.Expect('=', "after the name of a field"));
  if (field == "mode") {
    at = l_.pos();
    const std::string_view mode = l_.EatName();
    if (mode != "default" && mode != "highest")
      return At(at, l_.Error("expected default or highest"));
  } else {
    RETURN_IF_ERROR(l_.SkipValue());
  }
  RETURN_IF_ERROR(l_.Expect('}', "after an accuracy"));
  l_.set_pos(start);
  return absl::OkStatus();
}

// "{%a, b}": what has to be evaluated before. The order of the text is such an order.
absl::Status InstructionParser::ParsePredecessors(Annotations& annotations) {
  RETURN_IF_ERROR(l_.Expect('{', "before names of instructions"));
  std::vector<std::string_view> names;
  while (!l_.Eat('}')) {
    if (!names.empty()) RETURN_IF_ERROR(l_.Expect(',', "between names of instructions"));
    l_.SkipSpace();
    const size_t at = l_.pos();
    const std::string_view name = l_.EatName();
    if (name.empty()) return l_.Error("expected the name of an instruction");
    if (!names_.contains(name))
      return At(at, l_.Error("there is no instruction '{}' before this one", name));
    names.push_back(name);
  }
  annotations.push_back({"control-predecessors", Format("{{{}}}", Join(names, ", "))});
  return absl::OkStatus();
}

absl::StatusOr<bool> InstructionParser::ParseCalled(std::string_view name, Parts& parts) {
  std::vector<std::string_view> names = CalledNames(parts.op);
  for (size_t i = 0; i < names.size(); ++i) {
    const bool is_async = parts.op == HloOpcode::Call && name == "calls";
    if (names[i] != name && !is_async) continue;
    ASSIGN_OR_RETURN(parts.called[i], ParseComputationName());
    return true;
  }
  if (parts.op == HloOpcode::CustomCall && name == "to_apply") {
    parts.called.resize(1);
    ASSIGN_OR_RETURN(parts.called[0], ParseComputationName());
    return true;
  }
  if (parts.op == HloOpcode::CustomCall && name == "called_computations")
    return ParseComputationNames(parts);
  if (parts.op != HloOpcode::Conditional) return false;
  if (name == "true_computation" || name == "false_computation") {
    parts.called.resize(2);
    ASSIGN_OR_RETURN(parts.called[name == "true_computation" ? 0 : 1], ParseComputationName());
    return true;
  }
  return name == "branch_computations" ? ParseComputationNames(parts) : false;
}

absl::Status InstructionParser::ParseOperandLayouts(Parts& parts) {
  const size_t start = l_.pos();
  RETURN_IF_ERROR(l_.Expect('{', "before the shapes of operands"));
  if (!l_.Eat('}')) {
    do {
      ASSIGN_OR_RETURN(parts.operand_layouts.emplace_back(), ParseShape(l_));
    } while (l_.Eat(','));
    RETURN_IF_ERROR(l_.Expect('}', "after the shapes of operands"));
  }
  bool fits = parts.operand_layouts.size() == parts.operands.size();
  for (size_t i = 0; fits && i < parts.operands.size(); ++i)
    fits = Shape::Compatible(parts.operand_layouts[i], parts.operands[i]->shape());
  if (!fits) return At(start, l_.Error("operand_layout_constraints are not the operands' shapes"));
  return absl::OkStatus();
}

absl::StatusOr<bool> InstructionParser::ParseComputationNames(Parts& parts) {
  parts.called.clear();
  RETURN_IF_ERROR(l_.Expect('{', "before computations"));
  do {
    ASSIGN_OR_RETURN(HloComputation * branch, ParseComputationName());
    parts.called.push_back(branch);
  } while (l_.Eat(','));
  RETURN_IF_ERROR(l_.Expect('}', "after computations"));
  return true;
}

absl::StatusOr<HloComputation*> InstructionParser::ParseComputationName() {
  if (l_.Peek() == '{') return parse_inline_();
  l_.SkipSpace();
  size_t at = l_.pos();
  std::string_view name = l_.EatName();
  if (name.empty()) return l_.Error("expected the name of a computation");
  auto it = computations_.find(name);
  if (it == computations_.end())
    return At(at, l_.Error("there is no computation '{}' before this one", name));
  return it->second;
}

// {op_type="dot_general" op_name="jit(f)/dot" source_file="f.py" source_line=3}
absl::Status InstructionParser::ParseMetadata(Metadata& m) {
  RETURN_IF_ERROR(l_.Expect('{', "before metadata"));
  while (!l_.Eat('}')) {
    std::string_view name = l_.EatName();
    if (name.empty()) return l_.Error("expected the name of a field of metadata");
    RETURN_IF_ERROR(l_.Expect('=', "after the name of a field"));
    if (name == "op_name") {
      ASSIGN_OR_RETURN(m.op_name, l_.EatString());
    } else if (name == "source_file") {
      ASSIGN_OR_RETURN(m.source_file, l_.EatString());
    } else if (name == "source_line") {
      int64_t line;
      if (!l_.EatInt(&line) || line < 0 || line > INT32_MAX)
        return l_.Error("expected the number of a line");
      m.source_line = static_cast<int32_t>(line);
    } else if (name == "stack_frame_id") {
      int64_t id;
      if (!l_.EatInt(&id)) return l_.Error("expected the number of a stack frame");
      if (auto frame = frames_.find(id); frame != frames_.end() && m.source_line == 0) {
        m.source_file = frame->second.file;
        m.source_line = frame->second.line;
      }
    } else {
      l_.SkipSpace();
      const size_t start = l_.pos();
      RETURN_IF_ERROR(l_.SkipValue());
      m.other += Format("{}{}={}", m.other.empty() ? "" : " ", name,
                        l_.text().substr(start, l_.pos() - start));
    }
    l_.Eat(',');
  }
  return absl::OkStatus();
}

}  // namespace sinter
