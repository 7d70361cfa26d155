import { expect, test } from 'vitest';
import { PlanMemory } from '../../../src/simulation/house/plan-memory.ts';

const codesOf = (window: number): Uint8Array => Uint8Array.from({ length: 96 }, (_, i) => (window + i) % 10);

test('keeps the codes of the last 512 windows', () => {
  const memory = new PlanMemory();
  for (let window = 20_000; window < 21_000; window++) memory.keep(window, codesOf(window));
  const kept = Array.from({ length: 1_000 }, (_, i) => 20_000 + i).filter((window) => memory.has(window));
  expect(kept).toEqual(Array.from({ length: 512 }, (_, i) => 20_488 + i));
  for (const window of [20_488, 20_700, 20_999]) {
    expect(Array.from({ length: 96 }, (_, i) => memory.codeAt(window, i))).toEqual([...codesOf(window)]);
  }
});

test('keeps no window that is longer than any', () => {
  const memory = new PlanMemory();
  memory.keep(1, new Uint8Array(105));
  expect(memory.has(1)).toBe(false);
});
