// RUN: autosplit-opt %s -p top-correct-biases | filecheck %s
// RUN: autosplit-opt %s -p top-correct-biases --debug-match 2>&1 | filecheck %s --check-prefix=WHY

// Means that no bias can take up are dropped, and the product stays.
// CHECK:     top.MatMul(%{{.*}}, %{{.*}}, %{{.*}}) : (tensor<2x2xf32>, tensor<2x2xf32>, none) -> tensor<2x2xf32> loc("square")
// CHECK-NOT: quant.means
// WHY: CorrectChipBias: top.MatMul (square): its weights or its bias are no constants of its own
builtin.module @net {
  func.func @main(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %x = "top.Input"(%a) : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("x")
    %none = "top.None"() : () -> none
    %square = "top.MatMul"(%x, %x, %none) {quant.means = array<f64: 1.0, 2.0>} : (tensor<2x2xf32>, tensor<2x2xf32>, none) -> tensor<2x2xf32> loc("square")
    func.return %square : tensor<2x2xf32>
  }
}
