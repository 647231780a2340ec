import { afterAll, beforeAll } from 'vitest';

/** A resource that all tests of a file, or of a `describe`, share: made before the first, disposed of after the last. */
export function fileFixture<T extends { dispose(): unknown }>(make: () => Promise<T>): T {
  let made: T | undefined;
  beforeAll(async () => {
    made = await make();
  });
  afterAll(async () => {
    await made?.dispose();
  });
  return new Proxy({} as T, {
    get(_, name) {
      if (!made) throw new Error('the fixture exists only while tests run');
      const value: unknown = Reflect.get(made, name, made);
      return typeof value === 'function' ? value.bind(made) : value;
    },
  });
}
