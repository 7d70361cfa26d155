// What `make bench` can be asked for, what it keeps, and the versions that it compares.
import { afterAll, describe, expect, test } from 'vitest';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareRow } from '../../bench/comparison.ts';
import { GROUPS, PARTS } from '../../bench/groups.ts';
import { readOptions, USAGE } from '../../bench/options.ts';
import { checkOutVersion, describeTree, findCommit } from '../../bench/other-version.ts';
import { describeMachine, nameResults, toResults, writeResults } from '../../bench/results.ts';
import { concludeRow } from '../../bench/row.ts';
import type { Row } from '../../bench/row.ts';
import { openGroup, ROOT } from '../../bench/version.ts';

const folder = mkdtempSync(join(tmpdir(), 'partner-bench-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('arguments', () => {
  const namesOf = (args: readonly string[]): readonly string[] => {
    const asked = readOptions(args);
    return typeof asked === 'string' ? [asked] : asked.groups.map(({ name }) => name);
  };

  test('without names all groups are measured, by a name those of the part or the one group', () => {
    expect(namesOf([])).toEqual(GROUPS.map(({ name }) => name));
    expect(namesOf(['webhooks'])).toEqual(['webhooks/claims', 'webhooks/deliveries', 'webhooks/latency']);
    expect(namesOf(['webhooks/claims', 'simulation/years'])).toEqual(['webhooks/claims', 'simulation/years']);
    expect(namesOf(['webhooks/claims', 'webhooks'])).toHaveLength(3);
  });

  test('options', () => {
    expect(readOptions(['--rounds', '3', '--json', 'a.json', '--compare', 'HEAD~2'])).toMatchObject({
      rounds: 3,
      json: 'a.json',
      compare: 'HEAD~2',
    });
    expect([readOptions(['--help']), readOptions(['-h']), readOptions(['--list'])]).toEqual([
      'help',
      'help',
      'list',
    ]);
  });

  test.each([
    [['nothing'], 'There is no part nothing. There are: '],
    [['--rounds', '0'], '--rounds takes a number from 1: 0.'],
    [['--rounds', 'many'], '--rounds takes a number from 1: many.'],
    [['--faster'], "Unknown option '--faster'"],
  ])('%j is refused', (args, message) => {
    expect(() => readOptions(args)).toThrow(message);
  });

  test('the help names every part, group and option', () => {
    const options = ['--rounds', '--json', '--compare', '--list', '--help', 'COMPARE=', 'abuse'];
    for (const name of [...PARTS, ...GROUPS.map((group) => group.name), ...options])
      expect(USAGE).toContain(name);
  });
});

describe('groups', () => {
  test('each row has a name of its own, and each group is in its file', async () => {
    const names = GROUPS.flatMap(({ rows }) => rows.map(({ name }) => name));
    expect(names.filter((name, i) => names.indexOf(name) < i)).toEqual([]);
    for (const { name, file } of GROUPS) {
      const module = (await import(join(ROOT, 'bench', file))) as Record<string, unknown>;
      expect(Object.values(module).flat()).toContainEqual(expect.objectContaining({ name }));
    }
  });

  test('a group is measured in a process of its own, which ends when it is closed', async () => {
    const [years] = GROUPS.filter(({ name }) => name === 'simulation/years');
    if (years === undefined) throw new Error('There are household-years.');
    const opened = await openGroup(ROOT, years, { isCompared: false });
    const samples = await opened.round();
    await opened.close();
    expect(Object.keys(samples)).toEqual(years.rows.map(({ name }) => name));
    await opened.close();
  });

  test('what goes wrong in that process is told', async () => {
    const options = { isCompared: false };
    await expect(openGroup(ROOT, { file: 'simulation.ts', name: 'none' }, options)).rejects.toThrow(
      'bench/simulation.ts has no group none.',
    );
    await expect(openGroup(ROOT, { file: 'none.ts', name: 'none' }, options)).rejects.toThrow(
      'Cannot find module',
    );
  });
});

describe('results', () => {
  const row: Row = { name: 'GET user', unit: '/s', better: 'more', goals: { toLimit: 0.5 } };
  const rounds = [1, 2, 3].map((measured) => ({ 'GET user': { measured, limit: 2 * measured } }));
  const run = {
    version: { commit: 'c'.repeat(40), isChanged: false },
    machine: describeMachine(),
    startedAt: new Date(0),
    endedAt: new Date(60_000),
  };

  test('are kept whole, and read back as they were', () => {
    const path = join(folder, 'kept', nameResults(run.startedAt, run.version.commit));
    const results = toResults({ ...run, rows: [concludeRow('requests', row, rounds)] });
    writeResults(path, results);
    expect(path).toMatch(/1970-01-01T00-00-00-ccccccc\.json$/);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(results);
    expect(results).toMatchObject({
      form: 1,
      startedAt: '1970-01-01T00:00:00.000Z',
      endedAt: '1970-01-01T00:01:00.000Z',
      rows: [
        {
          group: 'requests',
          name: 'GET user',
          goals: { toLimit: 0.5 },
          samples: rounds.map((round) => round['GET user']),
          limit: 4,
          peer: null,
          figures: { measured: { median: 2 }, toLimit: { median: 0.5, noise: 0 } },
          verdict: { isMet: true, isClose: true },
        },
      ],
    });
  });

  test('of a comparison name the other commit and what became of each row', () => {
    const change = compareRow('requests', row, rounds, undefined);
    const results = toResults({ ...run, rows: [change.row], comparison: { commit: 'd', changes: [change] } });
    expect(results.comparedWith).toBe('d');
    expect(results.changes).toEqual([
      { group: 'requests', name: 'GET user', then: null, movement: null, verdict: 'not there then' },
    ]);
  });
});

describe('another version', () => {
  test('is that commit with the measuring files of this tree, and goes without a trace', () => {
    const { commit } = describeTree();
    const other = checkOutVersion('HEAD');
    try {
      expect(other.commit).toBe(commit);
      expect(findCommit('HEAD')).toBe(commit);
      for (const path of [
        'bench/runner.ts',
        'tests/support/service.ts',
        'src/main.ts',
        'node_modules/kysely',
      ])
        expect(existsSync(join(other.tree, path)), path).toBe(true);
      const ours = readFileSync(join(ROOT, 'bench/runner.ts'), 'utf8');
      expect(readFileSync(join(other.tree, 'bench/runner.ts'), 'utf8')).toBe(ours);
    } finally {
      other.remove();
    }
    expect(existsSync(other.tree)).toBe(false);
  });

  test.each(['nothing-of-this-name', '--all', ''])('"%s" is no commit', (name) => {
    expect(() => checkOutVersion(name)).toThrow(`There is no commit ${name}.`);
  });
});
