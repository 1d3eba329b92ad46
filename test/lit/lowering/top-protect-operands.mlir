// RUN: autosplit-opt %s -p top-protect-operands | filecheck %s
// RUN: autosplit-opt %s -p 'top-protect-operands{target=bm1684x}' | filecheck %s --check-prefix=OTHER
// RUN: autosplit-opt %s -p top-protect-operands --debug-match 2>&1 | filecheck %s --check-prefix=WHY

// A Tanh of bm1684 computes in the memory of its operand, which the Abs reads as well; the Sigmoid is the only
// reader of its own.
// CHECK:      %[[X:.*]] = top.Input
// CHECK-NEXT: %[[ABS:.*]] = top.Abs(%[[X]])
// CHECK-NEXT: %[[KEPT:.*]] = top.LeakyRelu(%[[X]]) {alpha = 1.000000000000{{[0-9]+}}} {{.*}} loc("y/kept")
// CHECK-NEXT: top.Tanh(%[[KEPT]])
// CHECK-NEXT: top.Sigmoid(%[[ABS]])
// OTHER-NOT:  top.LeakyRelu
// WHY:        ProtectOperand: top.Sigmoid (z): nothing else reads its operand
builtin.module @net {
  func.func @main(%a: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
    %x = "top.Input"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("x")
    %n = "top.Abs"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("n")
    %y = "top.Tanh"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("y")
    %z = "top.Sigmoid"(%n) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("z")
    func.return %y, %z : tensor<2x3xf32>, tensor<2x3xf32>
  }
}
