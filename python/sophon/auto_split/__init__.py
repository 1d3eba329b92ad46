"""The import paths of the original AutoSplit. Everything here is defined in `autosplit`.

The folder above is not a package of its own: Sophgo's SAIL is called `sophon` too, and goes first where it is
installed.
"""
