module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<32x128x1024xbf16>, %arg1: tensor<1024xbf16>, %arg2: tensor<32x128x1024xi1>) -> (tensor<32x128x1024xbf16> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<1024xbf16>) -> tensor<1x1x1024xbf16>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<1x1x1024xbf16>) -> tensor<32x128x1024xbf16>
    %2 = stablehlo.add %arg0, %1 : tensor<32x128x1024xbf16>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %3 = call @_where(%arg2, %2, %c) : (tensor<32x128x1024xi1>, tensor<32x128x1024xbf16>, tensor<i32>) -> tensor<32x128x1024xbf16>
    return %3 : tensor<32x128x1024xbf16>
  }
  func.func private @_where(%arg0: tensor<32x128x1024xi1>, %arg1: tensor<32x128x1024xbf16>, %arg2: tensor<i32>) -> tensor<32x128x1024xbf16> {
    %0 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<bf16>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<bf16>) -> tensor<32x128x1024xbf16>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<32x128x1024xi1>, tensor<32x128x1024xbf16>
    return %2 : tensor<32x128x1024xbf16>
  }
}
