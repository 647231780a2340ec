"""How uv reaches package indexes: in the way that pip does on the build machine."""

import configparser
import os


def uv_variables(machine):
    """uv's variables for the index, the certificates and the hosts; `machine` is the folder with the machine's settings."""
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(os.path.join(machine, "pip.conf"))
    pip = parser["global"] if parser.has_section("global") else {}
    found = {
        "UV_DEFAULT_INDEX": pip.get("index-url"),
        "UV_INDEX": pip.get("extra-index-url"),
        "UV_INSECURE_HOST": pip.get("trusted-host"),
    }
    certificates = os.path.join(machine, "ca-certificates.crt")
    if os.path.exists(certificates) and os.path.getsize(certificates) > 0:
        found["SSL_CERT_FILE"] = certificates
    return {name: value for name, value in found.items() if value}
