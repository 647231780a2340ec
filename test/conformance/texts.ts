import type { CallToolResult } from '@modelcontextprotocol/server';

/** The description of a fixture. */
export function description(name: string): string {
  return `The conformance suite's ${name}`;
}

/** A tool result with one text. */
export function textResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}
