import { plainText } from '../../base/log.ts';
import { formatDecision, formatPolicy } from '../../engine/network/describe.ts';
import type { EnvironmentInfo, Owner, SandboxInfo, SessionInfo, SlotState, Snapshot } from '../../engine/types.ts';
import { type WallRow, wallRows } from '../../engine/walls.ts';
import { formatAge, formatCount, formatHost, formatMemory, joinParts, oneLine } from '../format.ts';
import { type EditorLanguage, editorLanguage } from '../languages.ts';

/** What a row represents; commands receive it. */
export type Subject =
  | { readonly kind: 'group' }
  | { readonly kind: 'environment'; readonly name: string }
  | { readonly kind: 'sandbox'; readonly sandbox: SandboxInfo }
  | { readonly kind: 'session'; readonly session: SessionInfo };

/** A row of the pool view. Its texts contain no control characters. */
export interface Row {
  /** Stable across snapshots. */
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly tooltip: string;
  /** A codicon's name. */
  readonly icon: string;
  /** A theme colour's id. */
  readonly color?: string;
  /** The context value that menus match. */
  readonly context: string;
  readonly subject: Subject;
  readonly children: readonly Row[];
}

// Docker's short ids have twelve characters; eight are unique here, and the tooltip has the whole id.
const ID_LENGTH = 8;

/** The rows of a snapshot at `now` (ms since the epoch); none before the first sandbox or session. */
export function poolRows(
  { host, environments, sessions, network }: Snapshot,
  now: number,
  labelOf = (session: SessionInfo) => session.owner.label,
): readonly Row[] {
  const busy = environments.filter(
    ({ sandboxes, waiting, isCustom }) => sandboxes.length > 0 || waiting > 0 || isCustom,
  );
  if (busy.length === 0 && sessions.length === 0) return [];
  return [
    ...busy.map((environment) => environmentRow(environment, { host, sessions, network }, now, labelOf)),
    sessionsRow(sessions, now, labelOf),
    ...machineNetworkRows(network, new Set(busy.map(({ id }) => id)), sessions, now, labelOf),
  ];
}

/** What a row shows without a tooltip; the view redraws a row only when this changes. */
export function appearance(row: Row | undefined): string {
  return JSON.stringify([row?.label, row?.description, row?.icon, row?.context]);
}

function environmentRow(
  environment: EnvironmentInfo,
  { host, sessions, network }: Pick<Snapshot, 'host' | 'sessions' | 'network'>,
  now: number,
  labelOf: LabelOf,
): Row {
  const { id, language, image, sandboxes, waiting, runs, isCustom } = environment;
  const decisions = network.decisions.filter((decision) => decision.environment === id);
  const policy = environment.network ?? network;
  const warm = sandboxes.filter(({ state }) => state === 'idle').length;
  return {
    id: `environment/${id}`,
    label: isCustom ? plainText(id) : languageName(language),
    description: joinParts(
      isCustom ? languageName(language) : undefined,
      `${warm} warm`,
      waiting > 0 ? `${waiting} waiting` : undefined,
      host.state === 'ready' ? plainText(host.runtime) : undefined,
    ),
    tooltip: [
      `Image: ${plainText(image)}`,
      `Runs: ${runs}`,
      `Sandboxes: ${sandboxes.length}, ${warm} warm`,
      ...formatHost(host),
    ].join('\n'),
    icon: isCustom ? 'package' : 'layers',
    context: isCustom ? 'environment-custom' : 'environment',
    subject: isCustom ? { kind: 'environment', name: id } : { kind: 'group' },
    children: [
      ...sandboxes.map((sandbox) => sandboxRow(sandbox, editorLanguage(language), sessions, now)),
      ...(environment.network || decisions.length > 0
        ? [networkRow(`network/${id}`, policy, decisions, sessions, now, labelOf)]
        : []),
      ...isolationRows(environment),
    ],
  };
}

const WALL_LOOKS: Readonly<Record<WallRow['state'], Pick<Row, 'icon' | 'color'>>> = {
  holds: { icon: 'pass', color: 'testing.iconPassed' },
  missing: { icon: 'warning', color: 'list.warningForeground' },
  off: { icon: 'circle-slash' },
};

/** The walls of an environment's sandboxes; none before an agent has reported them. */
function isolationRows({ id, walls }: EnvironmentInfo): readonly Row[] {
  if (walls === null) return [];
  const rows = wallRows(walls);
  const holding = rows.filter(({ state }) => state === 'holds').length;
  return [
    {
      id: `isolation/${id}`,
      label: 'Isolation',
      description: `${holding} of ${rows.length} walls hold`,
      tooltip: 'What isolates these sandboxes, as they reported it before any code ran.',
      icon: 'shield',
      context: 'isolation',
      subject: { kind: 'group' },
      children: rows.map((wall) => wallRow(id, wall)),
    },
  ];
}

function wallRow(environment: string, { id, name, state, text }: WallRow): Row {
  return {
    id: `isolation/${environment}/${id}`,
    label: name,
    description: oneLine(text),
    tooltip: oneLine(`${name}: ${text}`),
    ...WALL_LOOKS[state],
    context: 'wall',
    subject: { kind: 'group' },
    children: [],
  };
}

const SLOTS: Readonly<Record<SlotState, { label: string; icon: string; color?: string }>> = {
  booting: { label: 'starting', icon: 'loading~spin' },
  idle: { label: 'warm', icon: 'flame', color: 'charts.yellow' },
  leased: { label: 'in use', icon: 'vm-running', color: 'charts.green' },
  resetting: { label: 'resetting', icon: 'sync~spin' },
  retiring: { label: 'stopping', icon: 'trash' },
};

