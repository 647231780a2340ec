/** The modules that every Python has, of 3.9 to 3.14. They cost little to import. */
const STANDARD_LIBRARY: ReadonlySet<string> = new Set(
  `
abc aifc argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii bisect builtins bz2
cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall concurrent
configparser contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm decimal
difflib dis distutils doctest email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput
fnmatch fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq
hmac html http imaplib imghdr imp importlib inspect io ipaddress itertools json keyword linecache locale
logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder multiprocessing netrc nis nntplib ntpath
nturl2path numbers opcode operator optparse os ossaudiodev pathlib pdb pickle pickletools pipes pkgutil
platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc pydoc_data
pyexpat queue quopri random re readline reprlib resource rlcompleter runpy sched secrets select selectors
shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver spwd sqlite3 sre_compile
sre_constants sre_parse ssl stat statistics string stringprep struct subprocess sunau symtable sys sysconfig
syslog tabnanny tarfile telnetlib tempfile termios textwrap threading time timeit token tokenize tomllib trace
traceback tracemalloc tty types typing unicodedata unittest urllib uu uuid venv warnings wave weakref
webbrowser wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo
`
    .trim()
    .split(/\s+/),
);

/** `import a.b, c as d` or `from a.b import c`, anywhere on a line: also behind `try:` or a semicolon. */
const IMPORT = /\b(?:import[ \t]+([\w., \t]+)|from[ \t]+([\w.]+)[ \t]+import)\b/g;
/** A magic or a shell escape at the start of a line; IPython's names. */
const IPYTHON = /^[ \t]*[%!]|\b(?:get_ipython|In|Out)\b/m;
/** The beginning of a line that is no value: a statement, a block's line, a comment, the end of a longer expression, `print`. */
const NO_VALUE =
  /^(?:[\s#@)\]}]|(?:assert|async|break|class|continue|def|del|else|except|exit|finally|for|from|global|if|import|pass|print|raise|return|try|while|with|yield)\b|[\w.[\]]+[ \t]*[-+*/%|&^@]?=(?!=))/;

/** Whether the code seems to end with a value, which is shown. */
function endsWithValue(code: string): boolean {
  const text = code.trimEnd();
  const line = text.slice(text.lastIndexOf('\n') + 1);
  return line !== '' && !line.endsWith(';') && !NO_VALUE.test(line);
}

/**
 * The top-level names of what the code seems to import beyond the standard library, and `IPython` where it shows a value or
 * uses a magic. It is a guess from the text: code that turns out to need more only takes longer.
 */
export function neededModules(code: string): ReadonlySet<string> {
  const needed = new Set<string>();
  if (IPYTHON.test(code) || endsWithValue(code)) needed.add('IPython');
  for (const [, list, module] of code.matchAll(IMPORT)) {
    for (const name of (list ?? module ?? '').split(',')) {
      const [root] = name.trim().split(/[.\s]/);
      if (root && !STANDARD_LIBRARY.has(root)) needed.add(root);
    }
  }
  return needed;
}
