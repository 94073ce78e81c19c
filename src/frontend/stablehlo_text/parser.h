// Text to syntax tree. The methods are spread over files by what they read: parser.cc modules and
// functions, operations.cc operations and regions, types.cc, attributes.cc, dense.cc, locations.cc;
// pretty.cc the forms of particular operations.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "frontend/stablehlo/ast.h"
#include "frontend/stablehlo/program_builder.h"
#include "frontend/stablehlo_text/lexer.h"
#include "frontend/stablehlo_text/text_source.h"

namespace sinter::stablehlo {

struct Spelling;

class Parser {
 public:
  explicit Parser(const TextSource& source)
      : source_(source), lexer_(source.begin(), source.end()), builder_(source) {}

  absl::StatusOr<Program> ParseProgram();
  // Of an attribute or a type that is read alone: the end of the text, and what it refers to.
  absl::Status Finish();

  // --- tokens ---
  const TextSource& source() const { return source_; }
  const Token& token() const { return lexer_.token(); }
  const char* at() const { return token().begin(); }
  // Where what has been read ends.
  const char* last_end() const { return lexer_.last_end(); }
  bool At(char c) const { return token().Is(c); }
  bool At(std::string_view word) const { return token().Is(word); }
  bool At(Tok kind) const { return token().kind == kind; }
  void Advance() { lexer_.Advance(); }
  bool Eat(char c) { return At(c) && (Advance(), true); }
  bool Eat(std::string_view word) { return At(word) && (Advance(), true); }
  absl::Status Expect(char c, std::string_view where);
  absl::Status Expect(std::string_view word);
  // "expected WHAT, got 'TOKEN'" at the current token.
  absl::Status Expected(std::string_view what) const;

  // Skips what the bracket at the current token opens; `body` is the text inside.
  absl::Status SkipBrackets(std::string_view* body);

  // --- types.cc ---
  absl::StatusOr<Type> ParseType();
  absl::StatusOr<Shape> ParseShapeType();  // a type of values: tensor, token, tuple
  // "(" types ")" or one type
  absl::StatusOr<std::vector<Type>> ParseTypeList();

  // --- attributes.cc ---
  absl::StatusOr<Attribute> ParseAttribute();
  // Where a type behind a number or string is not its own: "dim = 0 : tensor<2xi32>".
  absl::StatusOr<Attribute> ParseClauseValue();
  absl::Status ParseDictionary(std::vector<NamedAttribute>* entries);
  absl::Status ParseOptionalDictionary(std::vector<NamedAttribute>* entries);
  absl::StatusOr<int64_t> ParseInteger();  // with sign
  absl::StatusOr<std::string> ParseSymbol();
  // What an attribute of a dialect states in `body`, which is a part of the text.
  void ReadBody(std::string_view body, Attribute* a);
  // From there to the end of what was read last, aliases replaced by what they name.
  absl::StatusOr<std::string> TextSince(const char* begin) const;

  // --- locations.cc ---
  absl::StatusOr<LocationId> ParseOptionalLocation();

  // --- operations ---
  absl::StatusOr<ValueId> ParseUse();
  // Uses separated by commas up to what is not a use; may be none.
  absl::Status ParseUses(std::vector<ValueId>* uses);
  // ":" and types: "(operands) -> results" or "operands -> results" (`full`), or a list that stands
  // in `operands`.
  struct Signature {
    std::vector<Type> operands, results;
    bool full = false;
  };
  absl::StatusOr<Signature> ParseSignature();
  // As above, but full; checks the operands' types and sets the results.
  absl::Status ParseFullSignature(Operation* op);
  // Operands and "key = value" clauses, up to ':' or '{'.
  absl::Status ParseClauses(const Spelling& spelling, Operation* op);
  absl::Status CheckOperandTypes(const Operation& op, const std::vector<Type>& types);
  absl::Status SetResults(Operation* op, const std::vector<Type>& types);
  absl::Status SetResults(Operation* op, std::vector<Shape> shapes);
  // "{ operations }" or "{^bb0(%a: type): operations }". Arguments given here stand before those of
  // the text.
  struct RegionArgument {
    std::string_view name;
    Shape shape;
    const char* at;
  };
  absl::Status ParseRegion(Region* region, const std::vector<RegionArgument>& arguments = {});
  absl::Status ParseOptionalRegions(std::vector<Region>* regions);  // "({...}, {...})"
  // "(%a: type, %b: type)"
  absl::Status ParseArgumentList(std::vector<RegionArgument>* arguments);
  // Opens the region, defines its arguments; what follows belongs to it until CloseRegion.
  absl::Status OpenRegion(Region* region, const std::vector<RegionArgument>& arguments);
  void CloseRegion();
  void Use(ValueId id) { builder_.Use(id); }
  const Shape& ShapeOf(ValueId id) const { return builder_.ShapeOf(id); }
  ProgramBuilder& builder() { return builder_; }

