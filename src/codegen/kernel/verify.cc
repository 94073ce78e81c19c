#include "codegen/kernel/verify.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "codegen/kernel/alias.h"
#include "codegen/kernel/bounds.h"
#include "codegen/kernel/layout.h"
#include "codegen/kernel/text.h"
#include "codegen/kernel/verify_types.h"

namespace sinter::kernel {
namespace {

constexpr size_t kMaxErrors = 8;      // that are listed
constexpr int kMaxExtent = 1 << 16;   // of a tile's axis
constexpr int64_t kMaxUnroll = 1024;  // iterations

class Verifier {
 public:
  explicit Verifier(const Kernel& kernel)
      : k_(kernel),
        defined_(kernel.types.size()),
        visible_(kernel.types.size()),
        depends_(kernel.types.size()) {}

  std::vector<std::string> All() {
    if (k_.lanes < 1) Fail("lanes is below 1");
    if (k_.warps < 0 || k_.warps > kMaxWarps) Fail("a block of {} warps", k_.warps);
    Layouts();
    for (size_t i = 0; i < k_.types.size(); ++i) TypeOf(k_.types[i]);
    Params();
    BufferTypes();
    if (errors_.empty()) Top();
    if (errors_.empty()) Buffers();
    return std::move(errors_);
  }

 private:
  template <class... Args>
  void Fail(fmt::format_string<Args...> format, Args&&... args) {
    if (errors_.size() < kMaxErrors) errors_.push_back(Format(format, std::forward<Args>(args)...));
  }
  void FailAt(const Op& op, std::string_view message) { Fail("{}: {}", Print(k_, op), message); }
  bool IsValue(Value v) const { return v >= 0 && static_cast<size_t>(v) < k_.types.size(); }
  bool Visible(Value v) const { return IsValue(v) && visible_[static_cast<size_t>(v)]; }

  // --- declarations

  void Layouts() {
    if (k_.layouts.empty() || !(k_.layouts[0] == Layout{})) Fail("layout 0 is not empty");
    for (size_t i = 1; i < k_.layouts.size(); ++i) {
      if (std::string error = LayoutError(k_.layouts[i], k_.warps); !error.empty())
        Fail("layout {}: {}", i, error);
    }
  }
  void TypeOf(const Type& t) {
    if (!IsValueElement(t.elem)) return Fail("values cannot be of {}", Name(t.elem));
    if (t.rows < 1 || t.cols < 1 || t.rows > kMaxExtent || t.cols > kMaxExtent) {
      return Fail("a tile of {} x {} elements", t.rows, t.cols);
    }
    if (t.layout == 0) {
      if (k_.warps > 0 && !t.is_scalar())
        Fail("a tile of {} x {} elements without a layout", t.rows, t.cols);
      return;
    }
    if (k_.warps == 0 || t.is_scalar()) Fail("a value without a layout names layout {}", t.layout);
    if (t.layout < 0 || static_cast<size_t>(t.layout) >= k_.layouts.size())
      return Fail("no layout {}", t.layout);
    const int extents[] = {t.rows, t.cols};
    for (int axis = 0; axis < 2; ++axis) {
      int64_t covered = 1;
      for (const Factor& f : k_.layouts[static_cast<size_t>(t.layout)].axes[axis])
        covered *= f.extent;
      if (extents[axis] > 1 && covered != extents[axis]) {
        Fail("layout {} covers {} elements of an axis of {}", t.layout, covered, extents[axis]);
      }
    }
  }
  void Params() {
    for (const Param& p : k_.params) {
      if (!Define(p.value)) {
        Fail("parameter {}: its value is undefined or another's", p.name);
      } else if (k_.type(p.value) != kIndexType) {
        Fail("parameter {} is not an index scalar", p.name);
      }
      if (p.lo > p.hi || p.multiple < 1)
        Fail("parameter {}: bounds {}..{} multiple {}", p.name, p.lo, p.hi, p.multiple);
      top_.insert(p.value);
    }
  }
  void BufferTypes() {
    for (const Buffer& b : k_.buffers) {
      if (!IsValueElement(b.elem)) Fail("buffer {} is of {}", b.name, Name(b.elem));
      if (b.shape.size() != b.strides.size())
        Fail("buffer {}: shape and strides differ in rank", b.name);
    }
  }
  // The value of an index constant of the top, or nothing.
  const Op* ConstantAt(Value v) const {
    for (const Op& op : k_.top.ops) {
      bool index = op.code == OpCode::kConst && op.results.size() == 1 && op.results[0] == v;
      if (index && k_.type(v) == kIndexType) return &op;
    }
    return nullptr;
  }
  bool IsParam(Value v) const {
    return std::any_of(k_.params.begin(), k_.params.end(),
                       [v](const Param& p) { return p.value == v; });
  }
  void Buffers() {
    for (const Buffer& b : k_.buffers) {
      bool constant = true;
      for (Value v : b.shape) {
        constant &= ConstantAt(v) != nullptr;
        if (ConstantAt(v) == nullptr && !IsParam(v))
          Fail("buffer {}: an extent is no constant or parameter", b.name);
      }
      for (Value v : b.strides) {
        constant &= ConstantAt(v) != nullptr;
        if (!top_.contains(v)) Fail("buffer {}: a stride is not a value of the top", b.name);
      }
      if (b.space != Space::kTask && b.space != Space::kConstant) {
        if (!b.data.empty()) Fail("buffer {} has data but is not constant", b.name);
        continue;
      }
      if (!constant) {
        Fail("buffer {}: {} buffers are of constant size", b.name,
             b.space == Space::kTask ? "task" : "constant");
      } else if (b.space == Space::kConstant) {
        ConstantData(b);
      }
    }
  }
  void ConstantData(const Buffer& b) {
    int64_t elements = 1;
    for (size_t d = b.shape.size(); d-- > 0;) {
      if (ConstantAt(b.strides[d])->int_value != elements)
        Fail("buffer {}: constant data is row-major", b.name);
      elements *= ConstantAt(b.shape[d])->int_value;
    }
    if (static_cast<int64_t>(b.data.size()) != elements * ByteWidth(b.elem)) {
      Fail("buffer {}: {} bytes of data for {} elements", b.name, b.data.size(), elements);
    }
    if (b.written) Fail("buffer {}: constant data is written", b.name);
  }

