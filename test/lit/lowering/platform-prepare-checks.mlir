// RUN: autosplit-opt %s --no-locations -p platform-prepare | filecheck %s

// What the check of a number from data needs is on the CPU anyway, so that it stays. A check of a tensor's elements is
// left out, and noted; one of a tensor's type, which holds, is left out.
// CHECK:      builtin.module attributes {platform.name = "pytorch", device.notes = {unchecked = ["_assert_async.msg 'all': there are negative numbers"]}} {
// CHECK-NEXT:   aten.graph inputs ["x", "n"] outputs ["relu", "add"] {
// CHECK-NEXT:     %x = aten.input "x"
// CHECK-NEXT:     %n = aten.input "n"
// CHECK-NEXT:     %y = aten.relu "relu"
// CHECK-NEXT:     %k = aten.item "item"
// CHECK-NEXT:     %ge = aten.operator.ge "ge" (%k)
// CHECK-NEXT:     aten._assert_scalar "check" (%ge)
// CHECK-NEXT:     %z = aten.add.Tensor "add"
// CHECK-NEXT:   }
builtin.module attributes {platform.name = "pytorch"} {
  aten.graph inputs ["x", "n"] outputs ["relu", "add"] {
    %x = aten.input "x" () : () -> tensor<2x8xf32>
    %n = aten.input "n" () : () -> tensor<i64>
    aten._assert_tensor_metadata "typed" (%x) <{dtype = #aten.dtype<"float32">}> : (tensor<2x8xf32>) -> ()
    %y = aten.relu "relu" (%x) : (tensor<2x8xf32>) -> tensor<2x8xf32>
    %positive = aten.ge.Scalar "positive" (%x) <{other = 0 : i64}> : (tensor<2x8xf32>) -> tensor<2x8xi1>
    %all = aten.all "all_1" (%positive) : (tensor<2x8xi1>) -> tensor<i1>
    aten._assert_async.msg "all" (%all) <{assert_msg = "there are negative numbers"}> : (tensor<i1>) -> ()
    %k = aten.item "item" (%n) : (tensor<i64>) -> tensor<i64>
    %ge = aten.operator.ge "ge" (%k) <{b = 1 : i64}> : (tensor<i64>) -> tensor<i1>
    aten._assert_scalar "check" (%ge) <{assert_msg = "k is less than 1"}> : (tensor<i1>) -> ()
    %z = aten.add.Tensor "add" (%n, %k) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  }
}
