// The operations that a Builder records: the free functions of XLA's xla_builder.h, with their
// names, argument order and defaults. What they compute is said by XLA's operation semantics and,
// in brackets, the section of the StableHLO specification.
//
//   sinter::Op sum = sinter::Reduce(x * x, 0, [](sinter::Op a, sinter::Op b) { return a + b; },
//   {1}); sinter::Op norm = sinter::Sqrt(sum);
//
// Everywhere: an argument that violates a rule makes the builder's first error, which names the
// rule (StableHLO's label, as "(C1)"), the operands' shapes and the caller's line, and the op
// returned stands for nothing. Numbers (sinter/op.h) may stand for scalars beside an op. Dimensions
// count from 0.
//
// The elementwise functions are in sinter/elementwise_ops.h.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "sinter/builder.h"
#include "sinter/callable.h"
#include "sinter/element_type.h"
#include "sinter/elementwise_ops.h"  // IWYU pragma: export
#include "sinter/export.h"
#include "sinter/literal.h"
#include "sinter/op.h"
#include "sinter/op_options.h"
#include "sinter/shape.h"

namespace sinter {

// --- parameters and constants

// The parameter of that number; each number once. `shape` may be a tuple. An empty name becomes
// "p<number>".
SINTER_API Op Parameter(Builder* builder, int64_t parameter_number, const Shape& shape,
                        const std::string& name = "",
                        SourceLocation where = SourceLocation::current());

// The literal, an array [constant] or a tuple (recorded as a tuple of constants).
SINTER_API Op ConstantLiteral(Builder* builder, const Literal& literal,
                              SourceLocation where = SourceLocation::current());
// A scalar, a vector, a matrix of the element type that T stands for (sinter/literal.h).
template <class T>
Op ConstantR0(Builder* builder, T value, SourceLocation where = SourceLocation::current()) {
  return ConstantLiteral(builder, Literal::R0<T>(value), where);
}
template <class T>
Op ConstantR1(Builder* builder, absl::Span<const T> values,
              SourceLocation where = SourceLocation::current()) {
  return ConstantLiteral(builder, Literal::R1<T>(values), where);
}
template <class T>
Op ConstantR1(Builder* builder, std::initializer_list<T> values,
              SourceLocation where = SourceLocation::current()) {
  return ConstantLiteral(builder, Literal::R1<T>(values), where);
}
template <class T>
Op ConstantR2(Builder* builder, std::initializer_list<std::initializer_list<T>> values,
              SourceLocation where = SourceLocation::current()) {
  return ConstantLiteral(builder, Literal::R2<T>(values), where);
}
// `length` times the scalar `value`: a broadcast, not an array in the program.
SINTER_API Op ConstantR1FromScalar(Builder* builder, int64_t length, Op value,
                                   SourceLocation where = SourceLocation::current());
template <class T>
Op ConstantR1(Builder* builder, int64_t length, T value,
              SourceLocation where = SourceLocation::current()) {
  return ConstantR1FromScalar(builder, length, ConstantR0<T>(builder, value, where), where);
}

// 0, 1, ... along `iota_dimension` [iota]. Integers, floats, complex numbers.
SINTER_API Op Iota(Builder* builder, const Shape& shape, int64_t iota_dimension,
                   SourceLocation where = SourceLocation::current());
SINTER_API Op Iota(Builder* builder, ElementType type, int64_t size,
                   SourceLocation where = SourceLocation::current());

// --- tuples, tokens, calls out

// [tuple], [get_tuple_element].
SINTER_API Op Tuple(Builder* builder, absl::Span<const Op> elements,
                    SourceLocation where = SourceLocation::current());
SINTER_API Op GetTupleElement(const Operand& tuple_data, int64_t index);

// Tokens order side effects [after_all].
SINTER_API Op CreateToken(Builder* builder, SourceLocation where = SourceLocation::current());
SINTER_API Op AfterAll(Builder* builder, absl::Span<const Op> tokens,
                       SourceLocation where = SourceLocation::current());

// The operand, after which and before which nothing is moved across [optimization_barrier]. Tuples
// too.
SINTER_API Op OptimizationBarrier(const Operand& operand);
// A copy; compilers need it, programs do not.
SINTER_API Op Copy(const Operand& operand);

// Pairs of an element of the result and (operand, element of it) that share a buffer: each element
// is a path through tuples.
using OutputOperandAliasing =
    absl::Span<const std::pair<std::vector<int64_t>, std::pair<int64_t, std::vector<int64_t>>>>;

// A call of a function of the host's by name (sinter/custom_call.h), with a result of `shape`
// [custom_call]. `opaque` goes to it uninterpreted. Aliasing (arrays of one shape, else
// InvalidArgument), schedule and api_version are notes in the program's text: results have buffers
// of their own, and targets have one form. A `literal` is Unimplemented.
SINTER_API Op CustomCall(Builder* builder, const std::string& call_target_name,
                         absl::Span<const Op> operands, const Shape& shape,
                         const std::string& opaque = "", bool has_side_effect = false,
                         OutputOperandAliasing output_operand_aliasing = {},
                         const Literal* literal = nullptr,
                         CustomCallSchedule schedule = CustomCallSchedule::kNone,
                         CustomCallApiVersion api_version = CustomCallApiVersion::kUnspecified,
                         SourceLocation where = SourceLocation::current());
// The same with a computation that belongs to the call. The program contains it; the host's
// function does not get it.
SINTER_API Op CustomCallWithComputation(
    Builder* builder, const std::string& call_target_name, absl::Span<const Op> operands,
    const Callable& computation, const Shape& shape, const std::string& opaque = "",
    bool has_side_effect = false, OutputOperandAliasing output_operand_aliasing = {},
    const Literal* literal = nullptr, CustomCallSchedule schedule = CustomCallSchedule::kNone,
    CustomCallApiVersion api_version = CustomCallApiVersion::kUnspecified,
    SourceLocation where = SourceLocation::current());
// The same for a target that relies on layouts of its operands: one shape an operand, equal to its
// own but for the layout. Arrays of a program are row-major: a target that takes or gives one in
// another layout takes or gives the transpose that has the same order in memory, and that is the
// shape which it is told.
SINTER_API Op CustomCallWithLayout(
    Builder* builder, const std::string& call_target_name, absl::Span<const Op> operands,
    const Shape& shape_with_layout, absl::Span<const Shape> operand_shapes_with_layout,
    const std::string& opaque = "", bool has_side_effect = false,
    OutputOperandAliasing output_operand_aliasing = {}, const Literal* literal = nullptr,
    CustomCallSchedule schedule = CustomCallSchedule::kNone,
    CustomCallApiVersion api_version = CustomCallApiVersion::kUnspecified,
    SourceLocation where = SourceLocation::current());
// Both.
SINTER_API Op CustomCallWithComputationAndLayouts(
    Builder* builder, const std::string& call_target_name, absl::Span<const Op> operands,
    const Callable& computation, const Shape& shape_with_layout,
    absl::Span<const Shape> operand_shapes_with_layout, const std::string& opaque = "",
    bool has_side_effect = false, OutputOperandAliasing output_operand_aliasing = {},
    const Literal* literal = nullptr, CustomCallSchedule schedule = CustomCallSchedule::kNone,
    CustomCallApiVersion api_version = CustomCallApiVersion::kUnspecified,
    SourceLocation where = SourceLocation::current());

// --- index maps: the result's elements are the operand's

// The operand repeated along new dimensions of `broadcast_sizes` before its own.
SINTER_API Op Broadcast(const Operand& operand, absl::Span<const int64_t> broadcast_sizes);
// Dimension i of the operand becomes dimension broadcast_dimensions[i] of the result; where its
// size is 1 and the result's is not, it is repeated. The others are new [broadcast_in_dim].
SINTER_API Op BroadcastInDim(const Operand& operand, absl::Span<const int64_t> out_dim_size,
                             absl::Span<const int64_t> broadcast_dimensions);
// The same elements in row-major order under other dimensions [reshape]. One dimension may be -1:
// what remains.
SINTER_API Op Reshape(const Operand& operand, absl::Span<const int64_t> dimensions);
SINTER_API Op Reshape(const Shape& shape, const Operand& operand);
// Joins the dimensions, which must be consecutive and increasing, into one.
SINTER_API Op Collapse(const Operand& operand, absl::Span<const int64_t> dimensions);
// Dimension i of the result is dimension permutation[i] of the operand [transpose].
SINTER_API Op Transpose(const Operand& operand, absl::Span<const int64_t> permutation);
// Reverses the order along the dimensions [reverse].
SINTER_API Op Rev(const Operand& operand, absl::Span<const int64_t> dimensions);
// From start to before limit in steps of stride (> 0), for each dimension [slice]. No strides: 1.
SINTER_API Op Slice(const Operand& operand, absl::Span<const int64_t> start_indices,
                    absl::Span<const int64_t> limit_indices,
                    absl::Span<const int64_t> strides = {});
SINTER_API Op SliceInDim(const Operand& operand, int64_t start_index, int64_t limit_index,
                         int64_t stride, int64_t dimno);
// Adds padding_value, a scalar, before, after and between the elements of each dimension; a
// negative number of elements before or after removes [pad].
SINTER_API Op Pad(const Operand& operand, const Operand& padding_value,
                  const PaddingConfig& padding_config);
SINTER_API Op PadInDim(const Operand& operand, const Operand& padding_value, int64_t dimno,
                       int64_t pad_lo, int64_t pad_hi);
// The operands one after the other along the dimension; their others are equal [concatenate].
SINTER_API Op ConcatInDim(Builder* builder, absl::Span<const Op> operands, int64_t dimension,
                          SourceLocation where = SourceLocation::current());

// The slice of slice_sizes at start indices known when the program runs: an integer scalar for each
// dimension, which is clamped so that the slice is within the operand [dynamic_slice].
SINTER_API Op DynamicSlice(const Operand& operand, absl::Span<const Op> start_indices,
                           absl::Span<const int64_t> slice_sizes);
// The operand with the slice at the (clamped) start indices replaced by update
// [dynamic_update_slice].
SINTER_API Op DynamicUpdateSlice(const Operand& operand, const Operand& update,
                                 absl::Span<const Op> start_indices);
// The same with numbers among the start indices, which take the others' type, S32 where all are
// numbers.
SINTER_API Op DynamicSlice(const Operand& operand, std::initializer_list<Operand> start_indices,
                           absl::Span<const int64_t> slice_sizes);
SINTER_API Op DynamicUpdateSlice(const Operand& operand, const Operand& update,
                                 std::initializer_list<Operand> start_indices);

// --- dynamic dimensions: sizes up to a bound, known when the program runs

// The size of the dimension, S32 [get_dimension_size].
SINTER_API Op GetDimensionSize(const Operand& operand, int64_t dimension);
// The operand with the first `val` elements (an S32 scalar, at most the dimension's size or bound)
// of the dimension, which becomes dynamic; a number that is the whole of a static dimension leaves
// it so. Elements beyond the operand's own are zeros [set_dimension_size].
SINTER_API Op SetDimensionSize(const Operand& operand, const Operand& val, int64_t dimension);
// The operand with as many elements of the dimension as its bound allows, zeros after its own.
SINTER_API Op RemoveDynamicDimension(const Operand& operand, int64_t dimension);
// The same elements in row-major order under dimensions of dim_sizes, S32 scalars that are at most
// new_size_bounds, and just that where dims_are_dynamic is false [dynamic_reshape].
SINTER_API Op DynamicReshape(const Operand& operand, absl::Span<const Op> dim_sizes,
                             absl::Span<const int64_t> new_size_bounds,
                             const std::vector<bool>& dims_are_dynamic);

// --- elements from and to places that depend on data

// Slices of slice_sizes at start indices, integers in an array that holds an index vector for each
// slice; starts are clamped so that the slices are within the input [gather].
SINTER_API Op Gather(const Operand& input, const Operand& start_indices,
                     const GatherDimensionNumbers& dimension_numbers,
                     absl::Span<const int64_t> slice_sizes, bool indices_are_sorted = false);
// The input with updates combined into it at indices, in their order: update_computation takes the
// current element and the update and gives the new element. Elements that would lie outside are
// dropped [scatter]. With unique_indices no element may be updated twice.
SINTER_API Op Scatter(const Operand& input, const Operand& scatter_indices, const Operand& updates,
                      const Callable& update_computation,
                      const ScatterDimensionNumbers& dimension_numbers,
                      bool indices_are_sorted = false, bool unique_indices = false);
// n inputs of equal dimensions at a time; the computation takes n current and n new scalars and
// gives n. The result is a tuple, for n = 1 an array.
SINTER_API Op Scatter(absl::Span<const Op> inputs, const Operand& scatter_indices,
                      absl::Span<const Op> updates, const Callable& update_computation,
                      const ScatterDimensionNumbers& dimension_numbers,
                      bool indices_are_sorted = false, bool unique_indices = false);
// The operands, of equal dimensions, sorted together along the dimension (-1: the last). The
// comparator takes two elements of each operand, side by side, and says whether the first ones come
// before the second; it must be a strict weak order [sort]. The result is a tuple, for one operand
// an array. Devices of sinter sort stably in any case.
SINTER_API Op Sort(absl::Span<const Op> operands, const Callable& comparator,
                   int64_t dimension = -1, bool is_stable = false,
                   SourceLocation where = SourceLocation::current());
// A tuple of the k largest (smallest) elements of each row along the last dimension, in order, and
// of their positions (S32). Of equal elements the earlier one comes first; floats are in total
// order. Predicates, integers and floats.
SINTER_API Op TopK(const Operand& operand, int64_t k, bool largest);

// --- products

// Vectors and matrices: sums over the last dimension of lhs (the second, where there are more) and
// the first of rhs. The result has the operands' element type or `preferred_element_type`, in which
// it then accumulates.
SINTER_API Op Dot(const Operand& lhs, const Operand& rhs,
                  const PrecisionConfig* precision_config = nullptr,
                  std::optional<ElementType> preferred_element_type = std::nullopt);
// The result's dimensions: batch, the others of lhs, the others of rhs [dot_general].
SINTER_API Op DotGeneral(const Operand& lhs, const Operand& rhs,
                         const DotDimensionNumbers& dimension_numbers,
                         const PrecisionConfig* precision_config = nullptr,
                         std::optional<ElementType> preferred_element_type = std::nullopt);

// A dot whose ragged dimension of lhs is cut into groups, one after the other, of sizes that
// group_sizes gives in its last dimension; its others, if any, are the batch dimensions and the
// free (or contracting) ones of lhs before the ragged one. Of a free dimension each row meets the
// part of rhs of its group, and rows of no group are 0; of a contracting one each group sums for
// itself, and the result has a first dimension of groups; of a batch dimension it is the dot.
// Negative sizes count as 0 [chlo.ragged_dot].
SINTER_API Op RaggedDot(const Operand& lhs, const Operand& rhs, const Operand& group_sizes,
                        const RaggedDotDimensionNumbers& dimension_numbers,
                        const PrecisionConfig* precision_config = nullptr,
                        std::optional<ElementType> preferred_element_type = std::nullopt);

// Windows of lhs, along its spatial dimensions, times rhs, the kernel [convolution]. Strides are of
// the windows, lhs_dilation of lhs (fillings of zeros between its elements), rhs_dilation of the
// kernel; padding is (low, high), of zeros. feature_group_count and batch_group_count cut the
// features or the batch of lhs into so many groups, each of which meets its own part of the
// kernel's output features. The result has the operands' element type or `preferred_element_type`,
// in which it then accumulates. Without dimension numbers: batch, features, spatial dimensions; of
// the kernel: output features, input features, spatial dimensions.
SINTER_API Op Conv(const Operand& lhs, const Operand& rhs, absl::Span<const int64_t> window_strides,
                   Padding padding, int64_t feature_group_count = 1, int64_t batch_group_count = 1,
                   const PrecisionConfig* precision_config = nullptr,
                   std::optional<ElementType> preferred_element_type = std::nullopt);
SINTER_API Op ConvWithGeneralPadding(
    const Operand& lhs, const Operand& rhs, absl::Span<const int64_t> window_strides,
    absl::Span<const std::pair<int64_t, int64_t>> padding, int64_t feature_group_count = 1,
    int64_t batch_group_count = 1, const PrecisionConfig* precision_config = nullptr,
    std::optional<ElementType> preferred_element_type = std::nullopt);
SINTER_API Op ConvWithGeneralDimensions(
    const Operand& lhs, const Operand& rhs, absl::Span<const int64_t> window_strides,
    Padding padding, const ConvolutionDimensionNumbers& dimension_numbers,
    int64_t feature_group_count = 1, int64_t batch_group_count = 1,
    const PrecisionConfig* precision_config = nullptr,
    std::optional<ElementType> preferred_element_type = std::nullopt);
SINTER_API Op ConvGeneral(const Operand& lhs, const Operand& rhs,
                          absl::Span<const int64_t> window_strides,
                          absl::Span<const std::pair<int64_t, int64_t>> padding,
                          const ConvolutionDimensionNumbers& dimension_numbers,
                          int64_t feature_group_count = 1, int64_t batch_group_count = 1,
                          const PrecisionConfig* precision_config = nullptr,
                          std::optional<ElementType> preferred_element_type = std::nullopt);
// Empty lists of strides, padding, dilations: 1, none. window_reversal: the kernel is read
// backwards.
SINTER_API Op ConvGeneralDilated(const Operand& lhs, const Operand& rhs,
                                 absl::Span<const int64_t> window_strides,
                                 absl::Span<const std::pair<int64_t, int64_t>> padding,
                                 absl::Span<const int64_t> lhs_dilation,
                                 absl::Span<const int64_t> rhs_dilation,
                                 const ConvolutionDimensionNumbers& dimension_numbers,
                                 int64_t feature_group_count = 1, int64_t batch_group_count = 1,
                                 const PrecisionConfig* precision_config = nullptr,
                                 std::optional<ElementType> preferred_element_type = std::nullopt,
                                 std::optional<std::vector<bool>> window_reversal = std::nullopt);

// Convolutions whose operands' sizes are known when the program runs (XLA's names). Forward: the
// convolution of ConvGeneralDilated, padded by the sizes themselves for PaddingType::kSame.
// InputGrad: the gradient with respect to an input of `input_sizes` (S32, one number for each of
// its dimensions), lhs being the gradient of the result. KernelGrad: that with respect to the
// kernel. The operands' dimensions must be static: then these are ConvGeneralDilated with `padding`
// as it is stated, and for the gradients too; a dynamic dimension is Unimplemented.
#define SINTER_DYNAMIC_CONVOLUTION(Name, ...)                                            \
  SINTER_API Op Name(                                                                    \
      __VA_ARGS__, absl::Span<const int64_t> window_strides,                             \
      absl::Span<const std::pair<int64_t, int64_t>> padding,                             \
      absl::Span<const int64_t> lhs_dilation, absl::Span<const int64_t> rhs_dilation,    \
      const ConvolutionDimensionNumbers& dimension_numbers, int64_t feature_group_count, \
      int64_t batch_group_count, const PrecisionConfig* precision_config,                \
      PaddingType padding_type, std::optional<ElementType> preferred_element_type = std::nullopt)
SINTER_DYNAMIC_CONVOLUTION(DynamicConvForward, const Operand& lhs, const Operand& rhs);
SINTER_DYNAMIC_CONVOLUTION(DynamicConvInputGrad, const Operand& input_sizes, const Operand& lhs,
                           const Operand& rhs);
SINTER_DYNAMIC_CONVOLUTION(DynamicConvKernelGrad, const Operand& activations,
                           const Operand& gradients);
#undef SINTER_DYNAMIC_CONVOLUTION

// --- normalisation

// (output, mean, variance) over all dimensions but feature_index; scale and offset are vectors over
// that. Floats [batch_norm_training].
SINTER_API Op BatchNormTraining(const Operand& operand, const Operand& scale, const Operand& offset,
                                float epsilon, int64_t feature_index);
// scale * (operand - mean) / sqrt(variance + epsilon) + offset [batch_norm_inference].
SINTER_API Op BatchNormInference(const Operand& operand, const Operand& scale,
                                 const Operand& offset, const Operand& mean,
                                 const Operand& variance, float epsilon, int64_t feature_index);
// (grad_operand, grad_scale, grad_offset) [batch_norm_grad].
SINTER_API Op BatchNormGrad(const Operand& operand, const Operand& scale, const Operand& batch_mean,
                            const Operand& batch_var, const Operand& grad_output, float epsilon,
                            int64_t feature_index);

// --- transforms and random numbers

// Discrete Fourier transforms along the last 1 to 3 dimensions, whose lengths `fft_length` gives:
// those of the real side for kRfft and kIrfft, whose other side has length / 2 + 1 in the last
// dimension. C64 and C128, F32 and F64. Inverses are divided by the number of elements [fft].
SINTER_API Op Fft(const Operand& operand, FftType fft_type, absl::Span<const int64_t> fft_length);
// `shape` of bits, as integers or floats of 8 to 64 bits, from a state of U64[2] (the generator's
// key and counter; kPhilox also [3]); a tuple of the next state and the bits [rng_bit_generator].
// XLA's bits.
SINTER_API Op RngBitGenerator(RandomAlgorithm algorithm, const Operand& initial_state,
                              const Shape& shape);
// Numbers from scalars a to before b; of mean mu and deviation sigma [rng]. Which ones is not
// specified, but equal whenever the same program runs: a stateful generator is not a function of
// its arguments, so programs that want other numbers each time use RngBitGenerator.
SINTER_API Op RngUniform(const Operand& a, const Operand& b, const Shape& shape);
SINTER_API Op RngNormal(const Operand& mu, const Operand& sigma, const Shape& shape);

// --- linear algebra

// The triangular factor of Hermitian, positive definite matrices, the last two dimensions of an
// operand of floats or complex numbers: L with a = L L^H for `lower`, else U with a = U^H U; zeros
// in its other triangle. Only that triangle of `a` is read. Of a matrix that is not positive
// definite all of that triangle is NaN [cholesky].
SINTER_API Op Cholesky(const Operand& a, bool lower);
// x with op(a) x = b for `left_side`, else with x op(a) = b, for the matrices of the last two
// dimensions; op is what `transpose_a` says. Only the lower (or upper) triangle of `a` is read, and
// its diagonal taken to be 1 for `unit_diagonal` [triangular_solve].
SINTER_API Op TriangularSolve(const Operand& a, const Operand& b, bool left_side, bool lower,
                              bool unit_diagonal, MatrixTranspose transpose_a);

// --- operations that call computations

// Combines the elements along the dimensions, in any order and association, with init_value any
// number of times: it should be the neutral element of `computation`, which takes two scalars and
// gives one [reduce].
SINTER_API Op Reduce(const Operand& operand, const Operand& init_value, const Callable& computation,
                     absl::Span<const int64_t> dimensions_to_reduce);
// n operands of equal dimensions at a time; the computation takes n accumulated and n new scalars
// and gives n. The result is a tuple, for n = 1 an array.
SINTER_API Op Reduce(Builder* builder, absl::Span<const Op> operands,
                     absl::Span<const Op> init_values, const Callable& computation,
                     absl::Span<const int64_t> dimensions_to_reduce,
                     SourceLocation where = SourceLocation::current());
// Over all dimensions.
SINTER_API Op ReduceAll(const Operand& operand, const Operand& init_value,
                        const Callable& computation);
// The elements of each window combined as by Reduce, which padding by init_value completes
// [reduce_window].
SINTER_API Op ReduceWindow(const Operand& operand, const Operand& init_value,
                           const Callable& computation, absl::Span<const int64_t> window_dimensions,
                           absl::Span<const int64_t> window_strides, Padding padding);
SINTER_API Op ReduceWindow(Builder* builder, absl::Span<const Op> operands,
                           absl::Span<const Op> init_values, const Callable& computation,
                           absl::Span<const int64_t> window_dimensions,
                           absl::Span<const int64_t> window_strides, Padding padding,
                           SourceLocation where = SourceLocation::current());
// The builder is that of the first op.
SINTER_API Op ReduceWindow(absl::Span<const Op> operands, absl::Span<const Op> init_values,
                           const Callable& computation, absl::Span<const int64_t> window_dimensions,
                           absl::Span<const int64_t> window_strides, Padding padding,
                           SourceLocation where = SourceLocation::current());
inline Op ReduceWindow(std::initializer_list<Op> operands, std::initializer_list<Op> init_values,
                       const Callable& computation, absl::Span<const int64_t> window_dimensions,
                       absl::Span<const int64_t> window_strides, Padding padding,
                       SourceLocation where = SourceLocation::current()) {
  return ReduceWindow(absl::Span<const Op>(operands), absl::Span<const Op>(init_values),
                      computation, window_dimensions, window_strides, padding, where);
}
// Empty lists of strides, dilations, padding: 1, none. Padding is (low, high).
SINTER_API Op ReduceWindowWithGeneralPadding(const Operand& operand, const Operand& init_value,
                                             const Callable& computation,
                                             absl::Span<const int64_t> window_dimensions,
                                             absl::Span<const int64_t> window_strides,
                                             absl::Span<const int64_t> base_dilations,
                                             absl::Span<const int64_t> window_dilations,
                                             absl::Span<const std::pair<int64_t, int64_t>> padding);
SINTER_API Op ReduceWindowWithGeneralPadding(Builder* builder, absl::Span<const Op> operands,
                                             absl::Span<const Op> init_values,
                                             const Callable& computation,
                                             absl::Span<const int64_t> window_dimensions,
                                             absl::Span<const int64_t> window_strides,
                                             absl::Span<const int64_t> base_dilations,
                                             absl::Span<const int64_t> window_dilations,
                                             absl::Span<const std::pair<int64_t, int64_t>> padding,
                                             SourceLocation where = SourceLocation::current());
SINTER_API Op ReduceWindowWithGeneralPadding(
    absl::Span<const Op> operands, absl::Span<const Op> init_values, const Callable& computation,
    absl::Span<const int64_t> window_dimensions, absl::Span<const int64_t> window_strides,
    absl::Span<const int64_t> base_dilations, absl::Span<const int64_t> window_dilations,
    absl::Span<const std::pair<int64_t, int64_t>> padding,
    SourceLocation where = SourceLocation::current());
inline Op ReduceWindowWithGeneralPadding(std::initializer_list<Op> operands,
                                         std::initializer_list<Op> init_values,
                                         const Callable& computation,
                                         absl::Span<const int64_t> window_dimensions,
                                         absl::Span<const int64_t> window_strides,
                                         absl::Span<const int64_t> base_dilations,
                                         absl::Span<const int64_t> window_dilations,
                                         absl::Span<const std::pair<int64_t, int64_t>> padding,
                                         SourceLocation where = SourceLocation::current()) {
  return ReduceWindowWithGeneralPadding(
      absl::Span<const Op>(operands), absl::Span<const Op>(init_values), computation,
      window_dimensions, window_strides, base_dilations, window_dilations, padding, where);
}
// In each window of the operand, padding aside, the element that `select` keeps against all others:
// there the source's element is added by `scatter` to init_value [select_and_scatter].
SINTER_API Op SelectAndScatter(const Operand& operand, const Callable& select,
                               absl::Span<const int64_t> window_dimensions,
                               absl::Span<const int64_t> window_strides, Padding padding,
                               const Operand& source, const Operand& init_value,
                               const Callable& scatter);
SINTER_API Op SelectAndScatterWithGeneralPadding(
    const Operand& operand, const Callable& select, absl::Span<const int64_t> window_dimensions,
    absl::Span<const int64_t> window_strides, absl::Span<const std::pair<int64_t, int64_t>> padding,
    const Operand& source, const Operand& init_value, const Callable& scatter);
// The computation, of scalars, for each element of operands of equal dimensions; `dimensions` are
// all of them in order [map]. Static operands are Unimplemented, as in XLA.
SINTER_API Op Map(Builder* builder, absl::Span<const Op> operands, const Callable& computation,
                  absl::Span<const int64_t> dimensions, absl::Span<const Op> static_operands = {},
                  SourceLocation where = SourceLocation::current());
// The computation's result for these operands.
SINTER_API Op Call(Builder* builder, const Callable& computation, absl::Span<const Op> operands,
                   SourceLocation where = SourceLocation::current());
// The same for a computation that is what frameworks know as an operation `name`, which targets may
// have code for; here it is a call whose text keeps name, attributes (a dictionary in MLIR's
// spelling: "{n = 1 : i32}") and version [composite].
SINTER_API Op CompositeCall(Builder* builder, const Callable& computation,
                            absl::Span<const Op> operands, const std::string& name,
                            std::optional<std::string_view> attributes = std::nullopt,
                            std::optional<int64_t> version = std::nullopt,
                            SourceLocation where = SourceLocation::current());
// state = init; while (condition(state)) state = body(state) [while]. The second form carries a
// tuple.
SINTER_API Op While(const Callable& condition, const Callable& body, const Operand& init);
SINTER_API Op While(const Callable& condition, const Callable& body, absl::Span<const Op> init,
                    SourceLocation where = SourceLocation::current());
// The computation for each element of the inputs along the dimension in turn: it takes an element
// of each input (its other dimensions) and the carries, which begin as `inits`, and gives an
// element of each output and the next carries. The result: the outputs, stacked along the
// dimension, and the last carries; a tuple where the computation gives one. is_reverse begins with
// the last element, and elements keep their places. is_associative says that other groupings are
// right too; nothing relies on it [chlo.scan].
SINTER_API Op Scan(Builder* builder, absl::Span<const Op> inputs, absl::Span<const Op> inits,
                   const Callable& to_apply, int64_t scan_dimension, bool is_reverse = false,
                   bool is_associative = false, SourceLocation where = SourceLocation::current());
// The builder is that of the first op. `scan_dimension_size`, if given, must be the inputs' size
// along the dimension.
SINTER_API Op Scan(absl::Span<const Op> inputs, absl::Span<const Op> inits,
                   const Callable& to_apply, int64_t scan_dimension,
                   std::optional<int64_t> scan_dimension_size = std::nullopt,
                   bool is_reverse = false, TriState is_associative = TriState::kUnspecified,
                   SourceLocation where = SourceLocation::current());
// true_computation(true_operand) if the predicate is true, else false_computation(false_operand)
// [if].
SINTER_API Op Conditional(const Operand& predicate, const Operand& true_operand,
                          const Callable& true_computation, const Operand& false_operand,
                          const Callable& false_computation);
// The branch of that index (S32), the last one for an index out of range, of its operand [case].
SINTER_API Op Conditional(const Operand& branch_index,
                          absl::Span<const Computation* const> branch_computations,
                          absl::Span<const Op> branch_operands);
SINTER_API Op Conditional(const Operand& branch_index,
                          absl::Span<const Callable> branch_computations,
                          absl::Span<const Op> branch_operands);
SINTER_API Op Conditional(const Operand& branch_index,
                          std::initializer_list<Callable> branch_computations,
                          absl::Span<const Op> branch_operands);
SINTER_API Op Conditional(const Operand& branch_index,
                          absl::Span<const ComputationId> branch_computations,
                          absl::Span<const Op> branch_operands);
inline Op Conditional(const Operand& branch_index,
                      std::initializer_list<ComputationId> branch_computations,
                      absl::Span<const Op> branch_operands) {
  return Conditional(branch_index, absl::Span<const ComputationId>(branch_computations),
                     branch_operands);
}

}  // namespace sinter
