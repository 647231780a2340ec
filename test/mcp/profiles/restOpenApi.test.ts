import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openApi } from '../../../src/mcp/profiles/dockerExecutor/rest/openApi.ts';
import { OPERATIONS } from '../../../src/mcp/profiles/dockerExecutor/rest/operations.ts';

const theirs = JSON.parse(
  readFileSync(new URL('captures/docker-executor-openapi.json', import.meta.url), 'utf8'),
) as ReturnType<typeof openApi>;
const ours = JSON.parse(JSON.stringify(openApi('/docker-executor'))) as typeof theirs;

describe('the OpenAPI description of the REST interface', () => {
  it('has exactly the paths, methods, parameters, bodies and statuses of the older server', () => {
    expect(ours.paths).toEqual(theirs.paths);
  });

  it.each(Object.entries(theirs.components.schemas))('has the schema of the older server: %s', (name, schema) => {
    expect(ours.components.schemas[name]).toEqual(schema);
  });

  it('has no schema and no part that the older server lacks, except its address and the token', () => {
    expect(Object.keys(ours.components.schemas).sort()).toEqual(Object.keys(theirs.components.schemas).sort());
    const { servers, security, ...common } = ours;
    expect(Object.keys(common).sort()).toEqual(Object.keys(theirs).sort());
    expect(ours.info).toEqual(theirs.info);
    expect([servers, security]).toEqual([[{ url: '/docker-executor' }], [{ token: [] }]]);
    expect(ours.components.securitySchemes).toEqual({ token: { type: 'http', scheme: 'bearer' } });
  });

  it('lists every operation that is handled', () => {
    expect(Object.values(ours.paths).flatMap((methods) => Object.keys(methods as object))).toHaveLength(
      OPERATIONS.length,
    );
  });
});
