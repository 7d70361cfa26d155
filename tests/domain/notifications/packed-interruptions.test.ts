import { expect, test } from 'vitest';
import { CONDITION_CODES } from '../../../src/domain/notifications/conditions.ts';
import type { Interruption } from '../../../src/domain/notifications/interruptions.ts';
import {
  packInterruptions,
  unpackInterruptions,
} from '../../../src/domain/notifications/packed-interruptions.ts';

const BEGIN_MS = Date.parse('2026-11-21T10:07:00.123Z');
/** Of each code one that is over and one that holds. */
const interruptions: readonly Interruption[] = CONDITION_CODES.flatMap((code, at) => {
  const begun = { code, readUntilMs: BEGIN_MS + at, unsteeredFrom: 1_900_000 + at };
  return [
    { ...begun, endedAtMs: BEGIN_MS + 4_567, unsteeredTo: 1_900_010 },
    { ...begun, endedAtMs: null, unsteeredTo: null },
  ];
});

test('interruptions come out as they were packed, also on another thread', () => {
  const packed = packInterruptions(interruptions);
  expect(unpackInterruptions(packed)).toEqual(interruptions);
  expect(unpackInterruptions(structuredClone(packed))).toEqual(interruptions);
  expect(unpackInterruptions(packInterruptions([]))).toEqual([]);
  expect(unpackInterruptions(undefined)).toEqual([]);
});

test('an interruption has 40 bytes', () => {
  expect(packInterruptions(interruptions).byteLength).toBe(40 * interruptions.length);
});

test('what is no condition is an error', () => {
  expect(() => unpackInterruptions(new Float64Array([99, 1, 2, 3, 4]))).toThrow(RangeError);
});
