func.func @main() {
  %r = "stablehlo.constant"() {value = dense<1.0> : tensor<4xf32>} : () -> tensor<5xf32>
  return
}
// EXPECT: INVALID_ARGUMENT constant.mlir:2:8: stablehlo.constant: (C1) the value is tensor<4xf32>, the result is tensor<5xf32>
// EXPECT:   %r = "stablehlo.constant"() {value = dense<1.0> : tensor<4xf32>} ...
// EXPECT:        ^
