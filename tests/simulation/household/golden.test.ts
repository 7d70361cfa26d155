import { expect, test } from 'vitest';
import { DEVICE_TYPES } from '../../../src/domain/fleets/devices.ts';
import { FAULT_CODES, SHARED_CAUSES } from '../../../src/simulation/household/faults.ts';
import type { FaultCode, SharedCause } from '../../../src/simulation/household/faults.ts';
import {
  GOLDEN_DESCRIPTIONS,
  GOLDEN_FAULTS,
  GOLDEN_OUTAGES,
  GOLDEN_SEEDS,
  hashDescriptions,
  hashFaults,
  hashOutages,
} from './golden.ts';

// What is drawn for a device never changes, and each code and seed draws something else.

test('devices get the faults that they always got', () => {
  const hashes = Object.fromEntries(FAULT_CODES.map((code) => [code, hashFaults(code)]));
  expect(hashes).toEqual(GOLDEN_FAULTS);
  expect(new Set(Object.values(hashes)).size).toBe(FAULT_CODES.length);
});

test('devices share the outages that they always shared', () => {
  const hashes = Object.fromEntries(SHARED_CAUSES.map((cause) => [cause, hashOutages(cause)]));
  expect(hashes).toEqual(GOLDEN_OUTAGES);
  expect(new Set(Object.values(hashes)).size).toBe(SHARED_CAUSES.length);
});

test('devices have the names, makers and ratings that they always had', () => {
  const hashes = GOLDEN_SEEDS.map(hashDescriptions);
  expect(hashes).toEqual(GOLDEN_DESCRIPTIONS);
  expect(new Set(hashes).size).toBe(GOLDEN_SEEDS.length);
});

test('a code, a device type or a cause that comes before the others leaves their faults as they are', () => {
  const codes = Object.keys(GOLDEN_FAULTS) as FaultCode[];
  const causes = Object.keys(GOLDEN_OUTAGES) as SharedCause[];
  const lists = [FAULT_CODES, DEVICE_TYPES, SHARED_CAUSES] as readonly unknown[] as readonly string[][];
  for (const list of lists) list.unshift('new');
  try {
    expect(Object.fromEntries(codes.map((code) => [code, hashFaults(code)]))).toEqual(GOLDEN_FAULTS);
    expect(Object.fromEntries(causes.map((cause) => [cause, hashOutages(cause)]))).toEqual(GOLDEN_OUTAGES);
  } finally {
    for (const list of lists) list.shift();
  }
});
