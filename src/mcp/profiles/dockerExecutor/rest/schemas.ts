import { z } from 'zod';
import { LANGUAGES, type Language as LanguageName } from '../language.ts';

const Language = z
  .enum(LANGUAGES as [LanguageName, ...LanguageName[]])
  .meta({ title: 'Language', description: 'Supported programming languages.' });

/** Without a value, and above the options, memory and CPUs are those of the options. */
const ResourceLimits = z
  .object({
    memory_mb: z.int().min(64).max(8192).optional().meta({ default: 512 }),
    cpu_cores: z.number().min(0.1).max(8).optional().meta({ default: 1 }),
    timeout_seconds: z.int().min(10).max(3600).default(300),
    network_enabled: z.boolean().default(false),
  })
  .meta({ title: 'ResourceLimits', description: 'Resource limits for container execution.' });

const text = z.string();
const optionalText = z.string().nullish();
const texts = z.record(z.string(), z.string()).default({});
const place = { image_id: optionalText, working_directory: text.default('/workspace'), environment_variables: texts };
const limits = { resource_limits: ResourceLimits.prefault({}) };

const StreamExecutionRequest = z
  .object({ language: Language, code: text, ...place, ...limits })
  .meta({ title: 'StreamExecutionRequest', description: 'Request for streaming execution.' });

const ExecuteCodeRequest = z
  .object({ ...StreamExecutionRequest.shape, input_data: optionalText })
  .meta({ title: 'ExecuteCodeRequest', description: 'Request to execute code in a container.' });

const FileExecutionRequest = z
  .object({ file_id: text, container_id: optionalText, ...place, ...limits, input_data: optionalText })
  .meta({ title: 'FileExecutionRequest', description: 'Request to execute an uploaded file.' });

const CreateImageRequest = z
  .object({
    languages: z.array(Language).min(1),
    requirements: texts,
    image_name: optionalText,
    custom_dockerfile: optionalText,
    base_os: text.default('ubuntu:22.04'),
  })
  .meta({ title: 'CreateImageRequest', description: 'Request to create a new Docker image.' });

const InstallPackageRequest = z
  .object({
    image_id: text,
    language: Language,
    package_name: text,
    build_new_image: z.boolean().default(true),
    package_version: optionalText,
  })
  .meta({ title: 'InstallPackageRequest', description: 'Request to install a package.' });

const FileUploadRequest = z
  .object({
    ...{ filename: text, content: text, language: Language },
    encoding: text.default('utf-8'),
    binary: z.boolean().default(false),
  })
  .meta({ title: 'FileUploadRequest', description: 'Request to upload a file for execution.' });

const ExecutionStatus = z
  .enum(['pending', 'running', 'completed', 'failed', 'timeout'])
  .meta({ title: 'ExecutionStatus', description: 'Execution status values.' });

const ExecuteCodeResponse = z
  .object({
    execution_id: text,
    status: ExecutionStatus,
    stdout: optionalText,
    stderr: optionalText,
    exit_code: z.int().nullish(),
    error_message: optionalText,
    execution_time_seconds: z.number().nullish(),
  })
  .meta({ title: 'ExecuteCodeResponse', description: 'Response from code execution.' });

const CreateImageResponse = z
  .object({
    success: z.boolean(),
    image_id: optionalText,
    image_name: optionalText,
    build_logs: z.array(text).optional(),
    error_message: optionalText,
  })
  .meta({ title: 'CreateImageResponse', description: 'Response from image creation.' });

const InstallPackageResponse = z
  .object({
    success: z.boolean(),
    new_image_id: optionalText,
    build_logs: z.array(text).optional(),
    error_message: optionalText,
  })
  .meta({ title: 'InstallPackageResponse', description: 'Response from package installation.' });

const FileUploadResponse = z
  .object({ success: z.boolean(), file_id: optionalText, file_path: optionalText, error_message: optionalText })
  .meta({ title: 'FileUploadResponse', description: 'Response from file upload.' });

const FileListResponse = z
  .object({ files: z.array(z.record(z.string(), z.unknown())), total_count: z.int() })
  .meta({ title: 'FileListResponse', description: 'Response containing list of uploaded files.' });

const ValidationError = z
  .object({
    loc: z.array(z.union([z.string(), z.int()])).meta({ title: 'Location' }),
    msg: text.meta({ title: 'Message' }),
    type: text.meta({ title: 'Error Type' }),
    input: z.unknown().optional(),
    ctx: z.object({}).meta({ title: 'Context' }).optional(),
  })
  .meta({ title: 'ValidationError' });

const HTTPValidationError = z
  .object({ detail: z.array(ValidationError).optional() })
  .meta({ title: 'HTTPValidationError' });

/** Bodies of requests, by their names in the OpenAPI description. */
export const REQUESTS = {
  CreateImageRequest,
  ExecuteCodeRequest,
  FileExecutionRequest,
  FileUploadRequest,
  InstallPackageRequest,
  StreamExecutionRequest,
} as const;

/** All schemas of the OpenAPI description by their names. */
export const SCHEMAS = {
  ...REQUESTS,
  CreateImageResponse,
  ExecuteCodeResponse,
  ExecutionStatus,
  FileListResponse,
  FileUploadResponse,
  HTTPValidationError,
  InstallPackageResponse,
  Language,
  ResourceLimits,
  ValidationError,
} as const;

export type Requests = { readonly [Name in keyof typeof REQUESTS]: z.output<(typeof REQUESTS)[Name]> };
export type ExecutionAnswer = z.output<typeof ExecuteCodeResponse>;
export type ValidationDetail = Omit<z.output<typeof ValidationError>, 'ctx'> & { readonly ctx?: object };
