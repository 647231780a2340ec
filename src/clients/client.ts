import { join } from 'node:path';

/** Where files of MCP clients are. */
export interface Place {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The project's folder, for files that belong to a project. */
  readonly folder: string;
}

/** The program that an MCP client starts. */
export interface ServerProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A program, or a file that several programs read, that starts MCP servers. */
export interface Client {
  readonly id: string;
  readonly label: string;
  readonly format: 'json' | 'toml';
  /** The key of the object that has an entry for each server. */
  readonly servers: string;
  /** It belongs to a project and may be shared, so it has no path of this machine. */
  readonly isShared: boolean;
  file(place: Place): string;
  /** What the client expects beside the program. */
  readonly extra?: Readonly<Record<string, string>>;
}

const STDIO = { type: 'stdio' } as const;

/** Every client that Hothouse can be added to; paths and shapes are those of each client's own documentation. */
export const CLIENTS: readonly Client[] = [
  {
    id: 'claude-desktop',
    label: 'Claude Desktop',
    ...user('mcpServers'),
    file: (place) => join(applicationData(place), 'Claude', 'claude_desktop_config.json'),
  },
  {
    id: 'claude-code',
    label: 'Claude Code',
    ...user('mcpServers'),
    extra: STDIO,
    file: ({ env, home }) => join(given(env.CLAUDE_CONFIG_DIR) ?? home, '.claude.json'),
  },
  {
    id: 'codex',
    label: 'Codex',
    ...user('mcp_servers'),
    format: 'toml',
    file: ({ env, home }) => join(given(env.CODEX_HOME) ?? join(home, '.codex'), 'config.toml'),
  },
  { id: 'cursor', label: 'Cursor', ...user('mcpServers'), file: ({ home }) => join(home, '.cursor', 'mcp.json') },
  {
    id: 'windsurf',
    label: 'Windsurf',
    ...user('mcpServers'),
    file: ({ home }) => join(home, '.codeium', 'windsurf', 'mcp_config.json'),
  },
  {
    id: 'zed',
    label: 'Zed',
    ...user('context_servers'),
    file: (place) =>
      place.platform === 'win32'
        ? join(applicationData(place), 'Zed', 'settings.json')
        : join(configurationHome(place), 'zed', 'settings.json'),
  },
  {
    ...{ id: '.vscode/mcp.json', label: '.vscode/mcp.json of this folder', format: 'json', servers: 'servers' },
    ...{ isShared: true, extra: STDIO, file: ({ folder }) => join(folder, '.vscode', 'mcp.json') },
  },
  {
    ...{ id: '.mcp.json', label: '.mcp.json of this folder', format: 'json', servers: 'mcpServers' },
    ...{ isShared: true, extra: STDIO, file: ({ folder }) => join(folder, '.mcp.json') },
  },
];

/** The name of our entry in every client. */
export const SERVER_NAME = 'hothouse';

/** The entry for a client. A shared file starts the program by its name. */
export function entryFor({ isShared, extra }: Client, program: ServerProgram): Record<string, unknown> {
  const { command, args, env } = isShared ? { command: 'hothouse', args: ['mcp'], env: undefined } : program;
  return { ...extra, command, args: [...args], ...(env && { env: { ...env } }) };
}

function user(servers: string): Pick<Client, 'format' | 'servers' | 'isShared'> {
  return { format: 'json', servers, isShared: false };
}

/** Where desktop applications keep their settings; on Windows and macOS the system says where. */
function applicationData(place: Place): string {
  const { platform, home, env } = place;
  if (platform === 'win32') return given(env.APPDATA) ?? join(home, 'AppData', 'Roaming');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  return configurationHome(place);
}

/** Zed uses this on macOS too, where the variable is not read. */
function configurationHome({ platform, home, env }: Place): string {
  return (platform === 'darwin' ? undefined : given(env.XDG_CONFIG_HOME)) ?? join(home, '.config');
}

/** An empty variable is an unset one. */
function given(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}
