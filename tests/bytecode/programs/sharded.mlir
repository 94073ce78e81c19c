module @sharded attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>
  sdy.mesh @other = <["x"=4]>
  func.func public @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p1, {}], replicated={"y"}>}, %arg1: tensor<8x8xf32>) -> (tensor<8x8xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {?}]>}) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
    %1 = sdy.reshard %0 <@mesh, [{}, {"y"}]> : tensor<8x8xf32>
    %2 = sdy.all_gather [{}, {"y"}] %1 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
    %3 = sdy.all_slice [{"x"}, {}] %2 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
    %4 = sdy.all_to_all [{"x"}: 0->1] %3 out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x8xf32>
    %5 = sdy.collective_permute %4 out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x8xf32>
    sdy.sharding_group %5 group_id=3 : tensor<8x8xf32>
    %6 = sdy.propagation_barrier %5 allowed_direction=BACKWARD : tensor<8x8xf32>
    %7 = sdy.manual_computation(%6, %arg1) in_shardings=[<@mesh, [{}, {}]>, <@mesh, [{}, {}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"x"} (%arg2: tensor<8x8xf32>, %arg3: tensor<8x8xf32>) {
      %11 = stablehlo.add %arg2, %arg3 : tensor<8x8xf32>
      sdy.return %11 : tensor<8x8xf32>
    } : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %8 = sdy.named_computation<"part">(%7) (%arg2: tensor<8x8xf32>) {
      %11 = stablehlo.negate %arg2 : tensor<8x8xf32>
      sdy.return %11 : tensor<8x8xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %9 = stablehlo.dot %8, %arg1 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=8, j=8, k=8} reduction={k}>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %10 = stablehlo.negate %9 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x8xf32>
    return %10 : tensor<8x8xf32>
  }
  func.func private @declared(tensor<8x8xf32> {x.a = 1 : i32}) -> tensor<8x8xf32>
}
