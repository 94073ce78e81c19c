// Layouts: where each element of a tile is in a block of a GPU (see Layout in kernel.h).
#pragma once

#include <string>

#include "codegen/kernel/kernel.h"

namespace sinter::kernel {

// What is wrong with a layout for a block of `warps` warps, or nothing: factors are positive, those
// of lanes and warps powers of two that fit, and no two of them name the same bits.
std::string LayoutError(const Layout& layout, int warps);

// The canonical form: without factors of extent 1, and neighbours of one hardware dimension whose
// strides continue each other merged. Layouts that place all elements alike have one canonical
// form.
Layout Canonical(Layout layout);

// The number of a layout, which is added, in canonical form, where the kernel has none like it.
int AddLayout(Kernel& kernel, const Layout& layout);

// The layout of a tile of this type, canonical, without the factors of an axis of extent 1.
Layout LayoutOf(const Kernel& kernel, const Type& type);

// The layout of a tile with twice the columns, of which each thread holds the pairs that belong to
// its columns of this one: one more register factor, innermost.
Layout Doubled(const Layout& layout);

// Elements of a tile that one thread holds: its registers, rows x columns.
int HeldRows(const Kernel& kernel, const Type& type);
int HeldCols(const Kernel& kernel, const Type& type);
inline int64_t HeldElements(const Kernel& kernel, const Type& type) {
  return int64_t{HeldRows(kernel, type)} * HeldCols(kernel, type);
}

// The lane bits and warp bits that a layout names. Threads that differ in other bits hold copies.
struct ThreadBits {
  int lanes = 0, warps = 0;
  bool operator==(const ThreadBits&) const = default;
};
ThreadBits NamedBits(const Layout& layout);

// The place of an element: the register, and the lane and warp of copy 0.
struct Place {
  int reg = 0, lane = 0, warp = 0;
  bool operator==(const Place&) const = default;
};
Place PlaceOf(const Kernel& kernel, const Type& type, int row, int col);

}  // namespace sinter::kernel
