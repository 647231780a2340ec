"""Keeps memory shared between a process and its forks."""

import ctypes
import gc
import sys
import types

_IS_CPYTHON = sys.implementation.name == "cpython" and "t" not in sys.abiflags
# Since Python 3.12 an object can be immortal: nothing counts references to it. The count is then the one of None, in the
# lower half of the first word of the object.
_HAS_IMMORTALS = _IS_CPYTHON and sys.version_info >= (3, 12) and sys.byteorder == "little" and sys.maxsize > 1 << 32
_COUNT_BYTES = 4
# Objects whose references are followed at once: few, so that this needs little memory.
_BATCH = 1000
# One past the addresses of user space on x86-64 and aarch64, as a number of counts.
_COUNTS = (1 << 48) // _COUNT_BYTES


def freeze():
    """
    After imports, before forks: whatever is in memory now will neither be looked at by the garbage collector nor be freed,
    and no reference to it is counted. A process that uses an object then has no reason to write to it, and copy its page:
    a copied page costs 2 to 3 µs, and a light run copied 300 more without this.
    """
    gc.collect()
    if _HAS_IMMORTALS:
        _make_immortal(gc.get_objects())
    gc.freeze()


def _make_immortal(objects):
    """These objects, and all that they refer to. Empties the list."""
    counts = memoryview((ctypes.c_uint32 * _COUNTS).from_address(0)).cast("B").cast("I")
    immortal = counts[id(None) // _COUNT_BYTES]
    for item in objects:
        counts[id(item) // _COUNT_BYTES] = immortal
    while objects:
        some = objects[-_BATCH:]
        del objects[-_BATCH:]
        found = gc.get_referents(*some)
        for item in some:
            if type(item) is types.CodeType:
                found += (item.co_consts, item.co_names, item.co_filename, item.co_name, item.co_qualname)
                found += (item.co_linetable, item.co_exceptiontable)
        for item in found:
            at = id(item) // _COUNT_BYTES
            if counts[at] != immortal:
                counts[at] = immortal
                objects.append(item)