  // --- operations

  void Top() {
    if (!k_.top.args.empty() || !k_.top.yield.empty()) Fail("the top takes and yields nothing");
    bool stages = false;
    for (const Op& op : k_.top.ops) {
      if (IsStage(op)) {
        stages = true;
      } else if (op.results.empty() || Stores(op)) {
        FailAt(op, "at the top stand values and parallel loops only");
      } else if (stages) {
        FailAt(op, "a value of the top stands before all stages");
      }
      if (!Operation(op)) return;  // what follows would be errors of the same cause
      const bool arithmetic = op.code == OpCode::kConst || IsPointwise(op.code);
      for (Value v : op.results)
        if (arithmetic && k_.type(v) == kIndexType) top_.insert(v);
    }
  }
  // Stages see what those before them stored, the top does not.
  bool Stores(const Op& op) const {
    if (op.code == OpCode::kStore) return true;
    if (op.code == OpCode::kLoad && IsBuffer(op) &&
        k_.buffers[static_cast<size_t>(op.buffer)].written)
      return true;
    for (const Block& region : op.regions)
      if (std::any_of(region.ops.begin(), region.ops.end(),
                      [this](const Op& inner) { return Stores(inner); }))
        return true;
    return false;
  }
  bool IsBuffer(const Op& op) const {
    return op.buffer >= 0 && static_cast<size_t>(op.buffer) < k_.buffers.size();
  }
  // Marks a value as defined here; false if it is no value or already defined.
  bool Define(Value v) {
    if (!IsValue(v) || defined_[static_cast<size_t>(v)]) return false;
    defined_[static_cast<size_t>(v)] = visible_[static_cast<size_t>(v)] = true;
    return true;
  }
  bool Operation(const Op& op) {
    const size_t before = errors_.size();
    for (Value v : op.operands) {
      if (!Visible(v))
        return FailAt(op, "an operand is not defined in an enclosing block before"), false;
    }
    const bool memory = op.code == OpCode::kLoad || op.code == OpCode::kStore;
    if (memory && !IsBuffer(op)) {
      return FailAt(op, "there is no such buffer"), false;
    }
    for (Value v : op.results) {
      if (!IsValue(v)) return FailAt(op, "a result is not a value"), false;
    }
    for (const Block& region : op.regions) {
      for (const Values* values : {&region.args, &region.yield}) {
        for (Value v : *values) {
          if (!IsValue(v)) return FailAt(op, "a region takes or yields what is not a value"), false;
        }
      }
      for (const Op& inner : region.ops) {
        for (const Values* values : {&inner.operands, &inner.results}) {
          for (Value v : *values) {
            if (!IsValue(v)) return FailAt(inner, "names what is not a value"), false;
          }
        }
      }
    }
    if (std::string error = TypeError(k_, op); !error.empty()) return FailAt(op, error), false;
    if (op.code == OpCode::kStore) StoreIsDisjoint(op);
    if (op.code == OpCode::kFor && op.loop == LoopKind::kUnroll) Unrolled(op);
    if (!Regions(op)) return false;
    for (Value v : op.results) {
      if (!Define(v)) return FailAt(op, "a result is defined twice"), false;
      for (Value in : op.operands) Depend(v, in);
      for (const Block& region : op.regions) {
        for (Value in : region.yield) Depend(v, in);
      }
    }
    return errors_.size() == before;
  }
  void Unrolled(const Op& op) {
    const Op *lo = ConstantAt(op.operands[0]), *hi = ConstantAt(op.operands[1]);
    if (lo == nullptr || hi == nullptr)
      return FailAt(op, "bounds of an unrolled loop are constants");
    if ((hi->int_value - lo->int_value) / op.int_value > kMaxUnroll)
      FailAt(op, "unrolls too many iterations");
  }
  bool Regions(const Op& op) {
    if (op.regions.empty()) return true;
    if (++depth_ > kMaxRegionDepth) return FailAt(op, "regions are nested too deeply"), false;
    for (size_t r = 0; r < op.regions.size(); ++r) {
      const Block& region = op.regions[r];
      for (size_t i = 0; i < region.args.size(); ++i) {
        if (!Define(region.args[i])) return FailAt(op, "an argument is defined twice"), false;
        // A loop variable and its carries depend on what the first of them does: lo and the initial
        // values.
        size_t from = op.code == OpCode::kFor && i > 0 ? i + 1 : i;
        if (from < op.operands.size()) Depend(region.args[i], op.operands[from]);
      }
      const bool parallel = op.code == OpCode::kFor && op.loop == LoopKind::kPar && !RunsOnce(op);
      if (parallel) {
        par_.push_back(region.args[0]);
        depends_[static_cast<size_t>(region.args[0])].insert(region.args[0]);
      }
      // In a region for one value of a variable, that variable need not appear in indices.
      std::set<Value> fixed =
          r == 0 && op.code == OpCode::kIf ? FixedBy(op.operands[0]) : std::set<Value>{};
      fixed_.push_back(std::move(fixed));
      bool ok = Body(op, region);
      fixed_.pop_back();
      if (parallel) par_.pop_back();
      if (!ok) return false;
    }
    --depth_;
    return true;
  }
  bool Body(const Op& op, const Block& region) {
    for (const Op& inner : region.ops) {
      definition_[inner.results.empty() ? kNone : inner.results[0]] = &inner;
      if (!Operation(inner)) return false;
    }
    for (Value v : region.yield) {
      if (!Visible(v)) return FailAt(op, "yields what is not defined in the region"), false;
    }
    // Values leave a region by yield only.
    for (Value v : region.args) visible_[static_cast<size_t>(v)] = false;
    for (const Op& inner : region.ops) {
      for (Value v : inner.results) visible_[static_cast<size_t>(v)] = false;
    }
    return true;
  }

