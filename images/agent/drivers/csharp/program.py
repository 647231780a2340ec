"""Runs that are a whole program: types alone, one of which has the method Main."""

import re

# Longest first: a comment mark in a string opens no comment.
_SKIPPED = re.compile(r'@"(?:[^"]|"")*"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*.*?\*/|^\s*#[^\n]*', re.S | re.M)
_BODY = re.compile(r"\{[^{}]*\}")
_MAIN = re.compile(r"\bstatic\s+(?:async\s+)?(?:void|int|[\w.]*\bTask(?:\s*<\s*int\s*>)?)\s+Main\s*\(")
# What comes before the body of a type, and before a semicolon outside of types.
_TYPE = re.compile(r"\b(?:class|struct|interface|enum|namespace)\b")
_DECLARATION = re.compile(r"\s*(?:using\b|(?:[\w\s]*\s)?delegate\b|\Z)")
# Main may be private, and it is in a type of any name. An exception keeps its place.
_CALL = """
{ var main = System.AppDomain.CurrentDomain.GetAssemblies().Where(one => one.FullName.StartsWith("eval-"))
.SelectMany(one => one.GetTypes()).SelectMany(one => one.GetMethods((System.Reflection.BindingFlags)56)).First(one => one.Name == "Main");
object end = null;
try { end = main.Invoke(null, main.GetParameters().Length == 0 ? null : new object[] { new string[0] }); }
catch (System.Reflection.TargetInvocationException error) { System.Runtime.ExceptionServices.ExceptionDispatchInfo.Capture(error.InnerException).Throw(); }
(end as System.Threading.Tasks.Task)?.GetAwaiter().GetResult();
var status = end is System.Threading.Tasks.Task<int> ? ((System.Threading.Tasks.Task<int>)end).Result : end is int ? (int)end : 0;
if (status != 0) Environment.Exit(status); }""".replace("\n", " ")


def with_call(code):
    """`code` with a call of its Main where nothing else in it would run; its lines keep their numbers."""
    return code + "\n" + _CALL if _is_program(_SKIPPED.sub(" ", code)) else code


def _is_program(text):
    if not _MAIN.search(text):
        return False
    inner = None
    while inner != text:
        inner, text = text, _BODY.sub("\0", text)
    *parts, rest = re.split("([\0;])", text)
    heads = zip(parts[::2], parts[1::2])
    return not rest.strip() and all((_TYPE.search if end == "\0" else _DECLARATION.match)(head) for head, end in heads)
