import type { ListToolsResult } from '@modelcontextprotocol/server';

/** The tools of MCP-docker-executor 0.1.0. */
export const TOOLS: ListToolsResult['tools'] = [
  {
    name: 'execute_code',
    description:
      'Execute code in a Docker container with support for Python, Node.js, C#, and Bash.\n\n    Args:\n        language: Programming language to execute (python, node, csharp, bash)\n        code: Code to execute\n        image_id: Docker image ID to use (default: debug-test:latest)\n        working_directory: Working directory in container (default: /workspace)\n        timeout_seconds: Execution timeout in seconds (default: 300)\n\n    Returns:\n        Execution result with status, output, and error information\n    ',
    inputSchema: {
      properties: {
        language: {
          title: 'Language',
          type: 'string',
        },
        code: {
          title: 'Code',
          type: 'string',
        },
        image_id: {
          default: 'debug-test:latest',
          title: 'Image Id',
          type: 'string',
        },
        working_directory: {
          default: '/workspace',
          title: 'Working Directory',
          type: 'string',
        },
        timeout_seconds: {
          default: 300,
          title: 'Timeout Seconds',
          type: 'integer',
        },
      },
      required: ['language', 'code'],
      title: 'execute_codeArguments',
      type: 'object',
    },
    outputSchema: {
      properties: {
        result: {
          title: 'Result',
          type: 'string',
        },
      },
      required: ['result'],
      title: 'execute_codeOutput',
      type: 'object',
    },
  },
  {
    name: 'create_image',
    description:
      'Create a new Docker image with specified language runtimes.\n\n    Args:\n        languages: List of languages to include (python, node, csharp, bash)\n        image_name: Name for the Docker image\n\n    Returns:\n        Image creation result with build logs\n    ',
    inputSchema: {
      properties: {
        languages: {
          items: {
            type: 'string',
          },
          title: 'Languages',
          type: 'array',
        },
        image_name: {
          title: 'Image Name',
          type: 'string',
        },
      },
      required: ['languages', 'image_name'],
      title: 'create_imageArguments',
      type: 'object',
    },
    outputSchema: {
      properties: {
        result: {
          title: 'Result',
          type: 'string',
        },
      },
      required: ['result'],
      title: 'create_imageOutput',
      type: 'object',
    },
  },
  {
    name: 'install_package',
    description:
      'Install a package in a Docker image or running container.\n\n    Args:\n        package_name: Name of the package to install\n        language: Language for package manager (python, node, csharp)\n        image_id: Docker image ID (optional, will create new image if not provided)\n        build_new_image: Whether to build a new image with the package (default: True)\n\n    Returns:\n        Package installation result with logs\n    ',
    inputSchema: {
      properties: {
        package_name: {
          title: 'Package Name',
          type: 'string',
        },
        language: {
          title: 'Language',
          type: 'string',
        },
        image_id: {
          anyOf: [
            {
              type: 'string',
            },
            {
              type: 'null',
            },
          ],
          default: null,
          title: 'Image Id',
        },
        build_new_image: {
          default: true,
          title: 'Build New Image',
          type: 'boolean',
        },
      },
      required: ['package_name', 'language'],
      title: 'install_packageArguments',
      type: 'object',
    },
    outputSchema: {
      properties: {
        result: {
          title: 'Result',
          type: 'string',
        },
      },
      required: ['result'],
      title: 'install_packageOutput',
      type: 'object',
    },
  },
  {
    name: 'upload_file',
    description:
      'Upload a code file for later execution.\n\n    Args:\n        filename: Name of the file\n        content: File content\n        language: Programming language of the file (python, node, csharp, bash)\n\n    Returns:\n        Upload result with file ID\n    ',
    inputSchema: {
      properties: {
        filename: {
          title: 'Filename',
          type: 'string',
        },
        content: {
          title: 'Content',
          type: 'string',
        },
        language: {
          title: 'Language',
          type: 'string',
        },
      },
      required: ['filename', 'content', 'language'],
      title: 'upload_fileArguments',
      type: 'object',
    },
    outputSchema: {
      properties: {
        result: {
          title: 'Result',
          type: 'string',
        },
      },
      required: ['result'],
      title: 'upload_fileOutput',
      type: 'object',
    },
  },
  {
    name: 'execute_uploaded_file',
    description:
      'Execute a previously uploaded file.\n\n    Args:\n        file_id: ID of the uploaded file\n        image_id: Docker image ID to use (default: debug-test:latest)\n\n    Returns:\n        File execution result\n    ',
    inputSchema: {
      properties: {
        file_id: {
          title: 'File Id',
          type: 'string',
        },
        image_id: {
          default: 'debug-test:latest',
          title: 'Image Id',
          type: 'string',
        },
      },
      required: ['file_id'],
      title: 'execute_uploaded_fileArguments',
      type: 'object',
    },
    outputSchema: {
      properties: {
        result: {
          title: 'Result',
          type: 'string',
        },
      },
      required: ['result'],
      title: 'execute_uploaded_fileOutput',
      type: 'object',
    },
  },
  {
    name: 'list_files',
    description: 'List all uploaded files.\n\n    Returns:\n        List of uploaded files with details\n    ',
    inputSchema: {
      properties: {},
      title: 'list_filesArguments',
      type: 'object',
    },
    outputSchema: {
      properties: {
        result: {
          title: 'Result',
          type: 'string',
        },
      },
      required: ['result'],
      title: 'list_filesOutput',
      type: 'object',
    },
  },
  {
    name: 'delete_file',
    description:
      'Delete an uploaded file.\n\n    Args:\n        file_id: ID of the file to delete\n\n    Returns:\n        Deletion result\n    ',
    inputSchema: {
      properties: {
        file_id: {
          title: 'File Id',
          type: 'string',
        },
      },
      required: ['file_id'],
      title: 'delete_fileArguments',
      type: 'object',
    },
    outputSchema: {
      properties: {
        result: {
          title: 'Result',
          type: 'string',
        },
      },
      required: ['result'],
      title: 'delete_fileOutput',
      type: 'object',
    },
  },
  {
    name: 'docker_health',
    description:
      'Check Docker daemon health and get system information.\n\n    Returns:\n        Docker health status and system information\n    ',
    inputSchema: {
      properties: {},
      title: 'docker_healthArguments',
      type: 'object',
    },
    outputSchema: {
      properties: {
        result: {
          title: 'Result',
          type: 'string',
        },
      },
      required: ['result'],
      title: 'docker_healthOutput',
      type: 'object',
    },
  },
];
