import { randomBytes } from 'node:crypto';
import type { Result } from '../../../../engine/types.ts';
import { problemText } from '../../dockerMcp.ts';
import type { ProfileCall } from '../../profile.ts';
import { isLanguage, type Language, packageEntry } from '../language.ts';
import { type Operation, withBody, withoutBody } from './operation.ts';

/** Operations of images, and the state of Docker. */
export const IMAGE_OPERATIONS: readonly Operation[] = [
  withoutBody(
    {
      method: 'get',
      path: '/health',
      operationId: 'health_check_health_get',
      summary: 'Health Check',
      description: 'Health check endpoint.',
      response: null,
    },
    async ({ workspace: { engine }, signal }) => {
      const { host, environments } = await engine.preflight(signal);
      const isHealthy = host.problem === null;
      return {
        body: {
          status: isHealthy ? 'healthy' : 'unhealthy',
          docker_available: isHealthy,
          timestamp: Date.now() / 1000,
          active_containers: engine.snapshot().environments.flatMap(({ sandboxes }) => sandboxes).length,
          available_images: environments.filter(({ image }) => image !== null).length,
        },
      };
    },
  ),
  withBody(
    {
      method: 'post',
      path: '/images/create',
      operationId: 'create_image_images_create_post',
      summary: 'Create Image',
      description: 'Create a new Docker image.',
      request: 'CreateImageRequest',
      response: 'CreateImageResponse',
    },
    async ({ workspace, body, signal }) => {
      const { languages, custom_dockerfile, requirements } = body;
      const image = body.image_name || `image-${randomBytes(4).toString('hex')}`;
      const packages = packagesOf(requirements);
      if (custom_dockerfile) return failedImage('custom_dockerfile is not supported. Use requirements.');
      if (typeof packages === 'string') return failedImage(packages);
      const { images } = workspace.executor;
      const { built, build_logs } = await logged(workspace.call(signal), (call) =>
        images.create(image, [...new Set(languages)], call, packages),
      );
      if (!built.ok) return failedImage(`Build failed: ${problemText(built.error)}`, build_logs);
      return { body: { success: true, image_id: image, image_name: image, build_logs, error_message: null } };
    },
  ),
  withBody(
    {
      method: 'post',
      path: '/packages/install',
      operationId: 'install_package_packages_install_post',
      summary: 'Install Package',
      description: 'Install a package in a Docker image or container.',
      request: 'InstallPackageRequest',
      response: 'InstallPackageResponse',
    },
    async ({ workspace, body, signal }) => {
      const { image_id, language, package_name, package_version, build_new_image } = body;
      const { images } = workspace.executor;
      if (!(await images.exists(image_id))) return failedInstallation(`Base image not found: ${image_id}`);
      // Containers of an image run for as long as code does, here as there.
      if (!build_new_image) return failedInstallation('No running containers found for the specified image');
      const entry = packageEntry(language, package_name, package_version);
      const { built, build_logs } = await logged(workspace.call(signal), (call) =>
        images.install(image_id, language, entry, call),
      );
      if (!built.ok) return failedInstallation(`Build failed: ${problemText(built.error)}`, build_logs);
      return { body: { success: true, new_image_id: built.value, build_logs, error_message: null } };
    },
  ),
];

/** Packages of each language from texts such as those of requirements.txt; a text says what is wrong. */
function packagesOf(requirements: Readonly<Record<string, string>>): Partial<Record<Language, string[]>> | string {
  const other = Object.keys(requirements).find((name) => !isLanguage(name));
  if (other !== undefined) {
    return `requirements has packages by language, one a line; ${JSON.stringify(other.slice(0, 80))} is not a language.`;
  }
  const entries = Object.entries(requirements).map(([language, text]) => {
    const lines = text.split('\n').map((line) => line.replace(/(^|\s)#.*/, '').trim());
    return [language, lines.filter((line) => line !== '')] as const;
  });
  return Object.fromEntries(entries);
}

/** Builds and collects what the build prints. */
async function logged(call: ProfileCall, build: (call: ProfileCall) => Promise<Result<string>>) {
  const build_logs: string[] = [];
  const built = await build({
    ...call,
    onOutput: (output) => void (output.kind === 'stdout' && build_logs.push(output.text)),
  });
  return { built, build_logs };
}

function failedImage(error_message: string, build_logs: readonly string[] = []) {
  return { body: { success: false, image_id: null, image_name: null, build_logs, error_message } };
}

function failedInstallation(error_message: string, build_logs: readonly string[] = []) {
  return { body: { success: false, new_image_id: null, build_logs, error_message } };
}
