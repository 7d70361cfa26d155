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
import { takeTurns } from '../../bench/turns.ts';
import { openGroup, ROOT } from '../../bench/version.ts';
import type { OpenGroup } from '../../bench/version.ts';
import { run } from '../process/partner.ts';

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

describe('turns', () => {
  const openAs = (name: string, asked: string[], failsIn = Infinity): OpenGroup => {
    let rounds = 0;
    return {
      round: async () => {
        asked.push(name);
        rounds += 1;
        if (rounds >= failsIn) throw new Error(`${name} failed`);
        return { row: { measured: rounds } };
      },
      close: async () => void asked.push(`${name} closed`),
    };
  };
  const none = (): never => {
    throw new Error('Nothing drops out.');
  };

  test('each version is the first in every other round', async () => {
    const asked: string[] = [];
    const found = await takeTurns(3, openAs('now', asked), openAs('then', asked), none);
    expect(asked).toEqual(['now', 'then', 'then', 'now', 'now', 'then', 'then closed']);
    expect(found.now).toEqual([1, 2, 3].map((measured) => ({ row: { measured } })));
    expect(found.then).toEqual(found.now);
  });

  test('the other version drops out when it fails, and this one goes on', async () => {
    const [asked, reasons]: [string[], unknown[]] = [[], []];
    const past = openAs('then', asked, 2);
    const found = await takeTurns(3, openAs('now', asked), past, (reason) => reasons.push(reason));
    expect(asked).toEqual(['now', 'then', 'then', 'now', 'now', 'then closed']);
    expect([found.now.length, found.then, reasons]).toEqual([3, undefined, [new Error('then failed')]]);
  });

  test('without another version this one is measured alone', async () => {
    const found = await takeTurns(2, openAs('now', []), undefined, none);
    expect([found.now.length, found.then]).toEqual([2, undefined]);
  });

  test('when this version fails the other one is closed', async () => {
    const asked: string[] = [];
    const turns = takeTurns(2, openAs('now', asked, 1), openAs('then', asked), none);
    await expect(turns).rejects.toThrow('now failed');
    expect(asked).toEqual(['now', 'then closed']);
  });
});

describe('results', () => {
  const row: Row = { name: 'GET user', unit: '/s', better: 'more', goals: { toLimit: 0.5 } };
  const rounds = [1, 2, 3].map((measured) => ({ 'GET user': { measured, limit: 2 * measured } }));
  const whole = {
    version: { commit: 'c'.repeat(40), isChanged: false },
    machine: describeMachine(),
    failures: [],
    startedAt: new Date(0),
    endedAt: new Date(60_000),
  };

  test('are kept whole, and read back as they were', () => {
    const path = join(folder, 'kept', nameResults(whole.startedAt, whole.version.commit));
    const results = toResults({ ...whole, rows: [concludeRow('requests', row, rounds)] });
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
    const results = toResults({
      ...whole,
      rows: [change.row],
      comparison: { commit: 'd', changes: [change] },
    });
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

  test('is measured beside this one, and both are kept', async () => {
    const path = join(folder, 'comparison.json');
    const args = ['simulation/years', '--rounds', '1', '--compare', 'HEAD', '--json', path];
    const { code, output } = await run(process.execPath, [join(ROOT, 'bench/main.ts'), ...args]);
    const results = JSON.parse(readFileSync(path, 'utf8'));
    expect(results.changes.map(({ name, verdict }: never) => [name, verdict])).toEqual([
      ['household-years, one place', 'too few rounds'],
      ['household-years, own places', 'too few rounds'],
    ]);
    expect(results.comparedWith).toBe(findCommit('HEAD'));
    expect(code).toBe(0);
    expect(output).toContain('0 of 2 rows got better and 0 worse by more than noise.');
  });

  test('that is not there ends the bench before anything is measured', async () => {
    const { code, log } = await run(process.execPath, [join(ROOT, 'bench/main.ts'), '--compare', 'nothing']);
    expect([code, log.trim()]).toEqual([2, 'There is no commit nothing.']);
  });

  test('a folder that is no repository has no commit', () => {
    expect(describeTree(folder)).toEqual({ commit: 'unknown', isChanged: false });
  });

  test.each(['nothing-of-this-name', '--all', ''])('"%s" is no commit', (name) => {
    expect(() => checkOutVersion(name)).toThrow(`There is no commit ${name}.`);
  });
});
