func.func @main(%x: tensor<i32>) {
  %r = "stablehlo.while"(%x) ({
  ^bb0(%a: tensor<i32>):
    %p = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>):
    stablehlo.return %a : tensor<i32>
  }) : (tensor<i32>) -> tensor<i64>
  return
}
// EXPECT: INVALID_ARGUMENT while.mlir:2:8: stablehlo.while: (C3) result 0 is tensor<i32>, not tensor<i64>
// EXPECT:   %r = "stablehlo.while"(%x) ({
// EXPECT:        ^
