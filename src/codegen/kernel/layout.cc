#include "codegen/kernel/layout.h"

#include <algorithm>
#include <bit>

#include "base/text.h"

namespace sinter::kernel {
namespace {

bool IsPowerOfTwo(int x) { return std::has_single_bit(static_cast<unsigned>(x)); }

int Held(const Kernel& kernel, const Type& type, int axis) {
  if ((axis == 0 ? type.rows : type.cols) == 1) return 1;
  int held = 1;
  for (const Factor& f : kernel.layouts[static_cast<size_t>(type.layout)].axes[axis]) {
    if (f.dim == HardwareDim::kReg) held *= f.extent;
  }
  return held;
}

}  // namespace

std::string LayoutError(const Layout& layout, int warps) {
  int named[2] = {0, 0};
  for (const std::vector<Factor>& axis : layout.axes) {
    for (const Factor& f : axis) {
      if (f.extent < 1 || f.stride < 1) return "a factor is not positive";
      if (f.dim == HardwareDim::kReg) {
        if (f.stride != 1) return "registers have stride 1";
        continue;
      }
      const bool lane = f.dim == HardwareDim::kLane;
      if (!IsPowerOfTwo(f.extent) || !IsPowerOfTwo(f.stride))
        return "a factor of lanes or warps is no power of two";
      const int limit = lane ? kWarpLanes : warps;
      if (f.extent > limit || f.stride > limit || f.extent * f.stride > std::max(1, limit))
        return lane ? "exceeds the lanes of a warp" : "exceeds the warps of the block";
      const int bits = (f.extent - 1) * f.stride;
      if ((named[lane ? 0 : 1] & bits) != 0)
        return lane ? "two factors share lanes" : "two factors share warps";
      named[lane ? 0 : 1] |= bits;
    }
  }
  return "";
}

Layout Canonical(Layout layout) {
  for (std::vector<Factor>& axis : layout.axes) {
    std::vector<Factor> merged;
    for (const Factor& f : axis) {
      if (f.extent == 1) continue;
      if (!merged.empty() && merged.back().dim == f.dim) {
        Factor& outer = merged.back();
        if (f.dim == HardwareDim::kReg || outer.stride == f.stride * f.extent) {
          outer = {f.dim, outer.extent * f.extent, f.stride};
          continue;
        }
      }
      merged.push_back(f);
    }
    axis = std::move(merged);
  }
  return layout;
}

int AddLayout(Kernel& kernel, const Layout& layout) {
  const Layout canonical = Canonical(layout);
  auto& all = kernel.layouts;
  for (size_t i = 1; i < all.size(); ++i) {
    if (all[i] == canonical) return static_cast<int>(i);
  }
  all.push_back(canonical);
  return static_cast<int>(all.size()) - 1;
}

Layout LayoutOf(const Kernel& kernel, const Type& type) {
  Layout layout = kernel.layouts[static_cast<size_t>(type.layout)];
  if (type.rows == 1) layout.axes[0].clear();
  if (type.cols == 1) layout.axes[1].clear();
  return Canonical(std::move(layout));
}

Layout Doubled(const Layout& layout) {
  Layout wide = layout;
  wide.axes[1].push_back({HardwareDim::kReg, 2, 1});
  return Canonical(std::move(wide));
}

int HeldRows(const Kernel& kernel, const Type& type) { return Held(kernel, type, 0); }
int HeldCols(const Kernel& kernel, const Type& type) { return Held(kernel, type, 1); }

ThreadBits NamedBits(const Layout& layout) {
  ThreadBits bits;
  for (const std::vector<Factor>& axis : layout.axes) {
    for (const Factor& f : axis) {
      if (f.dim == HardwareDim::kReg) continue;
      (f.dim == HardwareDim::kLane ? bits.lanes : bits.warps) |= (f.extent - 1) * f.stride;
    }
  }
  return bits;
}

Place PlaceOf(const Kernel& kernel, const Type& type, int row, int col) {
  const int extents[] = {type.rows, type.cols};
  int rest[] = {row, col}, regs[] = {0, 0};
  Place place;
  for (int axis = 0; axis < 2; ++axis) {
    if (extents[axis] == 1) continue;
    int step = 1;  // of registers
    const auto& factors = kernel.layouts[static_cast<size_t>(type.layout)].axes[axis];
    for (auto f = factors.rbegin(); f != factors.rend(); ++f) {
      const int digit = rest[axis] % f->extent;
      rest[axis] /= f->extent;
      if (f->dim == HardwareDim::kReg) {
        regs[axis] += digit * step;
        step *= f->extent;
      } else {
        (f->dim == HardwareDim::kLane ? place.lane : place.warp) += digit * f->stride;
      }
    }
  }
  place.reg = regs[0] * HeldCols(kernel, type) + regs[1];
  return place;
}

}  // namespace sinter::kernel
