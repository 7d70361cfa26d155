/** When a car is to be ready (docs/simulation.md#charging-by-price). */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import { WEEKDAYS } from '../control/preferences.ts';
import type { VehiclePreferences } from '../control/preferences.ts';
import { weekdayOf } from '../time/day-type.ts';
import { localQuarterAt, utcQuarterAt } from '../time/local-day.ts';

/** Days after which a car is ready that need never be. */
const LONGEST_WAIT_DAYS = 7;

/**
 * The first `ready_by` in a zone (IANA name) after a quarter hour since 1970, as the quarter hour of UTC that holds it; a week
 * later where no day has one.
 */
export function nextReadyBy(readyBy: VehiclePreferences['ready_by'], zone: string, after: number): number {
  const { localDay } = localQuarterAt(zone, after);
  for (let day = localDay; day <= localDay + LONGEST_WAIT_DAYS; day++) {
    const time = readyBy[WEEKDAYS[weekdayOf(day)] ?? 'monday'];
    if (time === null) continue;
    const at = utcQuarterAt(zone, day, localQuarterOf(time));
    if (at > after) return at;
  }
  return after + LONGEST_WAIT_DAYS * QUARTER_HOURS_PER_DAY;
}

/** The quarter hour of a local day that holds a time HH:MM. */
function localQuarterOf(time: string): number {
  const [hours, minutes] = time.split(':').map(Number);
  return (hours ?? 0) * 4 + Math.floor((minutes ?? 0) / 15);
}
