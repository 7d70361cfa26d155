import { expect, test } from 'vitest';
import { findCitusPrograms } from './extension.ts';

const have =
  (...paths: readonly string[]) =>
  (path: string): boolean =>
    paths.includes(path);

test('the newest PostgreSQL that has Citus is taken', () => {
  const list = (): string[] => ['9.6', '15', '16', '17'];
  const found = findCitusPrograms(
    list,
    have('/usr/lib/postgresql/15/lib/citus.so', '/usr/lib/postgresql/16/lib/citus.so'),
  );
  expect(found).toBe('/usr/lib/postgresql/16/bin');
  expect(findCitusPrograms(list, have())).toBeUndefined();
  expect(findCitusPrograms(() => [], have())).toBeUndefined();
});
