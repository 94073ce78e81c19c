module @jit_partial_sums attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg2: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<8x8xf32> {jax.result_info = "result[1]", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<8x8xf32> {jax.result_info = "result[2]", sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{}, {}], unreduced={"x"}> : tensor<8x8xf32>
    %2 = stablehlo.dot_general %arg0, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
    %3 = sdy.sharding_constraint %2 <@mesh, [{}, {}], unreduced={"x"}> : tensor<8x8xf32>
    %4 = stablehlo.add %1, %3 : tensor<8x8xf32>
    %5 = sdy.sharding_constraint %4 <@mesh, [{}, {}], unreduced={"x"}> : tensor<8x8xf32>
    %6 = stablehlo.transpose %1, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %7 = sdy.sharding_constraint %6 <@mesh, [{}, {}], unreduced={"x"}> : tensor<8x8xf32>
    %8 = stablehlo.subtract %5, %7 : tensor<8x8xf32>
    %9 = sdy.sharding_constraint %8 <@mesh, [{}, {}], unreduced={"x"}> : tensor<8x8xf32>
    %10 = sdy.sharding_constraint %9 <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
    %11 = sdy.sharding_constraint %1 <@mesh, [{}, {}]> : tensor<8x8xf32>
    %12 = sdy.sharding_constraint %3 <@mesh, [{}, {"x"}]> : tensor<8x8xf32>
    return %10, %11, %12 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
  }
}
