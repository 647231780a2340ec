import type { CallToolResult } from '@modelcontextprotocol/server';
import { fitInto } from './fit.ts';
import { jsonBytes, unitsWithin } from './jsonBytes.ts';
import { readableText } from './readableText.ts';

/** Bytes of one answer as JSON. The SDK's clients drop the connection that brings a message of 10 MiB. */
export const MAX_ANSWER_BYTES = 9 * 1024 * 1024;
/** Of them, those of the text: it says again, for readers, what structured content has. */
export const MAX_TEXT_BYTES = 1.5 * 1024 * 1024;
/** For what is around: the message's id, names of fields, notes. */
const ENVELOPE_BYTES = 8192;
/** Of a text that is too long, its end is kept too: it says how a run ended. */
const TAIL_BYTES = 64 * 1024;
/** Places that an answer names where it was cut. */
const MAX_PLACES = 5;

/** A tool's answer as it is sent: text without control bytes, and all together at most `MAX_ANSWER_BYTES`. */
export function deliverable(answer: CallToolResult): CallToolResult {
  const others = answer.content.filter(({ type }) => type !== 'text');
  const texts = answer.content.flatMap((item) => (item.type === 'text' ? [item.text] : []));
  const text = shortened(readableText(texts.join('\n')));
  if (!answer.structuredContent) return { ...answer, content: [{ type: 'text', text }, ...others] };
  const room = MAX_ANSWER_BYTES - MAX_TEXT_BYTES - ENVELOPE_BYTES - jsonBytes(others);
  const { content, places } = fitInto(answer.structuredContent as Record<string, unknown>, room);
  const note = places.size > 0 ? `\n${noteOf([...places])}` : '';
  return {
    ...answer,
    content: [{ type: 'text', text: text + note }, ...others],
    structuredContent: content,
  };
}

/** A text whose middle is left out when it is too long. */
function shortened(text: string): string {
  if (jsonBytes(text) <= MAX_TEXT_BYTES) return text;
  const head = text.slice(0, unitsWithin(text, MAX_TEXT_BYTES - TAIL_BYTES));
  const tail = lastOf(text, TAIL_BYTES / 6);
  const left = text.length - head.length - tail.length;
  return `${head}\n[${left} characters are left out here]\n${tail}`;
}

/** At most so many of the last units, from the beginning of a line on. */
function lastOf(text: string, units: number): string {
  const end = text.slice(-units);
  return end.slice(end.indexOf('\n') + 1);
}

function noteOf(places: readonly string[]): string {
  const more = places.length > MAX_PLACES ? ` and ${places.length - MAX_PLACES} more places` : '';
  const named = places.slice(0, MAX_PLACES).join(', ');
  return `[this answer is cut to ${MAX_ANSWER_BYTES} bytes: ${named}${more}]`;
}
