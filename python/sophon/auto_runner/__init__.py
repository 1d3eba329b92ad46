"""The import paths of the original AutoRunner. Everything here is defined in `autosplit`."""