 private:
  friend class DepthGuard;
  struct Binding {
    ValueId first;
    int count;
  };
  struct ResultName {
    std::string_view name;
    int count;
    const char* at;
  };

  // --- parser.cc ---
  absl::Status ParseTopLevel();
  absl::Status ParseModuleOp();
  absl::Status ParseGenericTopLevel();
  absl::Status ParseFunction();
  absl::Status ParseFunctionArguments(Function* f, std::vector<RegionArgument>* arguments);
  absl::Status ParseFunctionResults(Function* f);
  absl::Status ParseAliasDefinition();
  absl::Status ParseMesh();
  void ReadMesh(std::string_view text, Mesh* mesh);
  absl::Status ParseAxesAndDevices(Mesh* mesh);
  absl::Status ParseResources();
  void FillResources();

  absl::Status ParseOperation(Region* into, bool* terminator);
  absl::Status ParseGenericOperation(Operation* op);
  absl::Status ParsePrettyOperation(Operation* op);
  absl::Status ParseReturn(Operation* op);
  absl::Status ParsePlain(const Spelling& spelling, Operation* op);
  absl::Status DefineArguments(Region* region, const std::vector<RegionArgument>& arguments);
  absl::Status Define(std::string_view name, Binding binding, const char* at);

  absl::StatusOr<Type> ParseTensorType();
  absl::StatusOr<Type> ParseQuantizedType(std::string_view body, const char* at);
  absl::StatusOr<Type> ParseDialectType();
  absl::Status ParseBounds(Shape* shape);

  absl::StatusOr<Attribute> ParseNumberAttribute(bool may_have_type = true);
  Attribute ParseStringAttribute();  // without a type behind it
  absl::StatusOr<Attribute> ParseHashAttribute();
  absl::StatusOr<Attribute> ParseWordAttribute();
  absl::StatusOr<std::string> WithoutAliases(std::string_view text) const;
  absl::Status ParseFields(std::vector<NamedAttribute>* fields);
  absl::Status ReadDimensionNumbers(std::string_view body, std::vector<NamedAttribute>* fields);
  absl::StatusOr<Attribute> ParseDense();
  absl::StatusOr<Attribute> ParseDenseResource();
  absl::StatusOr<Attribute> ParseDenseArray();

  absl::StatusOr<LocationId> ParseLocationBody();

  const TextSource& source_;
  Lexer lexer_;
  ProgramBuilder builder_;
  Program& program_ = builder_.program();
  absl::flat_hash_map<std::string_view, Type> type_aliases_;
  absl::flat_hash_map<std::string_view, Attribute> attribute_aliases_;
  absl::flat_hash_map<std::string_view, std::string> attribute_texts_;  // of the aliases
  absl::flat_hash_map<std::string_view, Binding> bindings_;
  absl::flat_hash_map<std::string_view, std::string_view> resources_;  // hex text with its quotes
  struct PendingResource {
    std::string_view name;
    const char* at;
    Shape shape;
    std::shared_ptr<absl::StatusOr<Literal>> elements;
  };
  std::vector<PendingResource> pending_resources_;   // resources stand at the end of a text
  std::vector<std::vector<std::string_view>> open_;  // the names that open regions define
  int depth_ = 0;
};

// Counts nesting; `status` is ResourceExhausted past the limit.
class DepthGuard {
 public:
  DepthGuard(Parser* parser, const char* at)
      : parser_(parser),
        status(++parser->depth_ > kMaxDepth
                   ? parser->source_.Exhausted(at, "nested deeper than {} levels", kMaxDepth)
                   : absl::OkStatus()) {}
  ~DepthGuard() { --parser_->depth_; }
  DepthGuard(const DepthGuard&) = delete;

 private:
  Parser* parser_;

 public:
  const absl::Status status;
};

// --- dense.cc: values of constants

// The text between dense< and > as a literal of `shape`, or of one element where it is the same for
// all (`splat`).
absl::StatusOr<Literal> ParseDenseText(const TextSource& source, std::string_view text,
                                       const Shape& shape, bool* splat);
// A quoted "0x..." (after `skip` bytes of header) as a literal of `shape`; `splat` may be null:
// then not allowed.
absl::StatusOr<Literal> ParseHex(const TextSource& source, std::string_view quoted,
                                 const Shape& shape, size_t skip, bool* splat);

}  // namespace sinter::stablehlo
