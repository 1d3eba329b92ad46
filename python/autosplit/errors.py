"""The errors that a user can cause or mend."""


class AutosplitError(Exception):
    """A user's mistake or a limit that was met, in one line.

    The text says what was found, what was expected, where, and what to do. The command line prints it
    without a traceback and ends with exit code 1.
    """


class MissingExtraError(AutosplitError):
    """A framework is needed that is not installed."""

    def __init__(self, module: str, extra: str, why: str, instead: str = ""):
        super().__init__(
            f"{why} needs {module}, which is not installed: pip install 'autosplit[{extra}]'"
            + (f", or {instead}" if instead else "")
        )


def nearest(name: str, known: "list[str]") -> str:
    """A hint naming the closest of `known` to `name`, or '' when there is none."""
    from difflib import get_close_matches

    close = get_close_matches(name, known, n=1, cutoff=0.0)
    return f" (did you mean {close[0]!r}?)" if close else ""


def first_line(error: BaseException) -> str:
    """The first line of what an error says; its kind where it says nothing."""
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
