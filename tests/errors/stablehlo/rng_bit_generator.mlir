func.func @main(%x: tensor<3xui64>) {
  %r:2 = stablehlo.rng_bit_generator %x, algorithm = THREE_FRY : (tensor<3xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  return
}
// EXPECT: INVALID_ARGUMENT rng_bit_generator.mlir:2:10: rng-bit-generator: (C2) the state has 2 words, not 3; operands u64[3]; result (u64[3], u32[4])
// EXPECT:   %r:2 = stablehlo.rng_bit_generator %x, algorithm = THREE_FRY : (ten...
// EXPECT:          ^