  // --- parallel loops

  void Depend(Value v, Value on) {
    const std::set<Value>& from = depends_[static_cast<size_t>(on)];
    depends_[static_cast<size_t>(v)].insert(from.begin(), from.end());
  }
  bool RunsOnce(const Op& loop) const {
    const Op *lo = ConstantAt(loop.operands[0]), *hi = ConstantAt(loop.operands[1]);
    return lo != nullptr && hi != nullptr && hi->int_value <= lo->int_value + loop.int_value;
  }
  // The parallel variables that an equality pins down.
  std::set<Value> FixedBy(Value condition) const {
    auto it = definition_.find(condition);
    if (it == definition_.end()) return {};
    const Op& op = *it->second;
    if (op.code == OpCode::kCmp && op.predicate == Predicate::kEq)
      return depends_[static_cast<size_t>(condition)];
    if (op.code != OpCode::kAnd) return {};
    std::set<Value> a = FixedBy(op.operands[0]), b = FixedBy(op.operands[1]);
    a.insert(b.begin(), b.end());
    return a;
  }
  // Tasks must not write the same element: every parallel variable around a store enters an index.
  void StoreIsDisjoint(const Op& op) {
    const Buffer& b = k_.buffers[static_cast<size_t>(op.buffer)];
    if (b.space == Space::kTask) return;
    for (Value p : par_) {
      bool found = std::any_of(fixed_.begin(), fixed_.end(),
                               [p](const std::set<Value>& s) { return s.contains(p); });
      for (size_t d = 0; d < b.shape.size() && !found; ++d) {
        found = depends_[static_cast<size_t>(op.operands[1 + d])].contains(p);
      }
      if (!found) FailAt(op, "tasks of a parallel loop would write the same elements");
    }
  }

  const Kernel& k_;
  std::vector<std::string> errors_;
  std::vector<char> defined_, visible_;   // of each value: has a definition; it is in scope
  std::vector<std::set<Value>> depends_;  // by value: the parallel variables that it depends on
  std::set<Value> top_;                   // values of the top
  std::vector<Value> par_;                // parallel variables around
  // Parallel variables that have one value in an enclosing region.
  std::vector<std::set<Value>> fixed_;
  std::map<Value, const Op*> definition_;
  int depth_ = 0;
};

}  // namespace

absl::Status Verify(const Kernel& kernel, const VerifyOptions& options) {
  std::vector<std::string> errors = Verifier(kernel).All();
  if (errors.empty() && options.bounds) CheckBounds(kernel, errors);
  if (errors.empty() && options.bounds && options.aliases) CheckAliases(kernel, errors);
  if (errors.empty()) return absl::OkStatus();
  if (errors.size() > kMaxErrors) errors.resize(kMaxErrors);
  return Internal("kernel {} is invalid:\n  {}", kernel.name, Join(errors, "\n  "));
}

}  // namespace sinter::kernel
