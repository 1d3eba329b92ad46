// Neg(Neg(x)) -> x
pdl.pattern @fold_negations : benefit(1) {
  %type = pdl.type
  %x = pdl.operand
  %inner = pdl.operation "onnx.Neg" (%x : !pdl.value) -> (%type : !pdl.type)
  %a = pdl.result 0 of %inner
  %outer = pdl.operation "onnx.Neg" (%a : !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %outer {
    pdl.replace %outer with (%x : !pdl.value)
  }
}
