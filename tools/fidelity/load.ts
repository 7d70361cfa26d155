/** Household load against the norm profile (docs/simulation.md#targets). */
import { dayTypeOf, normProfileLoad, seasonTerm } from '../../src/simulation/devices/load-profile.ts';
import type { DayType } from '../../src/simulation/devices/load-profile.ts';
import { daySegmentsIn } from '../../src/simulation/time/local-day.ts';
import { dayOfYear } from '../../src/simulation/time/calendar.ts';
import type { Chart } from './charts.ts';
import { FIRST_DAY, LAST_DAY, eachDay, households, mean, sum, within } from './sample-fleets.ts';
import type { Check } from './sample-fleets.ts';
import { QUARTER_HOURS_PER_DAY } from '../../src/domain/api/durations.ts';

const TYPES = ['workday', 'saturday', 'sunday'] as const;
const SEASONS = ['winter', 'transition', 'summer'] as const;

/** The three seasons of the norm profiles, by day of the year 2025. */
function seasonName(doy: number): (typeof SEASONS)[number] {
  if (doy <= 79 || doy >= 305) return 'winter';
  return doy >= 135 && doy <= 257 ? 'summer' : 'transition';
}

interface Curve {
  readonly type: DayType;
  readonly season: string;
  readonly simulated: Float64Array;
  readonly norm: Float64Array;
  days: number;
}

export function measureLoad(): { checks: Check[]; chart: Chart } {
  const fleet = households({ count: 300, ev_ownership_fraction: 0, pv_rating_kw: 0 });
  const curves = new Map<string, Curve>();
  for (const type of TYPES) {
    for (const season of SEASONS) {
      const [simulated, norm] = [
        new Float64Array(QUARTER_HOURS_PER_DAY),
        new Float64Array(QUARTER_HOURS_PER_DAY),
      ];
      curves.set(`${type} ${season}`, { type, season, simulated, norm, days: 0 });
    }
  }
  const { totals, byDay } = addUp(fleet);
  const asked = sum(fleet.map((household) => household.load_annual_kwh * 1e6));
  const quarterMean = asked / 35_040;
  let normMean = 0;
  for (const [localDay, load] of byDay) {
    const doy = dayOfYear(localDay);
    const type = dayTypeOf(localDay, 'DE');
    const curve = curves.get(`${type} ${seasonName(doy)}`);
    if (!curve) continue;
    curve.days += 1;
    for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
      const norm = normProfileLoad(type, (i + 0.5) / 4, seasonTerm(doy, 50));
      normMean += norm / QUARTER_HOURS_PER_DAY / byDay.size;
      curve.norm[i] = (curve.norm[i] ?? 0) + norm;
      curve.simulated[i] = (curve.simulated[i] ?? 0) + (load[i] ?? 0) / quarterMean;
    }
  }
  const errors = [...curves.values()].map(({ simulated, norm, days }) =>
    Math.sqrt(
      mean(Array.from(simulated, (value, i) => (value / days - (norm[i] ?? 0) / days / normMean) ** 2)),
    ),
  );
  const single = totals.map((total, i) => Math.abs(total / ((fleet[i]?.load_annual_kwh ?? 0) * 1e6) - 1));
  return {
    checks: [
      within('Mean day by type and season against H25, largest RMSE', Math.max(...errors), 0, 0.02, 4),
      within('Annual load of a fleet, of that asked', sum(totals) / asked, 0.99, 1.01, 4),
      within('Annual load, largest deviation of a household, %', 100 * Math.max(...single), 0, 1, 2),
    ],
    chart: {
      title: 'Mean load on working days: 300 households and the norm profile H25',
      kind: 'lines',
      x: { label: 'Hour of the day (local time)', from: 0, to: 24, step: 3 },
      y: { label: 'Load, relative to the yearly mean (1)', from: 0, to: 2, step: 0.5 },
      series: SEASONS.flatMap((season, colour) => {
        const curve = curves.get(`workday ${season}`);
        if (!curve) return [];
        const points = (values: Float64Array, scale: number) =>
          Array.from(values, (value, i): [number, number] => [(i + 0.5) / 4, value / curve.days / scale]);
        return [
          { name: season, colour, points: points(curve.simulated, 1) },
          { name: `${season}, norm`, colour, points: points(curve.norm, normMean), isDashed: true },
        ];
      }),
    },
  };
}

/** Energies by household, and of the whole fleet by local day and quarter. */
function addUp(fleet: ReturnType<typeof households>): { totals: number[]; byDay: Map<number, Float64Array> } {
  const byDay = new Map<number, Float64Array>();
  const totals = fleet.map((household) => {
    const daySegments = daySegmentsIn(household.time_zone);
    let total = 0;
    eachDay({ ...household, heat_pump: null }, ({ load }, day) => {
      total += sum(load);
      for (const { from, to, localDay, localQuarter } of daySegments(day)) {
        if (localDay < FIRST_DAY || localDay > LAST_DAY - 1) continue;
        let row = byDay.get(localDay);
        if (!row) byDay.set(localDay, (row = new Float64Array(QUARTER_HOURS_PER_DAY)));
        for (let i = from; i < to; i++) {
          const quarter = localQuarter + i - from;
          row[quarter] = (row[quarter] ?? 0) + (load[i] ?? 0);
        }
      }
    });
    return total;
  });
  // Days on which the clock is changed lack an hour or have one twice, and the year's first hour is the last year's.
  for (const [day, row] of byDay) {
    if (day === FIRST_DAY || clockChanges(day)) byDay.delete(day);
    else if (row.some((value) => value === 0)) throw new Error(`no load in a quarter of day ${day}`);
  }
  return { totals, byDay };
}

function clockChanges(localDay: number): boolean {
  const daySegments = daySegmentsIn('Europe/Berlin');
  const quarters = [localDay - 1, localDay].flatMap((day) =>
    daySegments(day).flatMap((segment) => (segment.localDay === localDay ? segment.to - segment.from : 0)),
  );
  return sum(quarters) !== QUARTER_HOURS_PER_DAY;
}
