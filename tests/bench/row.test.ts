// From the samples of the rounds to figures, verdicts and lines; and what became of a row since another version.
import { describe, expect, test } from 'vitest';
import { compareRow } from '../../bench/comparison.ts';
import { concludeRow } from '../../bench/row.ts';
import type { Row, Sample } from '../../bench/row.ts';
import {
  CHANGE_HEAD,
  formatChange,
  formatGoals,
  formatRow,
  formatValue,
  ROW_HEAD,
} from '../../bench/table.ts';

const rate: Row = { name: 'GET user', unit: '/s', better: 'more', goals: { toPeer: 1.8, toLimit: 0.5 } };
const time: Row = { name: 'preview', unit: 'ms', better: 'less', goals: { measured: 100 } };

const conclude = (row: Row, ...samples: Sample[]) =>
  concludeRow(
    'part/group',
    row,
    samples.map((sample) => ({ [row.name]: sample })),
  );

describe('figures', () => {
  test('a quotient is taken in each round: a machine that is slow in one slows both', () => {
    const { figures, peer, limit } = conclude(
      rate,
      { measured: 2000, peer: 1000, limit: 4000 },
      { measured: 200, peer: 100, limit: 400 },
      { measured: 1800, peer: 900, limit: 3600 },
    );
    expect(figures.measured?.median).toBe(1800);
    expect(figures.toPeer).toEqual({ median: 2, noise: 0 });
    expect(figures.toLimit).toEqual({ median: 0.5, noise: 0 });
    expect([peer, limit]).toEqual([900, 3600]);
  });

  test('what is not measured has no figure', () => {
    const { figures, peer, limit } = conclude(time, { measured: 40 });
    expect([Object.keys(figures), peer, limit]).toEqual([['measured'], null, null]);
    expect(figures.measured).toEqual({ median: 40, noise: null });
  });

  test.each([[{}], [{ preview: { measured: Number.NaN } }], [{ preview: { measured: 1, limit: Infinity } }]])(
    'a round of %j is an error',
    (round) => {
      expect(() => concludeRow('part/group', time, [round])).toThrow(
        'A round of part/group has no figure of the row "preview".',
      );
    },
  );
});

describe('verdicts', () => {
  const three = (sample: Sample): Sample[] => [sample, sample, sample];

  test.each([
    ['both reached', { measured: 190, peer: 100, limit: 300 }, true],
    ['exactly reached', { measured: 180, peer: 100, limit: 360 }, true],
    ['one missed', { measured: 190, peer: 100, limit: 400 }, false],
    ['both missed', { measured: 100, peer: 100, limit: 400 }, false],
  ])('%s', (_, sample, isMet) => {
    expect(conclude(rate, ...three(sample)).verdict).toMatchObject({ isMet });
  });

  test('less is better where the row says so', () => {
    expect(conclude(time, ...three({ measured: 99 })).verdict?.isMet).toBe(true);
    expect(conclude(time, ...three({ measured: 101 })).verdict?.isMet).toBe(false);
  });

  test('close is what is no further from its goal than it may be wrong', () => {
    const verdictOf = (...values: number[]) =>
      conclude(time, ...values.map((measured) => ({ measured }))).verdict;
    expect(verdictOf(95, 105, 99)).toEqual({ isMet: true, isClose: true });
    expect(verdictOf(103, 105, 97)).toEqual({ isMet: false, isClose: true });
    expect(verdictOf(9, 10.5, 9.9)).toEqual({ isMet: true, isClose: false });
    expect(verdictOf(990, 1050, 900)).toEqual({ isMet: false, isClose: false });
  });

  test('a row without a goal has none, and neither has one whose peer was not measured', () => {
    expect(conclude({ ...time, goals: {} }, { measured: 1 }).verdict).toBeNull();
    expect(conclude(rate, { measured: 1 }).verdict).toBeNull();
  });
});

