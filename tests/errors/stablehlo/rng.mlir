func.func @main(%a: tensor<f32>, %b: tensor<f32>) {
  %s = stablehlo.constant dense<[4]> : tensor<1xi64>
  %r = "stablehlo.rng"(%a, %b, %s) {rng_distribution = #stablehlo<rng_distribution UNIFORM>} : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<2x2xf32>
  return
}
// EXPECT: INVALID_ARGUMENT rng.mlir:3:8: stablehlo.rng: (C3) the shape has 1 sizes, the result is tensor<2x2xf32>
// EXPECT:   %r = "stablehlo.rng"(%a, %b, %s) {rng_distribution = #stablehlo<r...
// EXPECT:        ^
// -----
func.func @main(%a: tensor<f32>, %b: tensor<f32>) {
  %s = stablehlo.constant dense<[4]> : tensor<1xi64>
  %r = "stablehlo.rng"(%a, %b, %s) {rng_distribution = #stablehlo<rng_distribution UNIFORM>} : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<5xf32>
  return
}
// EXPECT: INVALID_ARGUMENT rng.mlir:3:8: stablehlo.rng: (C3) size 0 is 4, the result is tensor<5xf32>
// EXPECT:   %r = "stablehlo.rng"(%a, %b, %s) {rng_distribution = #stablehlo<r...
// EXPECT:        ^
// -----
func.func @main(%a: tensor<f32>, %b: tensor<f32>) {
  %s = stablehlo.constant dense<4.0> : tensor<1xf32>
  %r = "stablehlo.rng"(%a, %b, %s) {rng_distribution = #stablehlo<rng_distribution UNIFORM>} : (tensor<f32>, tensor<f32>, tensor<1xf32>) -> tensor<4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT rng.mlir:3:8: stablehlo.rng: the shape must be a vector of integers, not tensor<1xf32>
// EXPECT:   %r = "stablehlo.rng"(%a, %b, %s) {rng_distribution = #stablehlo<r...
// EXPECT:        ^
