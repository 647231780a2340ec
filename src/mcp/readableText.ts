// Colours and movements of the cursor: no reader of an answer sees them.
const CONTROL_SEQUENCE = /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]/g;
const CONTROL = /\r\n?|[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/**
 * `text` as an answer's text content carries it, which clients print on terminals: no control byte but tab and newline.
 * Control sequences (CSI) are left out, a carriage return is a new line, every other control byte reads `\x1b`.
 */
export function readableText(text: string): string {
  return text.replace(CONTROL_SEQUENCE, '').replace(CONTROL, shown);
}

function shown(control: string): string {
  return control.startsWith('\r') ? '\n' : `\\x${control.charCodeAt(0).toString(16).padStart(2, '0')}`;
}
