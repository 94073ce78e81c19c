#include "ir/sharding/sharding.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/status.h"
#include "ir/sharding/scanner.h"

namespace sinter {
namespace {

using Kind = Sharding::Kind;
using Subgroup = Sharding::Subgroup;
using sharding_text::Scanner;

constexpr int64_t kMostDevices = int64_t{1} << 20;
constexpr int kMostNested = 64;

class ShardingParser {
 public:
  explicit ShardingParser(std::string_view text) : text_(text), scan_(text) {}

  absl::StatusOr<Sharding> Parse() {
    ASSIGN_OR_RETURN(Sharding s, One(0));
    if (!scan_.AtEnd()) return Bad("the end");
    return s;
  }

 private:
  absl::Status Bad(std::string_view expected) {
    return InvalidArgument("sharding {}: expected {} at '{}'", text_, expected, scan_.rest());
  }

  absl::StatusOr<Sharding> One(int depth) {
    if (depth > kMostNested)
      return ResourceExhausted("a sharding nested deeper than {} tuples", kMostNested);
    if (!scan_.Eat("{")) return Bad("'{'");
    Sharding s;
    if (scan_.At("{") || scan_.At("}")) {
      s.kind = Kind::kTuple;
      while (!scan_.Eat("}")) {
        if (!s.elements.empty() && !scan_.Eat(",")) return Bad("','");
        scan_.Eat("/*");  // an index that XLA prints in long tuples
        if (scan_.rest().starts_with("index")) {
          scan_.Word();
          scan_.Eat("=");
          scan_.Integer();
          scan_.Eat("*/");
        }
        ASSIGN_OR_RETURN(Sharding element, One(depth + 1));
        s.elements.push_back(std::move(element));
      }
      return s;
    }
    while (!scan_.Eat("}")) {
      if (scan_.Eat("devices=")) {
        s.kind = Kind::kTiled;
        RETURN_IF_ERROR(Devices(s));
      } else if (scan_.Eat("last_tile_dim_replicate")) {
        s.subgroups = {Subgroup::kReplicated};
      } else if (scan_.Eat("last_tile_dims=")) {
        RETURN_IF_ERROR(Subgroups(s));
      } else if (scan_.Eat("metadata=")) {
        RETURN_IF_ERROR(SkipGroup());
      } else if (scan_.Eat("device=")) {
        const auto device = scan_.Integer();
        if (!device) return Bad("a device");
        s.device = *device;
      } else {
        const std::string word = scan_.Word();
        if (word == "replicated") {
          s.kind = Kind::kReplicated;
        } else if (word == "maximal") {
          s.kind = Kind::kMaximal;
        } else if (word == "manual") {
          s.kind = Kind::kManual;
        } else if (word == "unknown") {
          s.kind = Kind::kUnknown;
        } else if (word.empty()) {
          return Bad("a word");
        } else {
          return Unimplemented("sharding {}: {}", text_, word);
        }
      }
    }
    if (s.kind == Kind::kTiled && s.subgroups.size() > s.tiles.size())
      return InvalidArgument("sharding {}: more subgroups than dimensions", text_);
    return s;
  }

  absl::StatusOr<Dims> List(std::string_view open, std::string_view close) {
    Dims out;
    if (!scan_.Eat(open)) return Bad(open);
    while (!scan_.Eat(close)) {
      if (!out.empty() && !scan_.Eat(",")) return Bad("','");
      const auto n = scan_.Integer();
      if (!n) return Bad("a number");
      out.push_back(*n);
    }
    return out;
  }

  absl::StatusOr<int64_t> Count(const Dims& sizes) {
    int64_t count = 1;
    for (int64_t n : sizes) {
      if (n < 1) return InvalidArgument("sharding {}: a number of parts that is 0", text_);
      if (count > kMostDevices / n)
        return ResourceExhausted("sharding {}: more than {} devices", text_, kMostDevices);
      count *= n;
    }
    return count;
  }

