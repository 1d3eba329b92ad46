"""Reference semantics: dialects computed in numpy, one op at a time, to compare everything else with."""
