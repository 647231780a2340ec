import { plainText } from '../../base/log.ts';
import type {
  EnvironmentInfo,
  LanguageId,
  Owner,
  SandboxInfo,
  SessionInfo,
  SlotState,
  Snapshot,
} from '../../engine/types.ts';
import { formatAge, formatCount, formatImports, formatMemory, joinParts, oneLine } from '../format.ts';
import { EDITOR_LANGUAGES } from '../languages.ts';

/** What a row stands for; actions get it back. */
export type Subject =
  | { readonly kind: 'group' }
  | { readonly kind: 'sandbox'; readonly sandbox: SandboxInfo }
  | { readonly kind: 'session'; readonly session: SessionInfo };

/** A row of the pool view, ready to be shown: no text in it holds control characters. */
export interface Row {
  /** The same for the same thing in every snapshot. */
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly tooltip: string;
  /** A codicon's name. */
  readonly icon: string;
  /** A theme colour's id. */
  readonly color?: string;
  /** What menus match. */
  readonly context: string;
  readonly subject: Subject;
  readonly children: readonly Row[];
}

// As short as an id can be told from its neighbours; the whole one is in the tooltip.
const ID_LENGTH = 8;

/** The rows of a snapshot at `now` (ms since the epoch); none while nothing has been started. */
export function poolRows(
  { host, environments, sessions }: Snapshot,
  now: number,
  labelOf = (session: SessionInfo) => session.owner.label,
): readonly Row[] {
  const busy = environments.filter(({ sandboxes, waiting }) => sandboxes.length > 0 || waiting > 0);
  if (busy.length === 0 && sessions.length === 0) return [];
  return [
    ...busy.map((environment) => environmentRow(environment, runtimeOf(host), sessions, now)),
    sessionsRow(sessions, now, labelOf),
  ];
}

/** What is seen of a row itself without hovering; while it stays the same, nothing has to be drawn. */
export function appearance(row: Row | undefined): string {
  return JSON.stringify([row?.label, row?.description, row?.icon, row?.context]);
}

/** As far as the host has told it. */
function runtimeOf(host: Snapshot['host']): string | undefined {
  return host.state === 'ready' ? plainText(host.runtime) : undefined;
}

function environmentRow(
  environment: EnvironmentInfo,
  runtime: string | undefined,
  sessions: readonly SessionInfo[],
  now: number,
): Row {
  const { id, language, image, sandboxes, waiting, runs } = environment;
  const warm = sandboxes.filter(({ state }) => state === 'idle').length;
  return {
    id: `environment/${id}`,
    label: languageName(language),
    description: joinParts(`${warm} warm`, waiting > 0 ? `${waiting} waiting` : undefined, runtime),
    tooltip: `Image ${plainText(image)}\n${formatCount(runs, 'run')} so far, ${warm} warm of ${formatCount(sandboxes.length, 'sandbox', 'sandboxes')}`,
    icon: 'layers',
    context: 'environment',
    subject: { kind: 'group' },
    children: sandboxes.map((sandbox) => sandboxRow(sandbox, sessions, now)),
  };
}

const SLOTS: Readonly<Record<SlotState, { words: string; icon: string; color?: string }>> = {
  booting: { words: 'starting', icon: 'loading~spin' },
  idle: { words: 'warm', icon: 'flame', color: 'charts.yellow' },
  leased: { words: 'in use', icon: 'vm-running', color: 'charts.green' },
  resetting: { words: 'being wiped', icon: 'sync~spin' },
  retiring: { words: 'being removed', icon: 'trash' },
};

function sandboxRow(sandbox: SandboxInfo, sessions: readonly SessionInfo[], now: number): Row {
  const { words, ...look } = SLOTS[sandbox.state];
  const session = sessions.find(({ id }) => id === sandbox.sessionId);
  const state = session ? 'session' : words;
  const owner = sandbox.owner ? `In use by ${formatOwner(sandbox.owner)}` : '';
  const header = oneLine(sandbox.header);
  return {
    id: `sandbox/${sandbox.id}`,
    // One that boots has no container and no id of the host's yet.
    label: sandbox.state === 'booting' ? 'New' : plainText(sandbox.id).slice(0, ID_LENGTH),
    description: joinParts(
      state,
      formatImports(sandbox.header),
      formatAge(now - sandbox.createdAt),
      formatMemory(sandbox.memoryBytes),
    ),
    tooltip: [`Sandbox ${plainText(sandbox.id)}`, `State: ${words}, ${formatCount(sandbox.uses, 'run')}`, owner, header]
      .filter(Boolean)
      .join('\n'),
    ...look,
    context: 'sandbox',
    subject: { kind: 'sandbox', sandbox },
    children: [],
  };
}

type LabelOf = (session: SessionInfo) => string;

function sessionsRow(sessions: readonly SessionInfo[], now: number, labelOf: LabelOf): Row {
  return {
    id: 'sessions',
    label: 'Sessions',
    description: sessions.length === 0 ? 'none open' : String(sessions.length),
    tooltip: 'Sessions of notebooks and of agents keep their variables until they are closed.',
    icon: 'notebook',
    context: sessions.length === 0 ? 'sessions-none' : 'sessions',
    subject: { kind: 'group' },
    children: sessions.map((session) => sessionRow(session, now, labelOf)),
  };
}

const OWNER_ICONS: Readonly<Record<Owner['kind'], string>> = { notebook: 'notebook', mcp: 'hubot', cli: 'terminal' };

function sessionRow(session: SessionInfo, now: number, labelOf: LabelOf): Row {
  const { id, language, owner, state, memoryBytes, openedAt, lastUsedAt, runs } = session;
  const words = formatState(session);
  return {
    id: `session/${id}`,
    label: plainText(labelOf(session)),
    // A row has room for few words.
    description: joinParts(languageName(language), state === 'idle' ? formatAge(now - openedAt) : words),
    tooltip: [
      `${languageName(language)} session ${plainText(id)}`,
      joinParts(`State: ${words}`, formatMemory(memoryBytes)),
      `Owner: ${formatOwner(owner)}`,
      `Opened ${formatAge(now - openedAt)} ago, ${formatCount(runs, 'run')}, last used ${formatAge(now - lastUsedAt)} ago`,
    ].join('\n'),
    ...sessionLook(session),
    context: `session-${owner.kind}-${state}`,
    subject: { kind: 'session', session },
    children: [],
  };
}

function sessionLook({ state, owner }: SessionInfo): Pick<Row, 'icon' | 'color'> {
  if (state === 'ended') return { icon: 'warning', color: 'list.warningForeground' };
  return { icon: state === 'idle' ? OWNER_ICONS[owner.kind] : 'loading~spin' };
}

function formatState({ state, endReason }: SessionInfo): string {
  if (state === 'ended' && endReason !== null) return `ended: ${oneLine(endReason)}`;
  return state === 'busy' ? 'running' : state;
}

function formatOwner({ kind, label }: Owner): string {
  const kinds = { notebook: 'notebook', mcp: 'agent', cli: 'command line' };
  return `${kinds[kind]} ${plainText(label)}`;
}

function languageName(id: LanguageId): string {
  return EDITOR_LANGUAGES[id].name;
}
