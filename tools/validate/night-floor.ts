/** Whether homes use as much at night as in the evening when little is done: what runs all through the night does so then, too. */
import { rowWithin } from './row.ts';
import type { Row } from './row.ts';
import { quantile } from './statistics.ts';

const HALF_HOURS = 48;
/** First day of July in a year that begins in January, and how many it has. */
const JULY = 181;
const DAYS = 31;
const NIGHT = { from: 1, to: 5 } as const;
const EVENING = { from: 19, to: 22 } as const;
const LOW = 0.25;

/** Lower quartile of the half hours between two hours in July. */
function floorOf(
  powers: readonly number[],
  { from, to }: { readonly from: number; readonly to: number },
): number {
  const values: number[] = [];
  for (let i = 0; i < DAYS; i++) {
    const start = (JULY + i) * HALF_HOURS;
    values.push(...powers.slice(start + 2 * from, start + 2 * to));
  }
  return quantile(values, LOW);
}

/** Part of the homes, given their powers by half hour of a year, whose nights in July have a higher floor than their evenings. */
export const shareOfHighNights = (homes: readonly (readonly number[])[]): number =>
  homes.filter((powers) => floorOf(powers, NIGHT) > floorOf(powers, EVENING)).length / homes.length;

export const nightFloorRow = (homes: readonly (readonly number[])[]): Row =>
  rowWithin(
    {
      id: 'night floor',
      figure: `Part of ${homes.length} homes with a higher lower quartile at 1 to 5 h than at 19 to 22 h in July`,
      truth: 'few: who works nights, sits up or is away in the evening',
      source: 'what runs all through the night does so in the evening, too',
    },
    shareOfHighNights(homes),
    [0, 0.15],
  );
