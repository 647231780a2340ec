const FINALS = Array.from({ length: 0x7e - 0x40 + 1 }, (_, n) => String.fromCharCode(0x40 + n));
const STRINGS = ['\x1b]', '\x1bP', '\x1b_', '\x1b^', '\x1bX', '\x9d', '\x90', '\x9f', '\x9e', '\x98'];
const ENDS = ['\x07', '\x1b\\', '\x9c', ''];

/**
 * Control sequences after ECMA-48, whole, cut short and nested: every C0 and C1 byte, every escape sequence of two
 * bytes, every CSI final byte with parameters and intermediates in 7 and 8 bits, and every kind of string with every end.
 */
export const TERMINAL_CORPUS: readonly string[] = [
  ...Array.from({ length: 0x20 }, (_, n) => String.fromCharCode(n)),
  ...Array.from({ length: 0x21 }, (_, n) => String.fromCharCode(0x7f + n)),
  ...Array.from({ length: 0x7f - 0x20 }, (_, n) => `\x1b${String.fromCharCode(0x20 + n)}`),
  ...FINALS.flatMap((final) =>
    ['\x1b[', '\x9b'].flatMap((csi) => ['', '0;1;31', '?25', '>4;2', '1 ', '38:5:1'].map((rest) => csi + rest + final)),
  ),
  ...STRINGS.flatMap((start) => ENDS.map((end) => `${start}0;title${end}`)),
  ...[
    '\x1b',
    '\x1b[',
    '\x1b[31',
    '\x1b\x1b[31m',
    '\x1b[\x1b[31mm',
    '\x1b[3\x1b]0;a\x071m',
    '\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\',
  ],
  ...[
    '\x1b]52;c;cm0gLXJm\x07',
    '\x1bP+q544e\x1b\\',
    '\x1b[\x9b31m',
    '\x1b]0;\x9b31m',
    '\x1b(0',
    '\x1b#8',
    '\x1b%G',
    '\x1bc',
  ],
];

/** ESC, and every other control byte but tab and newline. */
export const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/;
