"""Forms that only `normalize-onnx{int8=true}` makes."""
