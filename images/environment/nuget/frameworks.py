"""Which of a package's folders and groups of dependencies Mono uses: those of .NET Framework 4.8 and .NET Standard 2.0."""

import re

_LONG = re.compile(r"\.(NETFramework|NETStandard)(?:,Version=v)?([\d.]+)", re.IGNORECASE)
_FRAMEWORK = re.compile(r"net(\d)(\d)(\d?)|net(\d)\.(\d)(?:\.(\d))?")
_STANDARD = re.compile(r"netstandard(\d)\.(\d)")


def rank(name):
    """How near a framework is; a larger one is nearer. None for one that Mono does not run."""
    name = _short(name)
    if name in ("", "any", "dotnet"):
        return (0,)
    match = _FRAMEWORK.fullmatch(name)
    if match:
        version = tuple(int(part or 0) for part in (match.groups()[:3] if match[1] else match.groups()[3:]))
        return (3, *version) if version <= (4, 8, 1) else None
    match = _STANDARD.fullmatch(name)
    if match:
        version = tuple(map(int, match.groups()))
        return (2, *version) if version <= (2, 0) else None
    if name.startswith("portable-"):
        ranks = [rank(part) for part in name[len("portable-") :].split("+") if part.startswith("net4")]
        return max((1, *found) for found in ranks) if ranks else None
    return None


def nearest(names):
    """The nearest of these frameworks; None where there is none."""
    ranked = [(rank(name), name) for name in names]
    usable = [item for item in ranked if item[0] is not None]
    return max(usable)[1] if usable else None


def _short(name):
    """`net472` for `.NETFramework4.7.2`."""
    name = name.strip()
    match = _LONG.fullmatch(name)
    if not match:
        return name.lower()
    if match[1].lower() == "netstandard":
        return "netstandard" + match[2]
    return "net" + match[2].replace(".", "")
