"""The errors that a user can cause or mend."""

from __future__ import annotations


class AutosplitError(Exception):
    """A user's mistake or a limit that was exceeded, in one line.

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


def nearest(name: str, names: list[str]) -> str:
    """A hint with the name in `names` that `name` may be a misspelling of, or '' if none is similar."""
    from difflib import get_close_matches

    folded = {candidate.casefold(): candidate for candidate in reversed(names)}
    folded_name = name.casefold()
    close = get_close_matches(folded_name, list(folded), n=1, cutoff=0.65)
    # A word and its short form are near too, as Convolution and Conv are; a path and its first word are not.
    close = close or [k for k in folded if _is_short_form(*sorted((k, folded_name), key=len))]
    return f" (did you mean {folded[close[0]]!r}?)" if close else ""


def choice(name: str, names: list[str], most: int = 6) -> str:
    """The same, or the names in `names` if none is similar."""
    if (hint := nearest(name, names)) or not names:
        return hint
    shown = ", ".join(map(repr, names[:most])) + (", ..." if len(names) > most else "")
    return f" (there is {shown})" if len(names) == 1 else f" (there are {shown})"


def _is_short_form(short: str, long: str) -> bool:
    return len(short) > 3 and 3 * len(short) >= len(long) and long.startswith(short)


def first_line(error: BaseException) -> str:
    """The first line of what an error says; its kind where it says nothing."""
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def one_line(error: BaseException | None) -> str:
    """What an error says, in one line, cut where it is long."""
    text = " ".join(str(error).split())
    return text if len(text) < 400 else text[:400] + " ..."
