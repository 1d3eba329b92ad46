"""Running what autosplit wrote: `autosplit.runtime.runner` is AutoRunner."""
