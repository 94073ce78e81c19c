#include "codegen/emit/row_group.h"

#include "absl/algorithm/container.h"
#include "codegen/emit/elementwise.h"

namespace sinter::emit {

using kernel::Index;
using kernel::kNone;
using kernel::LoopKind;
using kernel::OpCode;
using kernel::Tail;
using kernel::Type;
using kernel::Value;
using kernel::Values;

void EmitRowGroup(Region& region, const RowGroup& group,
                  const std::function<void(Value base, int cols)>& place,
                  const std::function<void()>& rest) {
  const plan::Plan& plan = region.plan();
  const int rows = plan.group_rows;
  const bool is_whole = group.extent % rows == 0;
  const Value first = group.first;
  const Value end = is_whole
                        ? kNone
                        : region.IndexOp(OpCode::kMin, region.IndexAdd(first, region.Int(rows)),
                                         region.Int(group.extent));
  const Value count = is_whole ? region.Int(rows) : region.IndexOp(OpCode::kSub, end, first);
  const Frame one = group.frame;
  auto bind = [&](size_t n) {
    for (size_t k = 0; k < n; ++k) {
      const auto& [node, map] = plan.grouped[k];
      region.BindOfRows(node, region.MapCoords(map, group.at), group.frame);
    }
  };
  // With the first n results known.
  auto each_row = [&](size_t n, const std::function<void()>& body) {
    region.Loop(LoopKind::kSeq, region.Int(0), count, 1, Tail::kExact, {},
                [&](Value row, const Values&) {
                  const Value base = region.IndexAdd(first, row);
                  place(base, 0);
                  region.SetGroupRow(row, group.at[static_cast<size_t>(plan.group_dim)].base);
                  bind(n);
                  body();
                  region.SetGroupRow(kNone, kNone);
                  return Values{};
                });
  };
  auto all_rows = [&](size_t n, const std::function<void()>& body) {
    group.frame.cols = rows;
    group.frame.cols_depth = region.b().depth();
    group.frame.col_bound = is_whole ? Bound{} : Bound{first, end};
    place(first, 1);
    bind(n);
    body();
    group.frame = one;
  };
  for (size_t k = 0; k < plan.grouped.size(); ++k) {
    const auto& [node, map] = plan.grouped[k];
    auto here = [&] { return region.MapCoords(map, group.at); };
    if (node->op() == HloOpcode::Reduce) {
      each_row(k, [&] { region.KeepLeft(node, here(), group.frame); });
      if (!is_whole) region.ClearLeft(count);
      region.CombineLeft(node);
    } else {
      all_rows(k, [&] { region.KeepOfRows(node, here(), group.frame); });
    }
  }
  if (plan.col_dim < 0) {
    all_rows(plan.grouped.size(), rest);
  } else {
    each_row(plan.grouped.size(), rest);
  }
  region.ForgetRows();
}

void Region::KeepLeft(const HloInstruction* reduce, const Coords& at, const Frame& frame) {
  const ReduceSpec spec = SpecOfAll(MembersWith(reduce));
  left_.clear();
  for (Value part : Flatten(ReduceLoops(spec, at, frame, /*keeps_columns=*/true))) {
    const Type type = b_.type(part);
    const int buffer = b_.AddBuffer(Format("l{}", b_.kernel().buffers.size()), type.elem,
                                    Dims{plan_->group_rows, type.cols}, kernel::Space::kTask);
    b_.Store(part, buffer, {Index{group_row_}, Index{Int(0), 0, type.cols > 1 ? 1 : 0}});
    left_.emplace_back(buffer, type);
  }
}

void Region::ClearLeft(Value count) {
  Loop(LoopKind::kSeq, count, Int(plan_->group_rows), 1, Tail::kExact, {},
       [&](Value row, const Values&) {
         for (const auto& [buffer, of_row] : left_) {
           b_.Store(b_.Splat(Zero(of_row.elem).re, Type{of_row.elem, 1, of_row.cols}), buffer,
                    {Index{row}, Index{Int(0), 0, of_row.cols > 1 ? 1 : 0}});
         }
         return Values{};
       });
}

void Region::CombineLeft(const HloInstruction* reduce) {
  const std::vector<const HloInstruction*> members = MembersWith(reduce);
  const ReduceSpec spec = SpecOfAll(members);
  const int rows = plan_->group_rows;
  Values acc;  // of all columns, which become rows
  int cols = 1;
  for (const auto& [buffer, of_row] : left_) {
    cols = of_row.cols;
    if (cols > 1) {
      const Value all = b_.Load(buffer, {Index{Int(0), 1, 0}, Index{Int(0), 0, 1}},
                                Type{of_row.elem, rows, cols});
      acc.push_back(b_.Transpose(all));
    } else {
      acc.push_back(
          b_.Load(buffer, {Index{Int(0), 0, 1}, Index{Int(0)}}, Type{of_row.elem, 1, rows}));
    }
  }
  if (cols > 1) {
    acc = b_.Reduce(acc, kernel::Axis::kRows, [&](const Values& a, const Values& c) {
      return Flatten(spec.combine(Unflatten(a, spec.types), Unflatten(c, spec.types)));
    });
  }
  const std::vector<std::vector<Parts>> results = FinishAll(members, Unflatten(acc, spec.types));
  for (size_t m = 0; m < members.size(); ++m)
    for (size_t k = 0; k < results[m].size(); ++k)
      CollectRows(members[m], static_cast<int64_t>(k), results[m][k]);
}

void Region::KeepOfRows(const HloInstruction* node, const Coords& at, const Frame& frame) {
  CollectRows(node, 0, Eval(node, at, frame));
}

void Region::CollectRows(const HloInstruction* node, int64_t element, const Parts& value) {
  const int rows = plan_->group_rows;
  Collect(node, element, value, 1, rows, {Index{Int(0)}, Index{Int(0), 0, 1}},
          Type{b_.type(value.re).elem, 1, rows});
}

void Region::BindOfRows(const HloInstruction* node, const Coords& at, const Frame& frame) {
  const std::vector<const HloInstruction*> members = MembersWith(node);
  const bool is_row = group_row_ != kNone;
  const std::vector<Index> lanes = {Index{Int(0)},
                                    is_row ? Index{group_row_} : Index{Int(0), 0, 1}};
  for (const Collected& c : collected_)
    if (absl::c_linear_search(members, c.loop))
      BindCollected(c, at, frame, lanes, is_row ? 1 : plan_->group_rows);
}

}  // namespace sinter::emit
