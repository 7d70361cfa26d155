import { execFile } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

// Each gate of `make check` is fed one bad input, in a copy of the tree, and one good one.

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);
let copy: string;

beforeEach(() => {
  copy = mkdtempSync(join(tmpdir(), 'partner-gates-'));
  for (const part of [
    'src',
    'tools',
    'generated',
    'openapi',
    'migrations',
    'tests/style',
    'package.json',
    'tsconfig.json',
  ]) {
    cpSync(join(root, part), join(copy, part), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
});
afterEach(() => rmSync(copy, { recursive: true, force: true }));

async function gate(...command: readonly string[]): Promise<{ code: number; output: string }> {
  try {
    const { stdout, stderr } = await run(process.execPath, [...command], { cwd: copy, maxBuffer: 1e8 });
    return { code: 0, output: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, output: stdout + stderr };
  }
}

const binary = (name: string): string => join(root, 'node_modules', name);
const rooms = (): ReturnType<typeof gate> =>
  gate(
    binary('dependency-cruiser/bin/dependency-cruiser.mjs'),
    '--config',
    'tests/style/rooms.config.cjs',
    'src',
    'tools',
  );
const types = (): ReturnType<typeof gate> => gate(binary('typescript/bin/tsc'), '--incremental', 'false');
const lint = (file: string): ReturnType<typeof gate> =>
  gate(binary('eslint/bin/eslint.js'), '--config', 'tests/style/eslint.config.js', file);
const contract = (): ReturnType<typeof gate> => gate('tools/generate/contract.ts', '--check');

describe('the rooms', () => {
  test('stand as they are', async () => {
    expect(await rooms()).toMatchObject({ code: 0 });
  });

  test.each([
    ['domain/api/planted.ts', '../queries/connection/database.ts', 'arrows-of-domain'],
    ['queries/planted.ts', '../operations/context.ts', 'arrows-of-queries'],
    ['simulation/planted.ts', '../queries/connection/database.ts', 'arrows-of-simulation'],
    ['operations/planted.ts', '../webhooks/dispatcher.ts', 'arrows-of-operations'],
  ])('refuse an arrow back from %s to %s', async (file, target, rule) => {
    writeFileSync(
      join(copy, 'src', file),
      `export type { Planted } from '${target}';\nexport * from '${target}';\n`,
    );
    const { code, output } = await rooms();
    expect(code).not.toBe(0);
    expect(output).toContain(rule);
  });

  test('refuse a package outside its room', async () => {
    writeFileSync(join(copy, 'src/operations/planted.ts'), "export { sql } from 'kysely';\n");
    const { code, output } = await rooms();
    expect(code).not.toBe(0);
    expect(output).toContain('owner-of-');
  });

  test('refuse a cycle', async () => {
    writeFileSync(
      join(copy, 'src/domain/api/planted-a.ts'),
      "export { b } from './planted-b.ts';\nexport const a = 1;\n",
    );
    writeFileSync(
      join(copy, 'src/domain/api/planted-b.ts'),
      "export { a } from './planted-a.ts';\nexport const b = 1;\n",
    );
    const { code, output } = await rooms();
    expect(code).not.toBe(0);
    expect(output).toContain('no-cycle');
  });
});

describe('the compiler', () => {
  test('takes the tree as it is', async () => {
    expect(await types()).toMatchObject({ code: 0 });
  });

  test('refuses an operation without a handler', async () => {
    const path = join(copy, 'src/operations/handlers.ts');
    writeFileSync(path, readFileSync(path, 'utf8').replace(/  uploadDayAheadPrices: .*\n/, ''));
    const { code, output } = await types();
    expect(code).not.toBe(0);
    expect(output).toContain('uploadDayAheadPrices');
  });

  test('refuses a status that the document lacks', async () => {
    appendFileSync(
      join(copy, 'src/operations/auth.ts'),
      "export const planted: Handler<OpenContext, 'requestSignup'> = async () => ({ status: 201, body: {} });\n",
    );
    const { code, output } = await types();
    expect(code).not.toBe(0);
    expect(output).toContain('src/operations/auth.ts');
  });
});

describe('the linter', () => {
  const file = 'src/queries/planted.ts';
  const planted = (statement: string): string =>
    `import type { Db } from './connection/database.ts';

export async function renameAll(db: Db): Promise<void> {
  await db.transaction().execute(async (tx) => {
    ${statement}tx.updateTable('users').set({ town: 'Graz' }).execute();
    await tx.deleteFrom('rate_limits').execute();
  });
}
`;

  test('takes a statement that is awaited', async () => {
    writeFileSync(join(copy, file), planted('await '));
    expect(await lint(file)).toMatchObject({ code: 0 });
  });

  test('refuses a floating promise in a transaction', async () => {
    writeFileSync(join(copy, file), planted(''));
    const { code, output } = await lint(file);
    expect(code).not.toBe(0);
    expect(output).toContain('no-floating-promises');
  });

  test('refuses a clock in a pure room', async () => {
    writeFileSync(join(copy, 'src/domain/api/planted.ts'), 'export const at = Date.now();\n');
    expect((await lint('src/domain/api/planted.ts')).output).toContain('no-restricted-syntax');
  });
});

describe('the generated files', () => {
  test('are those of the document', async () => {
    expect(await contract()).toMatchObject({ code: 0 });
  });

  test.each(['generated/routes.ts', 'generated/validate-bodies.js', 'generated/openapi.json'])(
    'are refused when %s is stale',
    async (file) => {
      appendFileSync(join(copy, file), '\n// planted\n');
      const { code, output } = await contract();
      expect(code).not.toBe(0);
      expect(output).toContain(`Stale: ${file}`);
      expect(output).toContain('make generate');
    },
  );
});