function sandboxRow(
  sandbox: SandboxInfo,
  language: EditorLanguage,
  sessions: readonly SessionInfo[],
  now: number,
): Row {
  const { label, ...look } = SLOTS[sandbox.state];
  const session = sessions.find(({ id }) => id === sandbox.sessionId);
  const state = session ? 'session' : label;
  const owner = sandbox.owner ? `In use by ${formatOwner(sandbox.owner)}` : '';
  const key = oneLine(sandbox.poolKey);
  return {
    id: `sandbox/${sandbox.id}`,
    // A booting sandbox has no container and so no id from the host.
    label: sandbox.state === 'booting' ? 'New' : plainText(sandbox.id).slice(0, ID_LENGTH),
    description: joinParts(
      state,
      language.formatPoolKey?.(sandbox.poolKey),
      formatAge(now - sandbox.createdAt),
      formatMemory(sandbox.memoryBytes),
    ),
    tooltip: [`Sandbox ${plainText(sandbox.id)}`, `State: ${label}, ${formatCount(sandbox.uses, 'run')}`, owner, key]
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
    tooltip: 'Sessions of notebooks and agents. A session keeps its variables until it is closed.',
    icon: 'notebook',
    context: sessions.length === 0 ? 'sessions-none' : 'sessions',
    subject: { kind: 'group' },
    children: sessions.map((session) => sessionRow(session, now, labelOf)),
  };
}

/** The network policy of the machine, and decisions for environments without a row; none where there is neither. */
function machineNetworkRows(
  network: Snapshot['network'],
  shown: ReadonlySet<string>,
  sessions: readonly SessionInfo[],
  now: number,
  labelOf: LabelOf,
): readonly Row[] {
  const decisions = network.decisions.filter(({ environment }) => !shown.has(environment));
  if (network.policy === 'none' && decisions.length === 0) return [];
  return [networkRow('network', network, decisions, sessions, now, labelOf)];
}

/** A network policy, and below it what proxies have decided. */
function networkRow(
  id: string,
  { policy, allow }: Pick<Snapshot['network'], 'policy' | 'allow'>,
  decisions: Snapshot['network']['decisions'],
  sessions: readonly SessionInfo[],
  now: number,
  labelOf: LabelOf,
): Row {
  const denials = decisions.filter(({ denied }) => denied !== null).length;
  return {
    id,
    label: 'Network',
    description: joinParts(policy, denials > 0 ? `${formatCount(denials, 'host')} denied` : undefined),
    tooltip: oneLine(formatPolicy({ policy, allow })),
    icon: 'globe',
    ...(policy === 'full' && { color: 'list.warningForeground' }),
    context: 'network',
    subject: { kind: 'group' },
    children: decisions.map((decision) => decisionRow(decision, sessions, now, labelOf)),
  };
}

function decisionRow(
  decision: Snapshot['network']['decisions'][number],
  sessions: readonly SessionInfo[],
  now: number,
  labelOf: LabelOf,
): Row {
  const { host, port, denied, count, lastAt, sandboxId, sessionId } = decision;
  const session = sessions.find(({ id }) => id === sessionId);
  const place = plainText(`${host}:${port}`);
  const what = formatDecision(decision);
  const who = session ? oneLine(labelOf(session)) : `sandbox ${plainText(sandboxId).slice(0, ID_LENGTH)}`;
  return {
    id: `network/${plainText(sandboxId)}/${denied}/${place}`,
    label: place,
    description: joinParts(denied === null ? 'allowed' : 'denied', count > 1 ? `${count} times` : undefined, who),
    tooltip: `${place}: ${what}\n${formatCount(count, 'request')}, the last ${formatAge(now - lastAt)} ago\nBy ${who}`,
    icon: denied === null ? 'pass' : 'error',
    color: denied === null ? 'testing.iconPassed' : 'testing.iconFailed',
    context: 'network-decision',
    subject: { kind: 'group' },
    children: [],
  };
}

const OWNER_ICONS: Readonly<Record<Owner['kind'], string>> = { notebook: 'notebook', mcp: 'hubot', cli: 'terminal' };

function sessionRow(session: SessionInfo, now: number, labelOf: LabelOf): Row {
  const { id, language, owner, isShared, state, memoryBytes, openedAt, lastUsedAt, runs } = session;
  const stateText = formatState(session);
  return {
    id: `session/${id}`,
    label: plainText(labelOf(session)),
    // A row has little room: the state replaces the age.
    description: joinParts(
      languageName(language),
      state === 'idle' ? formatAge(now - openedAt) : stateText,
      isShared ? 'shared' : undefined,
    ),
    tooltip: [
      `${languageName(language)} session ${plainText(id)}`,
      joinParts(`State: ${stateText}`, formatMemory(memoryBytes)),
      `Owner: ${formatOwner(owner)}${isShared ? ', shared with agents' : ''}`,
      `Opened ${formatAge(now - openedAt)} ago, ${formatCount(runs, 'run')}, last used ${formatAge(now - lastUsedAt)} ago`,
    ].join('\n'),
    ...sessionLook(session),
    context: `session-${owner.kind}${isShared ? '-shared' : ''}-${state}${hasPackages(language) ? '-packages' : ''}`,
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

function hasPackages(language: string): boolean {
  return editorLanguage(language).packageManager !== undefined;
}

function languageName(id: string): string {
  return editorLanguage(id).name;
}
