import { expect, test } from 'vitest';
import { DEVICE_TYPES } from '../../../src/domain/fleets/devices.ts';
import { FAULT_CODES } from '../../../src/simulation/household/faults.ts';
import type { FaultCode } from '../../../src/simulation/household/faults.ts';
import { GOLDEN_DESCRIPTIONS, GOLDEN_FAULTS, GOLDEN_SEEDS, hashDescriptions, hashFaults } from './golden.ts';

// What is drawn for a device never changes, and each code and seed draws something else.

test('devices get the faults that they always got', () => {
  const hashes = Object.fromEntries(FAULT_CODES.map((code) => [code, hashFaults(code)]));
  expect(hashes).toEqual(GOLDEN_FAULTS);
  expect(new Set(Object.values(hashes)).size).toBe(FAULT_CODES.length);
});

test('devices have the names, makers and ratings that they always had', () => {
  const hashes = GOLDEN_SEEDS.map(hashDescriptions);
  expect(hashes).toEqual(GOLDEN_DESCRIPTIONS);
  expect(new Set(hashes).size).toBe(GOLDEN_SEEDS.length);
});

test('a code or a device type that comes before the others leaves their faults as they are', () => {
  const codes = Object.keys(GOLDEN_FAULTS) as FaultCode[];
  const lists: readonly string[][] = [FAULT_CODES as string[], DEVICE_TYPES as string[]];
  for (const list of lists) list.unshift('new');
  try {
    expect(Object.fromEntries(codes.map((code) => [code, hashFaults(code)]))).toEqual(GOLDEN_FAULTS);
  } finally {
    for (const list of lists) list.shift();
  }
});
