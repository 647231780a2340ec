import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';

/** The first revision whose clients know links to resources. Revisions are dates. */
const WITH_LINKS = '2025-06-18';

/**
 * An answer as clients of this revision can read it: those of older ones reject an answer with a kind of content that they do
 * not know, so that links become lines of text. They read the addresses as all resources.
 */
export function contentFor<T extends object>(revision: string | undefined, answer: T): T {
  if (revision === undefined || revision >= WITH_LINKS) return answer;
  const { content } = answer as Partial<CallToolResult>;
  const links = content?.flatMap((block) => (block.type === 'resource_link' ? [lineOf(block)] : [])) ?? [];
  if (links.length === 0) return answer;
  const known = content?.filter(({ type }) => type !== 'resource_link');
  return { ...answer, content: [...(known ?? []), { type: 'text', text: ['[resources]', ...links].join('\n') }] };
}

function lineOf({ uri, name, size }: Extract<ContentBlock, { type: 'resource_link' }>): string {
  return `${name}${size === undefined ? '' : ` (${size} bytes)`}: ${uri}`;
}
