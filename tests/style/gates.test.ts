// What the checks of `make check` must refuse is planted in a copy of the tree; each tool runs once over all of it.
import { realpathSync } from 'node:fs';
import { relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inPackages, PlantedTree } from './planted-tree.ts';

let tree: PlantedTree;
beforeAll(() => {
  tree = new PlantedTree();
});
afterAll(() => tree.remove());

/** The messages of a tool's output by the file that they name. */
function linesByFile(output: string, line: RegExp): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const [, file = '', message = ''] of output.matchAll(line)) (found[file] ??= []).push(message);
  return found;
}

describe('the compiler', () => {
  let errors: Record<string, string[]>;
  beforeAll(async () => {
    tree.replace('src/operations/handlers.ts', /  uploadDayAheadPrices: .*\n/, '');
    tree.append(
      'src/operations/auth.ts',
      "export const planted: Handler<OpenContext, 'requestSignup'> = async () => ({ status: 201, body: {} });\n",
    );
    const { output } = await tree.run(
      inPackages('typescript/bin/tsc'),
      '--incremental',
      'false',
      '--pretty',
      'false',
    );
    errors = linesByFile(output, /^(\S+?)\(\d+,\d+\): error (.*(?:\n .*)*)$/gm);
  });

  test('refuses an operation without a handler', () => {
    expect(errors['src/operations/handlers.ts']).toEqual([expect.stringContaining('uploadDayAheadPrices')]);
  });

  test('refuses a status that the document lacks', () => {
    expect(errors['src/operations/auth.ts']).toEqual([expect.stringContaining('status: 201')]);
  });

  test('takes everything else', () => {
    expect(Object.keys(errors).toSorted()).toEqual(['src/operations/auth.ts', 'src/operations/handlers.ts']);
  });
});

describe('the linter', () => {
  const transaction = (statement: string): string => `import type { Db } from './connection/database.ts';

export async function renameAll(db: Db): Promise<void> {
  await db.transaction().execute(async (tx) => {
    ${statement}tx.updateTable('users').set({ town: 'Graz' }).execute();
    await tx.deleteFrom('rate_limits').execute();
  });
}
`;
  const clock = 'export const STARTED_AT = Date.now();\n';
  /** A function of so many lines. */
  const longFunction = (lines: number): string =>
    `export function add(a: number): number {\n${'  a += 1;\n'.repeat(lines - 3)}  return a;\n}\n`;
  const longFile = (lines: number): string =>
    Array.from({ length: lines }, (_, line) => `export const LINE_${line} = ${line};\n`).join('');
  const listener = (value: string): string =>
    `export function listen(target: { hear?: () => void }): void {\n  const hear = (): void => undefined;\n  hear();\n  target.hear = ${value};\n}\n`;
  const environment = "export const PORT = process.env['PORT'];\n";
  const files: Readonly<Record<string, readonly [text: string, rules: readonly string[]]>> = {
    'src/queries/planted-awaited.ts': [transaction('await '), []],
    'src/queries/planted-floating.ts': [transaction(''), ['@typescript-eslint/no-floating-promises']],
    'src/domain/api/planted-clock.ts': [clock, ['no-restricted-syntax']],
    'src/simulation/kernel/planted-clock.ts': [clock, ['no-restricted-syntax']],
    'src/webhooks/planted-clock.ts': [clock, ['no-restricted-syntax']],
    'src/queries/planted-constant.ts': [listener('hear'), []],
    'src/queries/planted-arrow.ts': [listener('() => undefined'), ['no-restricted-syntax']],
    'src/webhooks/planted-function.ts': [
      listener('function () {\n    hear();\n  }'),
      ['no-restricted-syntax'],
    ],
    'src/http/planted-environment.ts': [environment, ['no-restricted-properties']],
    'src/cli/planted-environment.ts': [environment, []],
    'src/domain/api/planted-upper-case.ts': ['export const LIMIT = 5;\n', []],
    'src/domain/api/planted-camel-case.ts': [
      'export const limit = 5;\n',
      ['@typescript-eslint/naming-convention'],
    ],
    'src/domain/api/planted-60-lines.ts': [longFunction(60), []],
    'src/domain/api/planted-61-lines.ts': [longFunction(61), ['max-lines-per-function']],
    'tools/generate/planted-61-lines.ts': [longFunction(61), ['max-lines-per-function']],
    'src/domain/api/planted-250-lines.ts': [longFile(250), []],
    'src/domain/api/planted-251-lines.ts': [longFile(251), ['max-lines']],
    'tools/generate/planted-251-lines.ts': [longFile(251), ['max-lines']],
  };
  let broken: Record<string, string[]>;
  beforeAll(async () => {
    for (const [file, [text]] of Object.entries(files)) tree.write(file, text);
    const { output } = await tree.run(
      inPackages('eslint/bin/eslint.js'),
      '--config',
      'tests/style/eslint.config.js',
      '--format',
      'json',
      ...Object.keys(files),
    );
    const results = JSON.parse(output) as { filePath: string; messages: { ruleId: string }[] }[];
    broken = Object.fromEntries(
      results.map(({ filePath, messages }) => [
        relative(realpathSync(tree.folder), filePath),
        messages.map(({ ruleId }) => ruleId),
      ]),
    );
  });

  test.each(Object.entries(files).map(([file, [, rules]]) => [file, rules] as const))(
    'finds in %s what breaks %j and nothing else',
    (file, rules) => {
      expect(broken[file]).toEqual(rules);
    },
  );
});

describe('the check of generated files', () => {
  /** The page of an operation that is gone. */
  const leftOver = 'generated/reference/operations/listGone.md';
  const stale = [
    'generated/routes.ts',
    'generated/validate-bodies.js',
    'generated/openapi.json',
    'generated/reference/operations/listUsers.html',
  ];
  let output: string;
  let code: number;
  beforeAll(async () => {
    for (const file of stale) tree.append(file, '\n');
    tree.write(leftOver, '# List what is gone\n');
    ({ output, code } = await tree.run('tools/generate/contract.ts', '--check'));
  });

  test('names the stale ones and no others, and says the cure', () => {
    expect(code).not.toBe(0);
    expect(/Stale: (.*?)\. /.exec(output)?.[1]?.split(', ').toSorted()).toEqual(
      [...stale, leftOver].toSorted(),
    );
    expect(output).toContain('make generate');
  });
});
