// What the bench of attacks is asked for, how it rates runs, and what it keeps when it is interrupted.
import { afterAll, describe, expect, test } from 'vitest';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findAttack } from '../../bench/abuse/attacks/all.ts';
import { isStored, toStoredRow, readStoredRows, writeStoredResults } from '../../bench/abuse/stored-rows.ts';
import type { StoredResults } from '../../bench/abuse/stored-rows.ts';
import { countSlowFirst, disturbanceOf } from '../../bench/abuse/measure.ts';
import type { Run } from '../../bench/abuse/measure.ts';
import { readPlan, rowsOf } from '../../bench/abuse/plan.ts';
import type { Plan } from '../../bench/abuse/plan.ts';
import { readProcessorTicks, stolenSince } from '../../bench/abuse/stolen-time.ts';
import { concludeRuns, isDecided } from '../../bench/abuse/table.ts';
import { describeMachine } from '../../bench/results.ts';

const folder = mkdtempSync(join(tmpdir(), 'partner-abuse-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

const [steady, burst] = [findAttack('previews'), findAttack('half-open-burst')];
/** The goal is a p99 of 30 ms. */
const control = { p50: 2, p99: 10, delayMs: 5 };

const runOf = (p99: number, change: Partial<Run> = {}): Run => ({
  p50: 2,
  p99,
  failures: {},
  holdMs: 5,
  delayMs: 8,
  ownDelayMs: 4,
  peakMb: 1,
  keptMb: 0,
  slowUntilMs: () => 0,
  attacker: { 200: 3 },
  attackerMb: 1,
  stolen: 0,
  ...change,
});

function planOf(...args: readonly string[]): Plan {
  const plan = readPlan(args);
  if (typeof plan === 'string') throw new Error('There is a plan.');
  return plan;
}

test('stolen time is read as a part of all processor time, and is none where nobody tells', () => {
  const path = join(folder, 'stat');
  writeFileSync(path, 'cpu  100 20 30 800 5 1 4 40 7 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n');
  const before = readProcessorTicks(path);
  expect(before).toEqual({ stolen: 40, all: 1000 });
  expect(stolenSince(before, { stolen: 50, all: 1200 })).toBe(0.05);
  expect(stolenSince(readProcessorTicks(join(folder, 'nowhere')), { stolen: 0, all: 0 })).toBe(0);
});

test('a burst is felt until later requests, and those of the next second, reach the goal, and not until the last slow one', () => {
  const run = (slow: (n: number) => boolean): number =>
    countSlowFirst(
      Array.from({ length: 3000 }, (_, n) => (slow(n) ? 31 : 30)),
      30,
    );
  const isLater = (n: number): boolean => n % 200 === 199;
  expect(run(() => false)).toBe(0);
  expect(run(isLater)).toBe(0);
  // Of 200 requests one may be slow.
  expect(run((n) => n < 30)).toBe(29);
  expect(run((n) => n < 30 || isLater(n))).toBe(30);
  expect(run((n) => n < 30 || (n >= 600 && n < 631))).toBe(630);
  expect(run((n) => n >= 2900 && n < 2950)).toBe(2950);
  expect(run(() => true)).toBe(3000);
});

test('a run is disturbed by more stolen time than 2 %, or by a victim that stood still for more than 75 ms', () => {
  const isDisturbed = (stolen: number, ownDelayMs: number): boolean =>
    disturbanceOf({ stolen, ownDelayMs }) > 1;
  expect([isDisturbed(0.02, 75), isDisturbed(0.021, 5), isDisturbed(0, 76)]).toEqual([false, true, true]);
});

describe('runs', () => {
  const conclude = (...p99: readonly number[]) => {
    const { run, sign, isSlow } = concludeRuns(
      p99.map((each) => runOf(each)),
      3,
      steady,
      control,
    );
    return [sign, run.p99, isSlow];
  };

  test('the one in the middle counts', () => {
    expect(conclude(29, 12, 300)).toEqual(['', 29, false]);
    expect(conclude(31, 12, 300)).toEqual(['', 31, true]);
  });

  test('where two of three have decided, the nearest is told that the middle cannot be worse or better than', () => {
    expect(conclude(12, 29)).toEqual(['≤', 29, false]);
    expect(conclude(300, 31)).toEqual(['≥', 31, true]);
  });

  test('are decided by more than half of those that are planned', () => {
    const decided = (...p99: readonly number[]): boolean =>
      isDecided(
        p99.map((each) => runOf(each)),
        3,
        steady,
        control,
      );
    expect([decided(12), decided(12, 31), decided(12, 29), decided(31, 300)]).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });

  test('what must never be counts from all of them, and a burst by how long it is felt', () => {
    const felt = (ms: number): Pick<Run, 'slowUntilMs'> => ({ slowUntilMs: () => ms });
    const runs = [
      runOf(1, { ...felt(600), holdMs: 60, failures: { late: 1 } }),
      runOf(2, { ...felt(400), peakMb: 70 }),
      runOf(3, { ...felt(100), failures: { late: 2 } }),
    ];
    const concluded = concludeRuns(runs, 3, burst, control);
    expect(concluded).toMatchObject({ slowUntilMs: 400, isSlow: false });
    expect(concluded.run).toMatchObject({ p99: 2, holdMs: 60, peakMb: 70, failures: { late: 3 } });
  });
});

describe('rows', () => {
  test('of anybody are three, of a partner two, without bounds one; an attack that no bound holds up has none', () => {
    const cells = (...args: readonly string[]) => rowsOf(planOf(...args)).length;
    expect([cells('churn'), cells('previews'), cells('churn', 'previews', '--unbounded')]).toEqual([3, 2, 1]);
  });

  test('are kept one by one, and not measured again by a run that goes on', () => {
    const { runs, untilDecided, requests, perSecond, households, unbounded } = planOf('previews');
    const asked = { runs, untilDecided, requests, perSecond, households, unbounded };
    const about: Omit<StoredResults, 'form' | 'rows'> = {
      startedAt: '2026-11-22T12:00:00.000Z',
      endedAt: '2026-11-22T12:01:00.000Z',
      version: { commit: 'c'.repeat(40), isChanged: false },
      machine: describeMachine(),
      asked,
      rowsPlanned: 2,
    };
    const measured = [runOf(29), runOf(31), runOf(12)];
    const concluded = concludeRuns(measured, 3, steady, control);
    const row = toStoredRow({
      attack: steady,
      limits: 'off',
      from: 'other',
      control,
      runs: measured,
      ...concluded,
    });
    const path = join(folder, 'kept', 'abuse.json');
    writeStoredResults(path, { ...about, rows: [row] });
    expect(readdirSync(join(folder, 'kept'))).toEqual(['abuse.json']);
    const rows = readStoredRows(path, asked);
    expect(rows).toEqual([row]);
    expect(row).toMatchObject({ attack: 'previews', slowUntilMs: null, median: { p99: 29 }, missed: [] });
    expect(rowsOf(planOf('previews')).map((planned) => isStored(rows, planned))).toEqual([true, false]);
    expect(() => readStoredRows(path, { ...asked, runs: 1 })).toThrow(`${path} was measured otherwise`);
  });
});
