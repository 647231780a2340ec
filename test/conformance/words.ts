import type { CallToolResult } from '@modelcontextprotocol/server';

/** What a fixture of the suite says of itself. */
export function description(name: string): string {
  return `The conformance suite's ${name}`;
}

/** A tool's answer of one text. */
export function answered(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}
