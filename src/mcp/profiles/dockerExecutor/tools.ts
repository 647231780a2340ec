import type { ListToolsResult } from '@modelcontextprotocol/server';

type Tool = ListToolsResult['tools'][number];
type Properties = NonNullable<Tool['inputSchema']['properties']>;

/** An argument of a type; further keywords of its schema may follow. */
function argument(title: string, type: string, more: Properties[string] & object = {}): Properties[string] {
  return { title, type, ...more };
}

/** A tool whose result is a text. */
function tool(name: string, description: string, properties: Properties, required?: string[]): Tool {
  const result = { title: 'Result', type: 'string' };
  return {
    name,
    description,
    inputSchema: { properties, ...(required && { required }), title: `${name}Arguments`, type: 'object' },
    outputSchema: { properties: { result }, required: ['result'], title: `${name}Output`, type: 'object' },
  };
}

/** The tools of MCP-docker-executor 0.1.0. */
export const TOOLS: Tool[] = [
  tool(
    'execute_code',
    'Execute code in a Docker container with support for Python, Node.js, C#, and Bash.\n\n    Args:\n        language: Programming language to execute (python, node, csharp, bash)\n        code: Code to execute\n        image_id: Docker image ID to use (default: debug-test:latest)\n        working_directory: Working directory in container (default: /workspace)\n        timeout_seconds: Execution timeout in seconds (default: 300)\n\n    Returns:\n        Execution result with status, output, and error information\n    ',
    {
      language: argument('Language', 'string'),
      code: argument('Code', 'string'),
      image_id: argument('Image Id', 'string', { default: 'debug-test:latest' }),
      working_directory: argument('Working Directory', 'string', { default: '/workspace' }),
      timeout_seconds: argument('Timeout Seconds', 'integer', { default: 300 }),
    },
    ['language', 'code'],
  ),
  tool(
    'create_image',
    'Create a new Docker image with specified language runtimes.\n\n    Args:\n        languages: List of languages to include (python, node, csharp, bash)\n        image_name: Name for the Docker image\n\n    Returns:\n        Image creation result with build logs\n    ',
    {
      languages: argument('Languages', 'array', { items: { type: 'string' } }),
      image_name: argument('Image Name', 'string'),
    },
    ['languages', 'image_name'],
  ),
  tool(
    'install_package',
    'Install a package in a Docker image or running container.\n\n    Args:\n        package_name: Name of the package to install\n        language: Language for package manager (python, node, csharp)\n        image_id: Docker image ID (optional, will create new image if not provided)\n        build_new_image: Whether to build a new image with the package (default: True)\n\n    Returns:\n        Package installation result with logs\n    ',
    {
      package_name: argument('Package Name', 'string'),
      language: argument('Language', 'string'),
      image_id: { anyOf: [{ type: 'string' }, { type: 'null' }], default: null, title: 'Image Id' },
      build_new_image: argument('Build New Image', 'boolean', { default: true }),
    },
    ['package_name', 'language'],
  ),
  tool(
    'upload_file',
    'Upload a code file for later execution.\n\n    Args:\n        filename: Name of the file\n        content: File content\n        language: Programming language of the file (python, node, csharp, bash)\n\n    Returns:\n        Upload result with file ID\n    ',
    {
      filename: argument('Filename', 'string'),
      content: argument('Content', 'string'),
      language: argument('Language', 'string'),
    },
    ['filename', 'content', 'language'],
  ),
  tool(
    'execute_uploaded_file',
    'Execute a previously uploaded file.\n\n    Args:\n        file_id: ID of the uploaded file\n        image_id: Docker image ID to use (default: debug-test:latest)\n\n    Returns:\n        File execution result\n    ',
    {
      file_id: argument('File Id', 'string'),
      image_id: argument('Image Id', 'string', { default: 'debug-test:latest' }),
    },
    ['file_id'],
  ),
  tool('list_files', 'List all uploaded files.\n\n    Returns:\n        List of uploaded files with details\n    ', {}),
  tool(
    'delete_file',
    'Delete an uploaded file.\n\n    Args:\n        file_id: ID of the file to delete\n\n    Returns:\n        Deletion result\n    ',
    { file_id: argument('File Id', 'string') },
    ['file_id'],
  ),
  tool(
    'docker_health',
    'Check Docker daemon health and get system information.\n\n    Returns:\n        Docker health status and system information\n    ',
    {},
  ),
];
