// Every rule between rooms is broken once, by files planted from the table in rooms.cjs: a new room is covered by itself, and
// a rule that finds nothing is a failing test.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inPackages, PlantedTree } from './planted-tree.ts';

const require = createRequire(import.meta.url);
type Table = Readonly<Record<string, readonly string[]>>;
const { rooms, wings, owners } = require('./rooms.cjs') as { rooms: Table; wings: Table; owners: Table };
const { forbidden } = require('./rooms.config.cjs') as { forbidden: { name: string }[] };
const root = join(import.meta.dirname, '../..');
const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  dependencies: Readonly<Record<string, string>>;
};

interface Violation {
  readonly from: string;
  readonly to: string;
  readonly rule: string;
}

/** A file that imports one thing, and the rule that it breaks; none where the table allows the import. */
interface Planted {
  readonly file: string;
  readonly imports: string;
  readonly breaks: string | undefined;
}

/** Where a file of a room is planted: in the first of its wings, if it has wings. */
const folderOf = (room: string): string =>
  Object.keys(wings).find((wing) => wing.startsWith(`${room}/`)) ?? room;

/** A file of a room or wing for others to import, planted like those that import it. */
const targetIn = (folder: string): string => `src/${folderOf(folder)}/planted-target.ts`;

/** The way from a folder `depth` levels below the root. */
const importOf = (target: string, depth: number): string => `${'../'.repeat(depth)}${target}`;
const depthOf = (file: string): number => file.split('/').length - 1;

function plantArrow(folder: string, target: string, rule: string | undefined): Planted {
  const kind = rule === undefined ? 'allowed' : 'forbidden';
  const file = `src/${folder}/planted-${kind}-${target.replaceAll('/', '-')}.ts`;
  return { file, imports: importOf(targetIn(target), depthOf(file)), breaks: rule };
}

/** Every arrow of a table that is allowed, and for each row one that is not. */
function plantArrows(table: Table, siblingsOf: (row: string) => readonly string[]): Planted[] {
  return Object.entries(table).flatMap(([row, targets]) => {
    const outside = siblingsOf(row).find((other) => other !== row && !targets.includes(other));
    if (outside === undefined) throw new Error(`${row} may import all others: its row forbids nothing.`);
    const folder = folderOf(row);
    return [
      plantArrow(folder, outside, `arrows-of-${row.replace('/', '-')}`),
      ...targets.map((target) => plantArrow(folder, target, undefined)),
    ];
  });
}

function plantPackages(): Planted[] {
  return Object.entries(owners).map(([name, owning]) => {
    const room = Object.keys(rooms).find((each) => !owning.includes(each)) ?? '';
    const imported = Object.keys(dependencies).find((each) => each === name || each.startsWith(`${name}/`));
    const rule = `owner-of-${name.replace('@', '')}`;
    return {
      file: `src/${folderOf(room)}/planted-${rule.replace('/', '-')}.ts`,
      imports: imported ?? name,
      breaks: rule,
    };
  });
}

const roomsWithWings = [...new Set(Object.keys(wings).map((wing) => wing.split('/')[0] ?? ''))];
const cycle = `src/${folderOf('domain')}/planted-cycle-a.ts`;
const planted: readonly Planted[] = [
  ...plantArrows(rooms, () => Object.keys(rooms)),
  ...plantArrows(wings, (wing) =>
    Object.keys(wings).filter((other) => other.split('/')[0] === wing.split('/')[0]),
  ),
  ...plantPackages(),
  { file: cycle, imports: './planted-cycle-b.ts', breaks: 'no-cycle' },
  { file: 'src/planted/planted.ts', imports: 'node:fs', breaks: 'every-file-in-a-room' },
  ...roomsWithWings.map((room) => ({
    file: `src/${room}/planted.ts`,
    imports: 'node:fs',
    breaks: 'every-file-in-a-wing',
  })),
  {
    file: 'src/cli/planted-tool.ts',
    imports: '../../tools/generate/contract.ts',
    breaks: 'tools-stand-apart',
  },
];

let tree: PlantedTree;
let violations: readonly Violation[];
beforeAll(async () => {
  tree = new PlantedTree();
  for (const folder of [...Object.keys(rooms), ...Object.keys(wings)])
    tree.write(targetIn(folder), 'export {};\n');
  for (const { file, imports } of planted) tree.write(file, `import '${imports}';\n`);
  tree.write(cycle.replace('-a.ts', '-b.ts'), "import './planted-cycle-a.ts';\n");
  const { output } = await tree.run(
    inPackages('dependency-cruiser/bin/dependency-cruiser.mjs'),
    '--config',
    'tests/style/rooms.config.cjs',
    '--output-type',
    'json',
    'src',
    'tools',
  );
  const { summary } = JSON.parse(output) as {
    summary: { violations: { from: string; to: string; rule: { name: string } }[] };
  };
  violations = summary.violations.map(({ from, to, rule }) => ({ from, to, rule: rule.name }));
});
afterAll(() => tree.remove());

describe('the rooms', () => {
  test('of the table are folders', () => {
    const rows = [...Object.keys(rooms), ...Object.keys(wings)];
    expect(rows.filter((row) => !existsSync(join(root, 'src', row)))).toEqual([]);
  });

  test('stand as the table says, allowed arrows included', () => {
    const breaking = new Set(planted.filter(({ breaks }) => breaks !== undefined).map(({ file }) => file));
    const unexpected = violations.filter(({ from }) => !breaking.has(from));
    expect(unexpected.map(({ from, to, rule }) => `${rule}: ${from} -> ${to}`)).toEqual([]);
  });

  test.each(forbidden.map(({ name }) => name))('the rule %s finds what breaks it', (name) => {
    const breaking = planted.filter(({ breaks }) => breaks === name).map(({ file }) => file);
    const found = violations.filter(({ rule }) => rule === name).map(({ from }) => from);
    expect(breaking).not.toEqual([]);
    expect(breaking.filter((file) => !found.includes(file))).toEqual([]);
  });
});