  absl::Status Devices(Sharding& s) {
    ASSIGN_OR_RETURN(s.tiles, List("[", "]"));
    ASSIGN_OR_RETURN(const int64_t count, Count(s.tiles));
    if (scan_.Eat("<=")) {
      ASSIGN_OR_RETURN(const Dims sizes, List("[", "]"));
      ASSIGN_OR_RETURN(const int64_t listed, Count(sizes));
      Dims order(sizes.size());
      std::iota(order.begin(), order.end(), 0);
      if (scan_.Eat("T")) {
        ASSIGN_OR_RETURN(order, List("(", ")"));
        Dims sorted = order;
        std::sort(sorted.begin(), sorted.end());
        for (size_t d = 0; d < sorted.size(); ++d) {
          if (sorted[d] != static_cast<int64_t>(d) || sorted.size() != sizes.size())
            return InvalidArgument("sharding {}: T(...) is no permutation", text_);
        }
        if (order.size() != sizes.size())
          return InvalidArgument("sharding {}: T(...) is no permutation", text_);
      }
      if (listed != count)
        return InvalidArgument("sharding {}: {} devices for {} parts", text_, listed, count);
      Transposed(sizes, order, s.devices);
      return absl::OkStatus();
    }
    for (int64_t k = 0; k < count; ++k) {
      if (k > 0 && !scan_.Eat(",")) return Bad("','");
      const auto n = scan_.Integer();
      if (!n) return Bad("a device");
      s.devices.push_back(*n);
    }
    Dims sorted = s.devices;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
      return InvalidArgument("sharding {}: a device twice", text_);
    return absl::OkStatus();
  }

  // 0, 1, ... in an array of `sizes`, transposed, in row-major order.
  static void Transposed(const Dims& sizes, const Dims& order, Dims& out) {
    Dims strides(sizes.size(), 1);
    for (size_t d = sizes.size(); d-- > 1;) strides[d - 1] = strides[d] * sizes[d];
    out = {0};
    for (int64_t d : order) {
      const auto k = static_cast<size_t>(d);
      Dims next;
      for (int64_t base : out) {
        for (int64_t n = 0; n < sizes[k]; ++n) next.push_back(base + n * strides[k]);
      }
      out = std::move(next);
    }
  }

  absl::Status Subgroups(Sharding& s) {
    if (!scan_.Eat("{")) return Bad("'{'");
    while (!scan_.Eat("}")) {
      if (!s.subgroups.empty() && !scan_.Eat(",")) return Bad("','");
      const std::string word = scan_.Word();
      if (word == "replicated") {
        s.subgroups.push_back(Subgroup::kReplicated);
      } else if (word == "manual") {
        s.subgroups.push_back(Subgroup::kManual);
      } else if (word == "unreduced") {
        s.subgroups.push_back(Subgroup::kUnreduced);
      } else {
        return Bad("replicated, manual or unreduced");
      }
    }
    return absl::OkStatus();
  }

  absl::Status SkipGroup() {
    if (!scan_.Eat("{")) return Bad("'{'");
    for (int depth = 1; depth > 0;) {
      if (scan_.AtEnd()) return Bad("'}'");
      if (scan_.At("\"")) {
        if (!scan_.Quoted()) return Bad("'\"'");
      } else if (scan_.Eat("{")) {
        ++depth;
      } else if (scan_.Eat("}")) {
        --depth;
      } else {
        scan_.Eat(scan_.rest().substr(0, 1));
      }
    }
    return absl::OkStatus();
  }

  std::string_view text_;
  Scanner scan_;
};

bool AreInOrder(const Dims& devices) {
  for (size_t k = 0; k < devices.size(); ++k) {
    if (devices[k] != static_cast<int64_t>(k)) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<Sharding> ParseSharding(std::string_view text) {
  return ShardingParser(text).Parse();
}

std::string ToText(const Sharding& s) {
  switch (s.kind) {
    case Kind::kReplicated:
      return "{replicated}";
    case Kind::kMaximal:
      return Format("{{maximal device={}}}", s.device);
    case Kind::kManual:
      return "{manual}";
    case Kind::kUnknown:
      return "{unknown}";
    case Kind::kTuple: {
      std::vector<std::string> elements;
      for (const Sharding& e : s.elements) elements.push_back(ToText(e));
      return Format("{{{}}}", Join(elements, ", "));
    }
    case Kind::kTiled:
      break;
  }
  std::string out = Format("{{devices=[{}]", Join(s.tiles, ","));
  out += AreInOrder(s.devices) ? Format("<=[{}]", s.devices.size()) : Join(s.devices, ",");
  if (s.subgroups == std::vector<Subgroup>{Subgroup::kReplicated}) {
    out += " last_tile_dim_replicate";
  } else if (!s.subgroups.empty()) {
    std::vector<std::string_view> words;
    for (Subgroup g : s.subgroups) {
      words.push_back(g == Subgroup::kReplicated ? "replicated"
                      : g == Subgroup::kManual   ? "manual"
                                                 : "unreduced");
    }
    out += Format(" last_tile_dims={{{}}}", Join(words, ", "));
  }
  return out + "}";
}

}  // namespace sinter
