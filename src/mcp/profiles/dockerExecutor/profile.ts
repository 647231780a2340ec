import type { Engine } from '../../../engine/types.ts';
import { laxArguments } from '../arguments/laxArguments.ts';
import { modelErrors } from '../arguments/modelErrors.ts';
import { type CheckArguments, validated } from '../arguments/validated.ts';
import { problemText } from '../dockerMcp.ts';
import { invalidArguments, type Profile, type ProfileTools, type ToolAnswer } from '../profile.ts';
import { type Execution, Executor } from './executor.ts';
import { isLanguage, LANGUAGES, notALanguage } from './language.ts';
import { TOOLS } from './tools.ts';
import { type Upload, Uploads } from './uploads.ts';

/** MCP-docker-executor: code in four languages, images with packages, and uploaded files. */
export const dockerExecutor: Profile = {
  id: 'docker-executor',
  serverName: 'mcp-docker-executor',
  capabilities: {
    experimental: {},
    prompts: { listChanged: false },
    resources: { subscribe: false, listChanged: false },
    tools: { listChanged: false },
  },
  tools: TOOLS,
  prompts: [],
  listsTemplates: true,
  unknownTool: (name) => invalidArguments(`Unknown tool: ${name}`).result,
  errors: {
    resource: (uri) => `Unknown resource: ${uri}`,
    prompt: (name) => `Unknown prompt: ${name}`,
  },
  open: (engine) => validated(TOOLS, executorTools(engine), checkArguments, laxArguments),
};

const NO_LANGUAGE = `languages has none of ${LANGUAGES.join(', ')}`;
const DEFAULT_IMAGE = 'debug-test:latest';

function executorTools(engine: Engine): ProfileTools {
  const executor = new Executor(engine);
  const uploads = new Uploads();
  return {
    async execute_code({ language, code, image_id, working_directory, timeout_seconds }, call) {
      const request = {
        ...{ language, code: String(code), image: String(image_id ?? DEFAULT_IMAGE) },
        folder: String(working_directory ?? '/workspace'),
        timeoutSeconds: Number(timeout_seconds ?? 300),
      };
      return executionAnswer(await executor.execute(request, call), 'Error executing code');
    },

    async create_image({ languages, image_name }, call) {
      const [names, image] = [languages as readonly string[], String(image_name)];
      const other = names.find((name) => !isLanguage(name));
      if (other !== undefined) return wrapped(`Error creating image: ${notALanguage(other)}`, true);
      if (names.length === 0) return wrapped(`Error creating image: ${NO_LANGUAGE}`, true);
      const startedMs = performance.now();
      const created = await executor.images.create(image, names.filter(isLanguage), call);
      if (!created.ok) return wrapped(`Failed to create image: ${problemText(created.error)}`, true);
      return wrapped(builtText('Image created successfully!', { 'Image ID': image, 'Image Name': image }, startedMs));
    },

    async install_package({ package_name, language, image_id, build_new_image = true }, call) {
      if (!isLanguage(language)) return wrapped(`Error installing package: ${notALanguage(language)}`, true);
      // Containers of an image run for as long as code does, here as there.
      if (build_new_image !== true) {
        return wrapped('Failed to install package: No running containers found for the specified image', true);
      }
      const startedMs = performance.now();
      const image = String(image_id ?? DEFAULT_IMAGE);
      const installed = await executor.images.install(image, language, String(package_name), call);
      if (!installed.ok) return wrapped(`Failed to install package: ${problemText(installed.error)}`, true);
      return wrapped(builtText('Package installed successfully!', { 'New Image ID': installed.value }, startedMs));
    },

    async upload_file({ filename, content, language }) {
      if (!isLanguage(language)) return wrapped(`Error uploading file: ${notALanguage(language)}`, true);
      const file = uploads.add({ name: String(filename), content: String(content), language });
      if (!file) return wrapped('Error uploading file: There are too many files, or they are too large.', true);
      return wrapped(`File uploaded successfully!\n${fileText(file)}`);
    },

    async execute_uploaded_file({ file_id, image_id }, call) {
      const file = uploads.get(String(file_id));
      if (!file) return wrapped('Error executing uploaded file: File not found', true);
      const request = { language: file.language, code: file.content, image: String(image_id ?? DEFAULT_IMAGE) };
      return executionAnswer(await executor.execute(request, call), 'Error executing uploaded file');
    },

    async list_files() {
      const files = uploads.all;
      if (files.length === 0) return wrapped('No files uploaded.');
      return wrapped(`Uploaded Files (${files.length}):\n\n${files.map(fileText).join('\n\n')}`);
    },

    async delete_file({ file_id }) {
      const deleted = uploads.delete(String(file_id));
      return wrapped(
        deleted ? `File ${file_id} deleted successfully.` : `Failed to delete file ${file_id} or file not found.`,
      );
    },

    async docker_health(_args, { signal }) {
      const { host, environments } = await engine.preflight(signal);
      const isHealthy = host.problem === null;
      const active = engine.snapshot().environments.flatMap(({ sandboxes }) => sandboxes).length;
      const images = environments.filter(({ image }) => image !== null).length;
      return wrapped(
        `Docker Status: ${isHealthy ? '✅ Healthy' : '❌ Unhealthy'}\n\nSystem Information:\n- Active Containers: ${active}\n- Available Images: ${images}\n- Docker Connection: ${isHealthy ? '✅ Connected' : `❌ ${problemText(host.problem)}`}`,
      );
    },
  };
}

function executionAnswer(execution: Execution | string, error: string): ToolAnswer {
  if (typeof execution === 'string') return wrapped(`${error}: ${execution}`, true);
  const { id, status, exitCode, seconds, stdout, stderr } = execution;
  const head = [
    'Execution Result:',
    `- Execution ID: ${id}`,
    `- Status: ${status}`,
    `- Exit Code: ${exitCode}`,
    `- Execution Time: ${seconds.toFixed(2)}s`,
  ].join('\n');
  return wrapped(`${head}\n\nSTDOUT:\n${stdout}\n\nSTDERR:\n${stderr}`, status !== 'completed');
}

/** The older server meant to answer so, and failed after it had done the work. */
function builtText(title: string, facts: Readonly<Record<string, string>>, startedMs: number): string {
  const lines = Object.entries(facts).map(([name, value]) => `- ${name}: ${value}`);
  return [title, ...lines, `- Build Time: ${((performance.now() - startedMs) / 1000).toFixed(2)}s`].join('\n');
}

function fileText({ id, name, language, bytes, uploadedAt }: Upload): string {
  return `- File ID: ${id}\n- Filename: ${name}\n- Language: ${language}\n- Size: ${bytes} bytes\n- Uploaded: ${uploadedAt.toISOString()}`;
}

function wrapped(result: string, failed = false): ToolAnswer {
  return {
    result: { content: [{ type: 'text', text: result }], structuredContent: { result }, isError: false },
    failed,
  };
}

const checkArguments: CheckArguments = (tool, schema, args) => {
  const missing = ['Field required', 'missing'] as const;
  const errors = modelErrors(schema, args, { title: `${tool}Arguments`, missing, isStrict: false });
  return errors === null ? null : invalidArguments(`Error executing tool ${tool}: ${errors}`);
};
