import { parse, stringify } from 'smol-toml';
import { messageOf } from '../base/log.ts';
import { type Edited, type Entry, isRecord } from './entry.ts';

/**
 * Sets or removes the table `[SERVERS.NAME]` in TOML; everything outside of it keeps its text. The caller compares what the
 * file says before and after, so a table that is written in another form is a problem and never a loss.
 */
export function editToml(text: string, [servers, name]: readonly [string, string], entry: Entry | null): Edited {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  let root: Record<string, unknown>;
  try {
    root = parse(text);
  } catch (error) {
    return { problem: `is not valid TOML (${messageOf(error).split('\n')[0]})` };
  }
  const all = root[servers] ?? {};
  if (!isRecord(all)) return { problem: `has something else than a table in "${servers}"` };
  const old = all[name];
  const wanted = entry && (isRecord(old) ? { ...old, ...entry } : entry);
  if (JSON.stringify(wanted ?? undefined) === JSON.stringify(old)) return { text };
  const lines = text.split(eol);
  const [start, end] = tableIn(lines, `${servers}.${name}`);
  const table = wanted
    ? stringify({ [servers]: { [name]: wanted } })
        .trimEnd()
        .split('\n')
        .filter((line) => line !== `[${servers}]`)
    : [];
  if (start < end) {
    const rest = lines.slice(end);
    const before = lines.slice(0, start);
    if (table.length === 0) while (before.at(-1) === '' && (rest[0] ?? '') === '') before.pop();
    return { text: [...before, ...table, ...rest].join(eol) };
  }
  const kept = text === '' || text.endsWith(eol) ? text : `${text}${eol}`;
  return { text: `${kept}${kept.trim() === '' ? '' : eol}${table.join(eol)}${eol}` };
}

/** The lines of a table and its parts: from its first header to its last line that is neither blank nor a comment. */
function tableIn(lines: readonly string[], name: string): readonly [number, number] {
  const headers = lines.flatMap((line, index) => {
    const header = /^\s*\[([^[\]]+)\]\s*(?:#.*)?$/.exec(line)?.[1];
    return header === undefined && !/^\s*\[\[/.test(line)
      ? []
      : [{ index, name: (header ?? '').replaceAll(/[\s"']/g, '') }];
  });
  const own = (header: string) => header === name || header.startsWith(`${name}.`);
  const first = headers.findIndex((header) => own(header.name));
  if (first < 0) return [0, 0];
  const start = headers[first]?.index ?? 0;
  let end = headers.slice(first).find((header) => !own(header.name))?.index ?? lines.length;
  while (end > start && /^\s*(?:#.*)?$/.test(lines[end - 1] ?? '')) end -= 1;
  return [start, end];
}
