import type { ResourceLink } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { fileUri } from '../files/fileUri.ts';
import type { KeptFile } from '../files/runFiles.ts';

/** Characters of one text in an answer: some thousand tokens. Of a longer one the answer has both ends. */
export const MAX_SHOWN = 16_384;
const HEAD = 12_288;
const TAIL = 3_072;
/** Texts kept of one run. */
const MAX_KEPT = 200;
/** Links in the content of an answer; structured content has all. */
const MAX_LINKS = 20;

/** A text of a run as a resource. */
export const OutputLink = z.strictObject({
  name: z.string(),
  uri: z.string(),
  mime_type: z.string(),
  size: z.int().describe('Bytes.'),
});
export type OutputLink = z.infer<typeof OutputLink>;

/** The texts of one run that its answer shortens or only links; `files` are to be kept as resources. */
export class LongTexts {
  readonly files: KeptFile[] = [];
  readonly links: OutputLink[] = [];
  readonly #runId: string;
  #omitted = 0;

  constructor(runId: string) {
    this.#runId = runId;
  }

  /** How many texts are in no resource as a whole, because there are too many. */
  get omitted(): number {
    return this.#omitted;
  }

  /** A text as an answer shows it: whole, or both its ends with the address of the whole. */
  shown(name: string, mediaType: string, text: string): string {
    if (text.length <= MAX_SHOWN) return text;
    const uri = this.link(name, mediaType, text);
    const [head, tail] = [text.slice(0, HEAD).toWellFormed(), text.slice(-TAIL).toWellFormed()];
    return `${head}\n[${text.length - HEAD - TAIL} more characters${uri === null ? '' : `: ${uri}`}]\n${tail}`;
  }

  /** Makes a text a resource; its address, or null when there are too many. */
  link(name: string, mediaType: string, text: string): string | null {
    if (this.files.length >= MAX_KEPT) {
      this.#omitted += 1;
      return null;
    }
    const taken = this.links.some((link) => link.name === name);
    const path = taken ? `${this.links.length + 1}-${name}` : name;
    const uri = fileUri({ kind: 'output', id: this.#runId, path });
    const content = Buffer.from(text);
    this.files.push({ path, mediaType, modifiedMs: Date.now(), content });
    this.links.push({ name: path, uri, mime_type: mediaType, size: content.length });
    return uri;
  }

  /** The links for clients that read resources. */
  content(): ResourceLink[] {
    return this.links
      .slice(0, MAX_LINKS)
      .map(({ mime_type: mimeType, ...link }) => ({ type: 'resource_link', mimeType, ...link }));
  }
}
