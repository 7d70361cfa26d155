import { expect, test } from 'vitest';
import { OpeningBursts } from '../../src/http/opening-bursts.ts';

const LIMITS = { turns: 3, burstMs: 10, restMs: 20 };

/** Whether each of some turns, a millisecond each, is one of a burst: in those that are named a connection is opened. */
function playTurns(opened: readonly number[], last: number): readonly number[] {
  const bursts = new OpeningBursts(LIMITS);
  const turns = Array.from({ length: last + 1 }, (_, turn) => turn);
  return turns.filter((turn) => {
    if (opened.includes(turn)) bursts.noteOpening(turn, turn);
    return bursts.isOn(turn, turn);
  });
}

const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, n) => from + n);

test('a burst begins with the third turn in a row in which a connection is opened, and ends with the first without one', () => {
  expect(playTurns([1, 2, 4, 5, 6, 7, 9], 12)).toEqual([6, 7]);
});

test('several that are opened in one turn are of that turn', () => {
  const bursts = new OpeningBursts(LIMITS);
  for (let n = 0; n < 5; n++) bursts.noteOpening(1, 1);
  expect(bursts.isOn(1, 1)).toBe(false);
});

test('a burst is over after its time, and there is none for another time behind it', () => {
  expect(playTurns(range(1, 50), 50)).toEqual([...range(3, 12), ...range(33, 42)]);
});
