import { expect, test } from 'vitest';
import { findNextStay, findStay } from '../../../src/simulation/cars/stays.ts';
import type { VehicleInterval } from '../../../src/simulation/devices/vehicle.ts';

type DrivingOn = (day: number) => readonly VehicleInterval[];

const part = (from: number, to: number, pluggedIn: boolean): VehicleInterval => ({
  from,
  to,
  pluggedIn,
  driven: 0,
});
const ALWAYS: DrivingOn = () => [part(0, 96, true)];
const NEVER: DrivingOn = () => [part(0, 96, false)];
/** At the plug from 18:00 of day 100 to 7:00 of day 101. */
const ONE_NIGHT: DrivingOn = (day) => {
  if (day === 100) return [part(0, 72, false), part(72, 96, true)];
  return day === 101 ? [part(0, 28, true), part(28, 96, false)] : NEVER(day);
};

/** Counts the days that are asked for. */
function counted(drivingOn: DrivingOn): { readonly on: DrivingOn; readonly days: Set<number> } {
  const days = new Set<number>();
  const on: DrivingOn = (day) => {
    days.add(day);
    return drivingOn(day);
  };
  return { days, on };
}

test('a stay goes from when the car is plugged in to when it is unplugged, over midnight', () => {
  for (const quarter of [100 * 96 + 72, 101 * 96 + 27]) {
    expect(findStay(ONE_NIGHT, quarter)).toEqual({ first: 100 * 96 + 72, end: 101 * 96 + 28 });
  }
  expect(findStay(ONE_NIGHT, 100 * 96 + 71)).toBeUndefined();
  expect(findNextStay(ONE_NIGHT, 100 * 96 + 3)).toBe(100 * 96 + 72);
});

test('a car that never leaves is looked after for eight days to either side', () => {
  const { on, days } = counted(ALWAYS);
  expect(findStay(on, 100 * 96 + 50)).toEqual({ first: 93 * 96, end: 108 * 96 });
  expect(days.size).toBe(15);
});

test('a car that never comes is looked for during eight days', () => {
  const { on, days } = counted(NEVER);
  expect(findNextStay(on, 100 * 96 + 50)).toBeNull();
  expect(days.size).toBe(8);
});
