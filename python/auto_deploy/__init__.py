"""The import paths of the original AutoSplit. Everything here is defined in `autosplit`."""
