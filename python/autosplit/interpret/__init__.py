"""Reference semantics of modules, one op at a time, that everything else is compared with."""
