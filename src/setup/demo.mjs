import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cli, out, programEnv, root } from './paths.mjs';
import { SetupProblem } from './steps.mjs';

const FACTORIAL = `import math
print("5! =", math.factorial(5))`;
const DEFINE = `import pandas as pd
rain = pd.Series([31, 22, 44, 58], index=["Jan", "Feb", "Mar", "Apr"])
rain.sum()`;
const USE = `print("wettest month:", rain.idxmax())
rain.describe()[["mean", "max"]]`;
const PLOT = `import matplotlib.pyplot as plt
import numpy as np
x = np.linspace(0, 4 * np.pi, 400)
plt.plot(x, np.exp(-x / 6) * np.sin(3 * x))
plt.title("Drawn in a sealed sandbox")`;

/** Shows a run, a session and a plot, through the MCP server. */
export async function demonstrate() {
  const client = await connect();
  try {
    heading('A single run: run_code');
    await show(client, { code: FACTORIAL });
    heading('A session: open_session, then run_code twice');
    const { session_id } = await call(client, 'open_session', { language: 'python' });
    await show(client, { code: DEFINE, session_id });
    await show(client, { code: USE, session_id });
    heading('A plot: images are returned automatically');
    savePicture(await show(client, { code: PLOT, session_id }));
    await call(client, 'close_session', { session_id });
  } finally {
    await client.close();
  }
}

async function connect() {
  const [{ Client }, { StdioClientTransport }] = await Promise.all([
    import('@modelcontextprotocol/client'),
    import('@modelcontextprotocol/client/stdio'),
  ]);
  const versionNegotiation = { mode: { pin: '2026-07-28' } };
  const client = new Client({ name: 'hothouse-demonstration', version: '1' }, { versionNegotiation });
  const server = { command: process.execPath, args: [cli, 'mcp'], cwd: root, env: programEnv(), stderr: 'inherit' };
  await client.connect(new StdioClientTransport(server));
  return client;
}

/** Runs code and prints it with its output; resolves with the result. */
async function show(client, request) {
  for (const line of request.code.split('\n')) console.log(`   >>> ${line}`);
  const answer = await callTool(client, 'run_code', { language: 'python', ...request });
  const { stdout, result, duration_ms } = answer.structuredContent;
  for (const text of [stdout, result]) if (text) console.log(indented(text));
  console.log(`       (${duration_ms} ms)`);
  return answer;
}

function savePicture({ content }) {
  const picture = content.find(({ type, mimeType }) => type === 'image' && mimeType === 'image/png');
  if (!picture) throw new SetupProblem('The plot returned no image.', `node ${cli} doctor`);
  const file = join(out, 'plot.png');
  mkdirSync(out, { recursive: true });
  writeFileSync(file, Buffer.from(picture.data, 'base64'));
  console.log(`       saved as ${file}`);
}

async function call(client, name, args) {
  return (await callTool(client, name, args)).structuredContent;
}

async function callTool(client, name, args) {
  const answer = await client.callTool({ name, arguments: args });
  if (!answer.isError) return answer;
  const text = answer.content.map((item) => item.text ?? '').join('\n');
  throw new SetupProblem(`${name} failed: ${text}`, `node ${cli} doctor`);
}

function heading(text) {
  console.log(`\n${text}`);
}

function indented(text) {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `       ${line}`)
    .join('\n');
}
