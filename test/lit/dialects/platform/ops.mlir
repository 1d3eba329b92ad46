// RUN: AUTOSPLIT_ROUNDTRIP

// The attributes and types that every platform dialect uses.
// CHECK: platform.stores = [#platform.store<"model.onnx", "b1946ac92492d234">]
builtin.module attributes {platform.name = "onnx", platform.stores = [#platform.store<"model.onnx", "b1946ac92492d234">]} {
  // CHECK: "test.op"() {w = #platform.weight<"conv1/weights", "8f14e45fceea167a", tensor<3x3x3x32xf32>>} : () -> !platform.unknown
  %0 = "test.op"() {w = #platform.weight<"conv1/weights", "8f14e45fceea167a", tensor<3x3x3x32xf32>>} : () -> !platform.unknown
  // Bytes that are not text come back as they were.
  // CHECK: "test.op"(%{{.+}}) {p = #platform.proto<"\0A\03abc\00\FF\22\\">} : (!platform.unknown) -> tensor<?x3x?x?xf32, #platform.dims<["N", "", "", ""]>>
  %1 = "test.op"(%0) {p = #platform.proto<"\0A\03abc\00\FF\22\\">} : (!platform.unknown) -> tensor<?x3x?x?xf32, #platform.dims<["N", "", "", ""]>>
  // CHECK: "test.op"(%{{.+}}) {p = #platform.proto<"">}
  "test.op"(%1) {p = #platform.proto<"">} : (tensor<?x3x?x?xf32, #platform.dims<["N", "", "", ""]>>) -> ()
}

// -----

// Locations are names: one, several, none.
// CHECK: "test.op"() : () -> () loc("conv1")
"test.op"() : () -> () loc("conv1")
// CHECK-NEXT: "test.op"() : () -> () loc(fused["conv1", "bn1"])
"test.op"() : () -> () loc(fused["conv1", "bn1"])
// CHECK-NEXT: "test.op"() : () -> (){{$}}
"test.op"() : () -> () loc(unknown)