describe('lines', () => {
  test('a row with everything, one with a value alone, one without a goal', () => {
    const all = conclude(rate, { measured: 1900, peer: 1000, limit: 3000 });
    const lines = [
      ROW_HEAD,
      all,
      conclude(time, { measured: 142 }),
      conclude({ ...time, goals: {} }, { measured: 1 }),
    ];
    expect(
      lines.map((each) => (typeof each === 'string' ? each : formatRow(each)).replaceAll(/ +/g, ' ')),
    ).toEqual([
      ' measured peer limit to peer to limit goal and verdict',
      'GET user 1,900/s 1,000/s 3,000/s 1.90 ±? 0.63 ±? peer >= 1.8, limit >= 0.5: met',
      'preview 142 ms <= 100 ms: missed',
      'preview 1.00 ms -',
    ]);
  });

  test('columns stand below their heads', () => {
    const line = formatRow(conclude(rate, { measured: 1900, peer: 1000, limit: 3000 }));
    for (const [head, end] of [
      ['measured', '1,900/s'],
      ['to peer', '±?'],
    ] as const)
      expect(line.indexOf(end) + end.length).toBe(ROW_HEAD.indexOf(head) + head.length);
    expect(line.indexOf('peer >=')).toBe(ROW_HEAD.indexOf('goal'));
  });

  test.each([
    [12_345.6, '/s', '12,346/s'],
    [36.44, 'ms', '36.4 ms'],
    [0.123, 'ms', '0.12 ms'],
    [-4.25, 'MB', '-4.25 MB'],
    [32, '', '32.0'],
  ] as const)('%d in %s is %s', (value, unit, text) => {
    expect(formatValue(value, unit)).toBe(text);
  });

  test('goals say of what they are', () => {
    expect(formatGoals(rate)).toBe('peer >= 1.8, limit >= 0.5');
    expect(formatGoals({ ...time, goals: { measured: 1000, toLimit: 1.2 } })).toBe(
      '<= 1,000 ms, limit <= 1.2',
    );
  });
});

describe('a row beside another version', () => {
  const rounds = (row: Row, ...values: number[]) => values.map((measured) => ({ [row.name]: { measured } }));
  const compare = (row: Row, now: number[], then: number[] | undefined) =>
    compareRow('part/group', row, rounds(row, ...now), then && rounds(row, ...then));

  test.each([
    [rate, [120, 121, 119, 120], [100, 101, 99, 100], 'better'],
    [time, [120, 121, 119, 120], [100, 101, 99, 100], 'worse'],
    [rate, [100, 101, 99, 100], [120, 121, 119, 120], 'worse'],
    [time, [100, 101, 99, 100], [120, 121, 119, 120], 'better'],
    [rate, [100, 130, 90, 120], [95, 120, 100, 105], 'within noise'],
    [rate, [300, 300], [100, 100], 'too few rounds'],
    [rate, [300, 300, 300], undefined, 'not there then'],
  ] as const)('%j: %j and then %j is %s', (row, now, then, verdict) => {
    expect(compare(row, [...now], then && [...then]).verdict).toBe(verdict);
  });

  test('a row that the other version does not have in every round is not there', () => {
    const [now, then] = [rounds(rate, 1, 1, 1), [...rounds(rate, 1, 1), {}]];
    expect(compareRow('part/group', rate, now, then)).toMatchObject({ then: null, movement: null });
  });

  test('lines', () => {
    const lines = [
      formatChange(compare(rate, [120, 121, 119, 120], [100, 101, 99, 100])),
      formatChange(compare(rate, [120, 120, 120], undefined)),
    ];
    expect([CHANGE_HEAD, ...lines].map((line) => line.replaceAll(/ +/g, ' '))).toEqual([
      ' now then change noise verdict',
      'GET user 120/s 100/s +20.0% ±3% better',
      'GET user 120/s - - - not there then',
    ]);
  });
});
