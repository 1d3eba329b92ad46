"""From float32 to 8 bits: which ops compute with integers, and the casts around them."""
