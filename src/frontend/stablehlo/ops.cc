#include "frontend/stablehlo/ops.h"

#include "frontend/stablehlo/op_table.h"

namespace sinter::stablehlo {

const OpRow* FindOp(std::string_view name) {
  using op_table::kRows;
  auto* row = std::lower_bound(std::begin(kRows), std::end(kRows), name,
                               [](const OpRow& r, std::string_view n) { return r.name < n; });
  return row != std::end(kRows) && row->name == name ? row : nullptr;
}

}  // namespace sinter::stablehlo
