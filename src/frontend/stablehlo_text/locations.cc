#include "frontend/stablehlo_text/parser.h"

namespace sinter::stablehlo {

absl::StatusOr<LocationId> Parser::ParseOptionalLocation() {
  if (!Eat("loc")) return kNoLocation;
  RETURN_IF_ERROR(Expect('(', "after 'loc'"));
  ASSIGN_OR_RETURN(LocationId id, ParseLocationBody());
  RETURN_IF_ERROR(Expect(')', "at the end of a location"));
  return id;
}

absl::StatusOr<LocationId> Parser::ParseLocationBody() {
  DepthGuard guard(this, at());
  RETURN_IF_ERROR(guard.status);
  Location location;
  auto child = [&]() -> absl::Status {
    ASSIGN_OR_RETURN(LocationId id, ParseLocationBody());
    location.children.push_back(id);
    return absl::OkStatus();
  };
  if (At(Tok::kString)) {
    location.text = Unquote(token().text);
    Advance();
    if (Eat(':')) {
      location.kind = Location::Kind::kFile;
      ASSIGN_OR_RETURN(int64_t line, ParseInteger());
      location.line = static_cast<int32_t>(line);
      RETURN_IF_ERROR(Expect(':', "between line and column"));
      RETURN_IF_ERROR(ParseInteger().status());
      if (Eat("to")) {
        if (At(Tok::kInteger)) RETURN_IF_ERROR(ParseInteger().status());
        RETURN_IF_ERROR(Expect(':', "between line and column"));
        RETURN_IF_ERROR(ParseInteger().status());
      }
      return builder_.AddLocation(std::move(location));
    }
    location.kind = Location::Kind::kName;
    if (Eat('(')) {
      RETURN_IF_ERROR(child());
      RETURN_IF_ERROR(Expect(')', "behind the location of a name"));
    }
    return builder_.AddLocation(std::move(location));
  }
  if (At(Tok::kHash)) {
    location.kind = Location::Kind::kAlias;
    location.text = std::string(token().text);
    Advance();
    if (At('<')) {  // the attribute of another dialect
      std::string_view body;
      RETURN_IF_ERROR(SkipBrackets(&body));
    }
    return builder_.AddLocation(std::move(location));
  }
  if (Eat("unknown")) return builder_.AddLocation(std::move(location));
  if (Eat("callsite")) {
    location.kind = Location::Kind::kCallSite;
    RETURN_IF_ERROR(Expect('(', "after 'callsite'"));
    RETURN_IF_ERROR(child());
    RETURN_IF_ERROR(Expect("at"));
    RETURN_IF_ERROR(child());
    RETURN_IF_ERROR(Expect(')', "at the end of a call site"));
    return builder_.AddLocation(std::move(location));
  }
  if (Eat("fused")) {
    location.kind = Location::Kind::kFused;
    std::string_view body;
    if (At('<')) RETURN_IF_ERROR(SkipBrackets(&body));
    RETURN_IF_ERROR(Expect('[', "before fused locations"));
    while (!At(']')) {
      if (!location.children.empty()) RETURN_IF_ERROR(Expect(',', "between locations"));
      RETURN_IF_ERROR(child());
    }
    Advance();
    return builder_.AddLocation(std::move(location));
  }
  return Expected("a location");
}

}  // namespace sinter::stablehlo
