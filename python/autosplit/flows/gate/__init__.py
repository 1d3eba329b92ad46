"""What tells a good bmodel from a bad one."""
