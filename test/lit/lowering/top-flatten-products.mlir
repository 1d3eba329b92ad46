// RUN: autosplit-opt %s -p 'top-flatten-products{target=bm1684x mode=F16}' | filecheck %s
// RUN: autosplit-opt %s -p 'top-flatten-products{target=bm1688 mode=BF16}' | filecheck %s
// RUN: autosplit-opt %s -p 'top-flatten-products{target=bm1684x mode=INT8}' | filecheck %s --check-prefix=STAYS
// RUN: autosplit-opt %s -p top-flatten-products | filecheck %s --check-prefix=STAYS

// In F16 and BF16, a picture is multiplied as the row of its pixels.
// CHECK:      %[[ROWS:.*]] = top.Reshape(%{{.*}}) {shape = [1, 12, 2]} {{.*}} loc("a/rows")
// CHECK-NEXT: %[[FLAT:.*]] = top.MatMul(%[[ROWS]], {{.*}} -> tensor<1x12x8xf32> loc("a/flat")
// CHECK-NEXT: %[[A:.*]] = top.Reshape(%[[FLAT]]) {shape = [1, 3, 4, 8]} {{.*}} loc("a")
// CHECK-NEXT: top.GELU(%[[A]])

// Several pictures are one row, too. Where there are several matrices, or dimensions change places, nothing does.
// CHECK:      top.Reshape(%{{.*}}) {shape = [1, 60, 2]}
// CHECK:      top.Reshape(%{{.*}}) {shape = [5, 3, 4, 8]} {{.*}} loc("b")
// CHECK-NOT:  top.Reshape
// STAYS-NOT:  top.Reshape
builtin.module @net {
  func.func @main(%in: tensor<1x3x4x2xf32>, %many: tensor<5x3x4x2xf32>) -> (tensor<1x3x4x8xf32>, tensor<5x3x4x8xf32>, tensor<1x3x4x8xf32>, tensor<1x3x4x8xf32>) {
    %x = "top.Input"(%in) : (tensor<1x3x4x2xf32>) -> tensor<1x3x4x2xf32> loc("x")
    %xs = "top.Input"(%many) : (tensor<5x3x4x2xf32>) -> tensor<5x3x4x2xf32> loc("xs")
    %w = "top.Weight"() : () -> tensor<2x8xf32> loc("w")
    %ws = "top.Weight"() : () -> tensor<1x3x2x8xf32> loc("ws")
    %none = "top.None"() : () -> none
    %a = "top.MatMul"(%x, %w, %none) : (tensor<1x3x4x2xf32>, tensor<2x8xf32>, none) -> tensor<1x3x4x8xf32> loc("a")
    %y = "top.GELU"(%a) : (tensor<1x3x4x8xf32>) -> tensor<1x3x4x8xf32> loc("y")
    %b = "top.MatMul"(%xs, %w, %none) : (tensor<5x3x4x2xf32>, tensor<2x8xf32>, none) -> tensor<5x3x4x8xf32> loc("b")
    %c = "top.MatMul"(%x, %ws, %none) : (tensor<1x3x4x2xf32>, tensor<1x3x2x8xf32>, none) -> tensor<1x3x4x8xf32> loc("c")
    %d = "top.MatMul"(%x, %w, %none) {hdim_is_batch = true} : (tensor<1x3x4x2xf32>, tensor<2x8xf32>, none) -> tensor<1x3x4x8xf32> loc("d")
    func.return %y, %b, %c, %d : tensor<1x3x4x8xf32>, tensor<5x3x4x8xf32>, tensor<1x3x4x8xf32>, tensor<1x3x4x8xf32>
  }
}
