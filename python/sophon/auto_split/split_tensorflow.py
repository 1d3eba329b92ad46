"""The original's command line: `python3 -m sophon.auto_split.split_tensorflow --help`."""

import sys

from autosplit.tools.split_original import main

if __name__ == "__main__":
    sys.exit(main("tensorflow"))
