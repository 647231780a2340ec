"""What to do about an error that has to do with the sandbox, as one line for its message."""

import errno
import os
import re
import sys

from . import walls

# Where the name of a module differs from that of its package.
_PACKAGES = {
    "attr": "attrs",
    "bs4": "beautifulsoup4",
    "cv2": "opencv-python-headless",
    "Crypto": "pycryptodome",
    "dateutil": "python-dateutil",
    "docx": "python-docx",
    "dotenv": "python-dotenv",
    "fitz": "PyMuPDF",
    "git": "GitPython",
    "jwt": "PyJWT",
    "MySQLdb": "mysqlclient",
    "OpenSSL": "pyOpenSSL",
    "PIL": "Pillow",
    "pptx": "python-pptx",
    "psycopg2": "psycopg2-binary",
    "serial": "pyserial",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "pytables": "tables",
    "usb": "pyusb",
    "yaml": "PyYAML",
    "zmq": "pyzmq",
}
_MAX_CHAIN = 10
# As pandas words it.
_OPTIONAL = re.compile(r"Missing optional dependency '([\w.]+)'|'([\w.]+)' is not installed")
# The package of this name has none of its modules.
_GOOGLE = "Modules of `google` come with packages such as google-cloud-storage; google.colab is in Google Colab alone."
_INSTALL = re.compile(r"\bpip3?\s+install\b")
_WITHOUT_NETWORK = (
    "Sandboxes have no network. Put the data into the session as files, or let the user allow its host (network.policy:"
    " allow, network.allow); for packages use %pip install."
)
_WITH_PROXY = (
    "Sandboxes reach only the hosts in the option network.allow, which the user sets, or in the definition of their"
    " environment, by HTTP and HTTPS through the proxy that HTTPS_PROXY names. Put other data into the session as files; for packages use %pip install."
)


def on(error):
    """The line, or None."""
    if isinstance(error, ImportError):
        return _on_missing(_missing_in(error))
    if _is_install(error):
        return "Programs in a sandbox have no network. To install packages, run `%pip install NAME` in a session; agents can call install_packages."
    if isinstance(error, OSError) and _is_in_view(error):
        return "The folder of the notebook is a read-only view here. Write to /workspace, and save from there by Save to Workspace."
    return _on_no_network(error)


def _is_install(error):
    """Whether it is of a program, or of a script as in `%%bash`, that was to install packages."""
    subprocess = sys.modules.get("subprocess")
    if subprocess is None or not isinstance(error, subprocess.CalledProcessError):
        return False
    command = error.cmd
    parts = command if isinstance(command, (list, tuple)) else [command]
    return _INSTALL.search(" ".join(os.fsdecode(part) for part in parts)) is not None


def _is_in_view(error):
    # A view belongs to root: nothing in it can be written, made, moved or removed.
    if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
        return False
    names = [name for name in (error.filename, error.filename2) if isinstance(name, (str, bytes))]
    return any(os.path.abspath(os.fsdecode(name)).startswith("/view/") for name in names)


def _missing_in(error):
    """The name of the missing module; libraries report one that they need as an ImportError of their own words."""
    for _ in range(_MAX_CHAIN):
        if isinstance(error, ModuleNotFoundError):
            return error.name
        if not isinstance(error, ImportError):
            break
        optional = _OPTIONAL.search(str(error))
        if optional:
            return optional[1] or optional[2]
        error = error.__cause__ or error.__context__
    return None


def _on_missing(name):
    root = (name or "").partition(".")[0]
    # A module of a package that is there, or of Python itself, is not missing for want of a package.
    if not root.isidentifier() or root in sys.modules or root in getattr(sys, "stdlib_module_names", ()):
        return None
    if root == "google":
        return _GOOGLE
    return "To install it, run `%%pip install %s` in a session; agents can call install_packages." % (
        _PACKAGES.get(root, root)
    )


def _is_refused(error):
    """Whether the proxy has refused a connection, as urllib and http.client say it."""
    return isinstance(error, OSError) and "Tunnel connection failed: 403" in str(error)


def _on_no_network(error):
    socket = sys.modules.get("socket")
    wall = walls.report.get("network", {})
    if socket is None or wall.get("state") != "holds":
        return None
    advice = _WITH_PROXY if wall["detail"] else _WITHOUT_NETWORK
    for _ in range(_MAX_CHAIN):
        if isinstance(error, socket.gaierror) or (wall["detail"] and _is_refused(error)):
            return advice
        error = getattr(error, "reason", None) or error.__cause__ or error.__context__
        if not isinstance(error, BaseException):
            return None
    return None
