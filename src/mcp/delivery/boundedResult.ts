import type { CallToolResult } from '@modelcontextprotocol/server';
import { plainText } from '../../base/log.ts';
import type { Steps } from '../../base/slices.ts';
import { boundedText, MAX_TEXT_BYTES } from './boundedText.ts';
import { type Content, fitContent } from './fitContent.ts';
import { jsonBytes } from './jsonBytes.ts';

/** Bytes of one result as JSON. The SDK's clients close a connection that sends a message of 10 MiB. */
export const MAX_ANSWER_BYTES = 9 * 1024 * 1024;
/** Reserve for the message's id, field names and notes. */
const ENVELOPE_BYTES = 8192;
/** Paths of cuts that a result names. */
const MAX_PLACES = 5;
/** Characters of one path: it may contain a MIME type that user code chose. */
const MAX_PLACE = 100;

/** A tool's result as it is sent: text without control characters, at most `MAX_ANSWER_BYTES` in total. Its `notes` tell of cuts, if the tool has them. */
export function* boundedResult(answer: CallToolResult, hasNotes: boolean): Steps<CallToolResult> {
  const others = answer.content.filter(({ type }) => type !== 'text');
  const texts = answer.content.flatMap((item) => (item.type === 'text' ? [item.text] : []));
  const text = yield* boundedText(texts.join('\n'));
  if (!answer.structuredContent) return { ...answer, content: [{ type: 'text', text }, ...others] };
  const room = MAX_ANSWER_BYTES - MAX_TEXT_BYTES - ENVELOPE_BYTES - (yield* jsonBytes(others));
  const { content, places } = yield* fitContent(answer.structuredContent as Content, room);
  if (places.size === 0) return { ...answer, content: [{ type: 'text', text }, ...others] };
  const note = noteOf([...places]);
  return {
    ...answer,
    content: [{ type: 'text', text: `${text}\n[${note}]` }, ...others],
    structuredContent: { ...content, ...(hasNotes && { notes: [...notesIn(content), note] }) },
  };
}

function notesIn({ notes }: Content): readonly unknown[] {
  return Array.isArray(notes) ? notes : [];
}

function noteOf(places: readonly string[]): string {
  const named = places.slice(0, MAX_PLACES).map((place) => plainText(place).slice(0, MAX_PLACE));
  const more = places.length > MAX_PLACES ? ` and ${places.length - MAX_PLACES} more places` : '';
  return `This answer was cut to fit into ${MAX_ANSWER_BYTES} bytes: ${named.join(', ')}${more}.`;
}
