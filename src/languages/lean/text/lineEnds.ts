/** The text with line ends as Lean counts them: a line feed each. */
export function withLineFeeds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
