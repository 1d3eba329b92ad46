"""Reference semantics of modules, one op at a time, to compare everything else with."""
