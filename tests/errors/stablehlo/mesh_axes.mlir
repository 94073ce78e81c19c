sdy.mesh @m = <["x"=2, "y"=2]>
func.func @main(%a: tensor<1xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups =
    #stablehlo.replica_group_mesh_axes<mesh = @n, axes = [#stablehlo.axis_ref<name = "x">]>}>
    : (tensor<1xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// EXPECT: INVALID_ARGUMENT mesh_axes.mlir:4:47: there is no mesh @n
// EXPECT:     #stablehlo.replica_group_mesh_axes<mesh = @n, axes = [#stablehlo.axis_ref<name = "x">]>}>
// EXPECT:                                               ^
// -----
sdy.mesh @m = <["x"=2, "y"=2]>
func.func @main(%a: tensor<1xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups =
    #stablehlo.replica_group_mesh_axes<mesh = 3, axes = [#stablehlo.axis_ref<name = "x">]>}>
    : (tensor<1xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// EXPECT: INVALID_ARGUMENT mesh_axes.mlir:4:47: expected a mesh or its symbol
// EXPECT:     #stablehlo.replica_group_mesh_axes<mesh = 3, axes = [#stablehlo.axis_ref<name = "x">]>}>
// EXPECT:                                               ^
// -----
sdy.mesh @m = <["x"=2, "y"=2]>
func.func @main(%a: tensor<1xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups =
    #stablehlo.replica_group_mesh_axes<mesh = @m>}>
    : (tensor<1xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// EXPECT: INVALID_ARGUMENT mesh_axes.mlir:4:5: needs a mesh and a list of axes
// EXPECT:     #stablehlo.replica_group_mesh_axes<mesh = @m>}>
// EXPECT:     ^
// -----
sdy.mesh @m = <["x"=2, "y"=2]>
func.func @main(%a: tensor<1xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups =
    #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [0]>}>
    : (tensor<1xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// EXPECT: INVALID_ARGUMENT mesh_axes.mlir:4:59: expected #stablehlo.axis_ref<...>
// EXPECT:     #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [0]>}>
// EXPECT:                                                           ^
// -----
sdy.mesh @m = <["x"=2, "y"=2]>
func.func @main(%a: tensor<1xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups =
    #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<>]>}>
    : (tensor<1xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// EXPECT: INVALID_ARGUMENT mesh_axes.mlir:4:59: a reference to an axis needs its name
// EXPECT:     #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<>]>}>
// EXPECT:                                                           ^
// -----
sdy.mesh @m = <["x"=2, "y"=2]>
func.func @main(%a: tensor<1xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups =
    #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "z">]>}>
    : (tensor<1xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// EXPECT: INVALID_ARGUMENT mesh_axes.mlir:4:59: the mesh has no axis "z"
// EXPECT:     #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "z">]>}>
// EXPECT:                                                           ^
// -----
sdy.mesh @m = <["x"=2, "y"=2]>
func.func @main(%a: tensor<1xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups =
    #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = 2>]>}>
    : (tensor<1xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// EXPECT: INVALID_ARGUMENT mesh_axes.mlir:4:107: expected (PRE_SIZE)SIZE
// EXPECT: ...@m, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = 2>]>}>
// EXPECT:                                                                ^
// -----
sdy.mesh @m = <["x"=2, "y"=2]>
func.func @main(%a: tensor<1xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups =
    #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (1)3>]>}>
    : (tensor<1xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// EXPECT: INVALID_ARGUMENT mesh_axes.mlir:4:107: axis "x" of size 2 has no part (1)3
// EXPECT: ...@m, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (1)3>]>}>
// EXPECT:                                                                ^
// -----
sdy.mesh @m = <["x"=2, "y"=2]>
func.func @main(%a: tensor<1xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups =
    #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (1 2>]>}>
    : (tensor<1xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// EXPECT: INVALID_ARGUMENT mesh_axes.mlir:4:39: this '<' is never closed
// EXPECT:     #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x", sub_axis...
// EXPECT:                                       ^
// -----
sdy.mesh @m = <["x"=2, "y"=2]>
func.func @main(%a: tensor<1xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups =
    #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">, #stablehlo.axis_ref<name = "x">]>}>
    : (tensor<1xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// EXPECT: INVALID_ARGUMENT mesh_axes.mlir:4:58: an axis is named twice
// EXPECT:     #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">, #stablehlo.axis_ref<name =...
// EXPECT:                                                          ^
// -----
sdy.mesh @m = <["x"=2, "y"=2]>
func.func @main(%a: tensor<1xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups =
    #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">, #stablehlo.axis_ref<name = "x">, #stablehlo.axis_ref<name = "x">]>}>
    : (tensor<1xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// EXPECT: INVALID_ARGUMENT mesh_axes.mlir:4:125: axis "x" is named twice
// EXPECT: ...ehlo.axis_ref<name = "x">, #stablehlo.axis_ref<name = "x">, #stablehlo.axis_ref<name = "x">]>}>
// EXPECT:                                                                ^
// -----
sdy.mesh @m = <["x"=0]>
func.func @main(%a: tensor<1xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups =
    #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>}>
    : (tensor<1xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// EXPECT: INVALID_ARGUMENT mesh_axes.mlir:4:47: axis "x" of a mesh is of size 0
// EXPECT:     #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>}>
// EXPECT:                                               ^
// -----
sdy.mesh @m = <["x"=2000000, "y"=2000000]>
func.func @main(%a: tensor<1xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups =
    #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>}>
    : (tensor<1xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// EXPECT: RESOURCE_EXHAUSTED mesh_axes.mlir:4:47: a mesh of more than 1048576 devices
// EXPECT:     #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>}>
// EXPECT:                                               ^
// -----
sdy.mesh @m = <["x"=2], device_ids=[0, 0]>
func.func @main(%a: tensor<1xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups =
    #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>}>
    : (tensor<1xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// EXPECT: INVALID_ARGUMENT mesh_axes.mlir:4:47: device_ids must be the numbers from 0 to 1, each once
// EXPECT:     #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>}>
// EXPECT:                                               ^
// -----
sdy.mesh @m = <x>
func.func @main(%a: tensor<1xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups =
    #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>}>
    : (tensor<1xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// EXPECT: INVALID_ARGUMENT mesh_axes.mlir:1:16: expected '[' before the axes of a mesh, got 'x'
// EXPECT: sdy.mesh @m = <x>
// EXPECT:                ^
// -----
sdy.mesh @m = <[x]>
func.func @main(%a: tensor<1xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups =
    #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>}>
    : (tensor<1xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// EXPECT: INVALID_ARGUMENT mesh_axes.mlir:1:17: expected the name of an axis, got 'x'
// EXPECT: sdy.mesh @m = <[x]>
// EXPECT:                 ^
// -----
func.func @main(%a: tensor<1xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups =
    #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<>, axes = [#stablehlo.axis_ref<name = "x">]>}>
    : (tensor<1xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// EXPECT: INVALID_ARGUMENT mesh_axes.mlir:3:47: a mesh needs a list of axes
// EXPECT:     #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<>, axes = [#stablehlo.axis_ref<name = "x">]>...
// EXPECT:                                               ^
// -----
func.func @main(%a: tensor<1xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups =
    #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [3]>, axes = [#stablehlo.axis_ref<name = "x">]>}>
    : (tensor<1xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// EXPECT: INVALID_ARGUMENT mesh_axes.mlir:3:71: expected #stablehlo.mesh_axis<...>
// EXPECT: ...ehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [3]>, axes = [#stablehlo.axis_ref<name = "x">]>}>
// EXPECT:                                                                ^
// -----
func.func @main(%a: tensor<1xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups =
    #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x">]>, axes = [#stablehlo.axis_ref<name = "x">]>}>
    : (tensor<1xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// EXPECT: INVALID_ARGUMENT mesh_axes.mlir:3:71: an axis of a mesh needs a name and a size
// EXPECT: ...ehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x">]>, axes = [#stablehlo.axis_...
// EXPECT:                                                                ^
// -----
func.func @main(%a: tensor<1xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups =
    #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>], device_ids = 3>, axes = [#stablehlo.axis_ref<name = "x">]>}>
    : (tensor<1xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// EXPECT: INVALID_ARGUMENT mesh_axes.mlir:3:129: device_ids must be a list of i64
// EXPECT: ... [#stablehlo.mesh_axis<name = "x", size = 2>], device_ids = 3>, axes = [#stablehlo.axis_ref<name = "x">]>}>
// EXPECT:                                                                ^
