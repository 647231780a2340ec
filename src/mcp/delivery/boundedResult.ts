import type { CallToolResult } from '@modelcontextprotocol/server';
import { plainText } from '../../base/log.ts';
import type { Steps } from '../../base/slices.ts';
import { boundedText, MAX_TEXT_BYTES } from './boundedText.ts';
import { type Content, fitContent } from './fitContent.ts';
import { jsonBytes, mostJsonBytes } from './jsonBytes.ts';

/** Bytes of one result as JSON. The SDK's clients close a connection that sends a message of 10 MiB. */
export const MAX_ANSWER_BYTES = 9 * 1024 * 1024;
/** Reserve for the message's id, field names and notes. */
const ENVELOPE_BYTES = 8192;
/** Paths of cuts that a result names. */
const MAX_PLACES = 5;
/** Characters of one path: it may contain a MIME type that user code chose. */
const MAX_PLACE = 100;

/** A tool's result as it is sent. */
export interface BoundedResult {
  readonly result: CallToolResult;
  /** An upper bound of its bytes as JSON. */
  readonly mostBytes: number;
}

/**
 * A result with text without control characters, at most `MAX_ANSWER_BYTES` in total. Its `notes` and
 * `truncated` report cuts, if `shape`, the tool's output, has them.
 */
export function* boundedResult(answer: CallToolResult, shape: object): Steps<BoundedResult> {
  const others = answer.content.filter(({ type }) => type !== 'text');
  const texts = answer.content.flatMap((item) => (item.type === 'text' ? [item.text] : []));
  const text = yield* boundedText(texts.join('\n'));
  const otherBytes = ENVELOPE_BYTES + (yield* jsonBytes(others));
  const room = MAX_ANSWER_BYTES - MAX_TEXT_BYTES - otherBytes;
  const { structuredContent } = answer;
  const fitted = structuredContent ? yield* fitContent(structuredContent as Content, room) : null;
  const mostBytes = otherBytes + (yield* mostJsonBytes(text)) + (fitted?.mostBytes ?? 0);
  if (!fitted || fitted.places.size === 0) {
    return { result: { ...answer, content: [{ type: 'text', text }, ...others] }, mostBytes };
  }
  const { content, places } = fitted;
  const note = noteOf([...places]);
  const result = {
    ...answer,
    content: [{ type: 'text' as const, text: `${text}\n[${note}]` }, ...others],
    structuredContent: {
      ...content,
      ...('notes' in shape && { notes: [...notesIn(content), note] }),
      ...('truncated' in shape && { truncated: true }),
    },
  };
  return { result, mostBytes };
}

function notesIn({ notes }: Content): readonly unknown[] {
  return Array.isArray(notes) ? notes : [];
}

function noteOf(places: readonly string[]): string {
  const named = places.slice(0, MAX_PLACES).map((place) => plainText(place).slice(0, MAX_PLACE));
  const more = places.length > MAX_PLACES ? ` and ${places.length - MAX_PLACES} more places` : '';
  return `This answer was cut to fit into ${MAX_ANSWER_BYTES} bytes: ${named.join(', ')}${more}.`;
}
