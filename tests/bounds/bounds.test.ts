// Whether `make bounds` notices what it is there for, on one bound of a few lines; and whether what it would try is still there.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Bound, Proof } from '../../bench/abuse/bounds/bound.ts';
import { copyTree, takeOut } from '../../bench/abuse/unbounded.ts';
import { run } from '../process/partner.ts';
import { ALL_BOUNDS } from './all.ts';
import { findUnsound, tryBound } from './trial.ts';

const ROOT = join(import.meta.dirname, '../..');
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'partner-tiny-'));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(join(ROOT, 'node_modules/vitest'), join(folder, 'node_modules/vitest'));
  writeFileSync(join(folder, 'vitest.config.mjs'), 'export default {};\n');
  writeFileSync(
    join(folder, 'with-setup.config.mjs'),
    "export default { test: { globalSetup: 'setup.js' } };\n",
  );
  writeFileSync(join(folder, 'setup.js'), "import './take.js';\nexport default () => undefined;\n");
  writeFileSync(
    join(folder, 'take.js'),
    "export const take = (count) => {\n  if (count > 3) throw new Error('too many');\n  return count;\n};\n",
  );
  writeFileSync(join(folder, 'take.test.js'), TESTS);
});
afterAll(() => rmSync(folder, { recursive: true }));

const TESTS = `import { expect, test } from 'vitest';
import { take } from './take.js';
test('four are refused', () => { expect(() => take(4)).toThrow('too many'); });
test.each([4, 5])('of many (%i) none is taken', (count) => { expect(() => take(count)).toThrow('too many'); });
test('three are taken', () => { expect(take(3)).toBe(3); });
test('all that is asked for is a number', () => { take(1).toFixed(); });
test('nothing works', () => { expect(take(3)).toBe(4); });
`;

const options = (): Parameters<typeof tryBound>[1] => ({
  folder,
  config: 'vitest.config.mjs',
  patienceMs: 60_000,
  limitMs: 300_000,
  env: {},
});

const proof = (title: string, only?: string): Proof => ({
  file: 'take.test.js',
  test: title,
  ...(only === undefined ? {} : { only }),
});
const tiny = (edit: Partial<Bound['edits'][number]>, ...proofs: Bound['proofs']): Bound => ({
  name: 'three at most',
  attacks: [],
  edits: [{ file: 'take.js', from: 'if (count > 3)', to: 'if (count > Infinity)', ...edit }],
  proofs,
});

test('a test that fails without its bound is told from one that survives, and from one that fails for another reason', async () => {
  const outcomes = await tryBound(
    tiny({}, proof('four are refused'), proof('of many', '(5)'), proof('three are taken'), proof('five are')),
    options(),
  );
  expect(outcomes.map(({ verdict, failed, cases }) => [verdict, failed, cases])).toEqual([
    ['red', 1, 1],
    ['red', 1, 1],
    ['green', 0, 1],
    ['absent', 0, 0],
  ]);
  expect(outcomes[0]?.says).toMatch(/^AssertionError: expected \[?Function/i);
  const broken = tiny({ to: 'if (count.length.of)' }, proof('all that is asked for is a number'));
  expect(await tryBound(broken, options())).toMatchObject([{ verdict: 'broken', failed: 1 }]);
});

test('a removal that keeps the runner from all files is told from a test that is not there', async () => {
  const outcomes = await tryBound(tiny({ to: 'if (count >' }, proof('four are refused')), {
    ...options(),
    config: 'with-setup.config.mjs',
  });
  expect(outcomes).toMatchObject([
    { verdict: 'broken', cases: 0, says: expect.stringMatching(/^The runner came to no file: .*Error/) },
  ]);
});

test('a bound that is not found any more, or twice, is stale, and nothing is changed', async () => {
  const before = readFileSync(join(folder, 'take.js'), 'utf8');
  for (const from of ['if (count > 4)', 'count'])
    expect(await tryBound(tiny({ from }, proof('four are refused')), options())).toMatchObject([
      { verdict: 'stale', says: `take.js has ${from === 'count' ? 3 : 0} places like: ${from}` },
    ]);
  expect(readFileSync(join(folder, 'take.js'), 'utf8')).toBe(before);
});

test('a test that fails with its bound, and one that is not there, prove nothing', async () => {
  const proofs = [proof('four are refused'), proof('nothing works'), proof('five are')];
  const unsound = await findUnsound(proofs, options());
  expect(proofs.map((each) => unsound.get(each))).toEqual([
    undefined,
    expect.stringContaining('expected 3 to be 4'),
    'There is no such test.',
  ]);
});

test('each bound is found in the source, which can be read without it, and each test in its file', () => {
  const tree = copyTree();
  try {
    for (const { edits } of ALL_BOUNDS) {
      const putBack = takeOut(tree.folder, edits);
      const files = new Set(edits.map(({ file }) => file).filter((file) => file.endsWith('.ts')));
      // Throws where what is left is no TypeScript.
      for (const file of files) stripTypeScriptTypes(readFileSync(join(tree.folder, file), 'utf8'));
      putBack();
    }
  } finally {
    tree.remove();
  }
  const missing = ALL_BOUNDS.flatMap(({ proofs }) => proofs).filter(
    ({ file, test: title }) => !readFileSync(join(ROOT, file), 'utf8').includes(title),
  );
  expect(missing).toEqual([]);
  const names = ALL_BOUNDS.map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test('the command lists bounds by a part of a name, and knows no other ones', async () => {
  const command = (...args: readonly string[]) =>
    run(process.execPath, [join(import.meta.dirname, 'main.ts'), ...args]);
  expect(await command('--list', 'bytes of a header')).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^bytes of a header \(src\/http\/bounded-server\.ts\)\n {2}tests\/abuse\//),
  });
  expect(await command('--help')).toMatchObject({ code: 0, output: expect.stringContaining('make bounds') });
  expect(await command('no such bound')).toMatchObject({ code: 2 });
});
