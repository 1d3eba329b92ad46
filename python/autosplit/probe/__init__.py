"""What the tool chain makes of each ONNX op, measured: one-op models, compiled, run and compared."""
