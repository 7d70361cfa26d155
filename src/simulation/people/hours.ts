/** Hours of a day that has no beginning: what comes before midnight is near to what comes after it. */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';

const HOURS_PER_DAY = 24;

/** Hours from the middle of a quarter hour 0..95 to an hour, the shorter way. */
export function hoursBetween(quarter: number, hour: number): number {
  const distance = Math.abs((quarter + 0.5) / 4 - hour);
  return Math.min(distance, HOURS_PER_DAY - distance);
}

/** A smooth bump at the 96 quarter hours: 1 at an hour, 0 from its half width (hours) on. */
export function bumpAt(hour: number, halfWidth: number): Float64Array {
  return Float64Array.from({ length: QUARTER_HOURS_PER_DAY }, (_, i) => {
    const away = hoursBetween(i, hour) / halfWidth;
    return away < 1 ? Math.cos((away * Math.PI) / 2) ** 2 : 0;
  });
}

/** Quarter hours from 1 to 5 h. */
const NIGHT_START = 4;
const NIGHT_LENGTH = 16;

/** The mean of a day's 96 quarter hours from 1 to 5 h: what runs all through the night. */
export function nightLevelOf(curve: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < NIGHT_LENGTH; i++) sum += curve[NIGHT_START + i] ?? 0;
  return sum / NIGHT_LENGTH;
}
