import { z } from 'zod';
import type { Operation } from './operation.ts';
import { OPERATIONS } from './operations.ts';
import { SCHEMAS } from './schemas.ts';

type Json = Record<string, unknown>;

/** The OpenAPI description, made from the operations and schemas that handle requests. `server` is their base address. */
export function openApi(server: string) {
  return {
    openapi: '3.1.0',
    info: {
      title: 'MCP Docker Executor',
      description: 'A Python-based Master Control Program server for Docker automation',
      version: '0.1.0',
    },
    servers: [{ url: server }],
    security: [{ token: [] }],
    paths: paths(),
    components: { schemas: schemas(), securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  };
}

function paths(): Json {
  const all: Record<string, Json> = {};
  for (const operation of OPERATIONS) {
    all[operation.path] = { ...all[operation.path], [operation.method]: described(operation) };
  }
  return all;
}

function described({ path, operationId, summary, description, request, response }: Operation): Json {
  const [, parameter] = /\{(\w+)\}/.exec(path) ?? [];
  const content = { schema: response === null ? {} : reference(response) };
  const ok = { description: 'Successful Response', content: { 'application/json': content } };
  const invalid = {
    description: 'Validation Error',
    content: { 'application/json': { schema: reference('HTTPValidationError') } },
  };
  return {
    ...{ summary, description, operationId },
    ...(parameter !== undefined && {
      parameters: [
        { name: parameter, in: 'path', required: true, schema: { type: 'string', title: titleOf(parameter) } },
      ],
    }),
    ...(request !== null && {
      requestBody: { content: { 'application/json': { schema: reference(request) } }, required: true },
    }),
    responses: { 200: ok, ...((parameter !== undefined || request !== null) && { 422: invalid }) },
  };
}

function reference(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

function schemas(): Json {
  const registry = z.registry<{ id?: string | undefined }>();
  for (const [id, schema] of Object.entries(SCHEMAS)) registry.add(schema, { id });
  const found = z.toJSONSchema(registry, { io: 'input', uri: (id) => `#/components/schemas/${id}` });
  // A copy: schemas that are used twice are one object.
  const copies: Record<string, Json> = JSON.parse(JSON.stringify(found.schemas));
  return Object.fromEntries(Object.entries(copies).map(([id, schema]) => [id, cleaned(schema)]));
}

/** As the older server writes schemas: with titles, without what says nothing. */
function cleaned({ $schema: _, $id: __, propertyNames: ___, ...schema }: Json): Json {
  if (typeof schema.default === 'object') delete schema.default;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  const { type, items, properties, additionalProperties: others } = schema;
  if (others && Object.keys(others).length === 0) schema.additionalProperties = true;
  if (Array.isArray(schema.anyOf)) schema.anyOf = schema.anyOf.map(cleaned);
  if (Array.isArray(type)) {
    schema.anyOf = type.map((one) => ({ type: one }));
    delete schema.type;
  }
  if (items) schema.items = cleaned(items as Json);
  const entries = Object.entries((properties ?? {}) as Record<string, Json>);
  if (entries.length === 0) delete schema.properties;
  else schema.properties = Object.fromEntries(entries.map(([name, one]) => [name, titled(name, one)]));
  return schema;
}

function titled(name: string, property: Json): Json {
  const schema = cleaned(property);
  return schema.$ref === undefined ? { title: titleOf(name), ...schema } : schema;
}

/** `Image Id` for `image_id`. */
function titleOf(name: string): string {
  return name
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
}
