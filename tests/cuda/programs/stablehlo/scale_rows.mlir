module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4096x1024xf32>, %arg1: tensor<4096xf32>, %arg2: tensor<1024xf32>) -> (tensor<4096x1024xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<4096xf32>) -> tensor<4096x1xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<4096x1xf32>) -> tensor<4096x1024xf32>
    %2 = stablehlo.multiply %arg0, %1 : tensor<4096x1024xf32>
    %3 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<1024xf32>) -> tensor<1x1024xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<1x1024xf32>) -> tensor<4096x1024xf32>
    %5 = stablehlo.add %2, %4 : tensor<4096x1024xf32>
    return %5 : tensor<4096x1024xf32>
  }
}
