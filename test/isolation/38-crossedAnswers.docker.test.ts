import { expect, it } from 'vitest';
import { crossfire } from './crossfire.ts';
import { isolationEngine } from './harness.ts';
import { serve } from './mcpServer.ts';

it('row 38: concurrent clients get their own results from real sandboxes', async () => {
  const isolated = await isolationEngine({ pool: { size: 4 } });
  const served = await serve(isolated.engine);
  const { foreign, answered } = await crossfire(
    served,
    { clients: 4, calls: 50, atOnce: 1 },
    (mark) => `print('${mark}')`,
  );
  await served.dispose();
  await isolated.dispose();
  expect(foreign).toEqual([]);
  expect(answered).toBe(200);
});
