/** The shape of a day of many heat pumps together: how much less they run at night and at noon than in their highest hour. */
import { QUARTER_HOURS_PER_DAY } from '../../src/domain/api/durations.ts';
import type { PlaceYear } from './heat-pump-years.ts';
import { rowWithin } from './row.ts';
import type { Row } from './row.ts';
import { mean } from './statistics.ts';

const HOURS = 24;
const QUARTERS_AN_HOUR = 4;
/** Central European time is so far ahead of UTC on the days that are pooled, h. */
const AHEAD_H = 1;
const COLDER_THAN_C = 5;
const NIGHT_HOURS = [0, 1, 2, 3];
const NOON_HOURS = [11, 12, 13];

/** Mean power by local hour on days colder than 5 C, W. */
function hoursOfColdDays({ powerW, dayMeansC }: PlaceYear): number[] {
  const sums = new Float64Array(HOURS);
  for (const [day, meanC] of dayMeansC.entries()) {
    if (meanC >= COLDER_THAN_C) continue;
    for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
      const hour = (Math.floor(i / QUARTERS_AN_HOUR) + AHEAD_H) % HOURS;
      sums[hour] = (sums[hour] ?? 0) + (powerW[day * QUARTER_HOURS_PER_DAY + i] ?? 0);
    }
  }
  return Array.from(sums);
}

/**
 * Rows of a place. British pumps with timed heating peak in the morning and fall to 40 % of that at night (RHPP); the profile of a
 * German network operator at 0 and 5 C has a lowest hour of .79 to .87 of the highest. Between both lies Central Europe.
 */
export function shapeRows(place: string, letter: string, year: PlaceYear): Row[] {
  const hours = hoursOfColdDays(year);
  const highest = Math.max(...hours);
  const partOf = (asked: readonly number[]): number =>
    mean(asked.map((hour) => hours[hour] ?? NaN)) / highest;
  const known = (part: string, figure: string, truth: string) => ({
    id: `19${letter}${part}`,
    figure: `${place}, days below ${COLDER_THAN_C} C: ${figure}`,
    truth,
    source: 'RHPP, 700 sites; profile of a German network operator (no measurement)',
  });
  return [
    rowWithin(
      known('8', 'power at 0 to 4 h over that of the highest hour', '.40 (UK) to about .9 (Germany)'),
      partOf(NIGHT_HOURS),
      [0.4, 0.9],
    ),
    rowWithin(
      known(
        '9',
        'power at 11 to 14 h over that of the highest hour',
        'lowest hour .79 to .87 (Germany), two peaks (UK)',
      ),
      partOf(NOON_HOURS),
      [0.5, 0.9],
    ),
    rowWithin(
      known('10', 'local hour that is highest', 'the morning (UK)'),
      hours.indexOf(highest),
      [5, 9],
      0,
    ),
  ];
}
