const FORMATS = {
  and: new Intl.ListFormat('en', { type: 'conjunction' }),
  or: new Intl.ListFormat('en', { type: 'disjunction' }),
};

/** The items as English text: "a", "a or b", "a, b, or c". */
export function formatList(items: Iterable<string>, word: keyof typeof FORMATS): string {
  return FORMATS[word].format(items);
}
