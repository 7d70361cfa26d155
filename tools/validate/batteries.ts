/** Batteries beside panels: how far they carry a household, and their charge in three weeks. */
import { QUARTER_HOURS_PER_DAY } from '../../src/domain/api/durations.ts';
import type { Household } from '../../src/simulation/household/household.ts';
import type { LineChart } from './charts.ts';
import { rowWithin } from './row.ts';
import type { Row } from './row.ts';
import { FIRST_DAY, eachDay, households } from './sample-fleets.ts';
import { sum } from './statistics.ts';

const WEEKS_SHOWN = [
  { name: 'March', day: 75 },
  { name: 'June', day: 165 },
  { name: 'December', day: 335 },
] as const;

/** Rows of batteries, and the chart of one of them. */
export function measureBatteries(): { rows: Row[]; chart: LineChart } {
  const fleet = households({
    count: 60,
    ev_ownership_fraction: 0,
    annual_consumption_kwh: 5000,
    pv_rating_kw: 5,
    battery_capacity_kwh: 5,
    groups: [{ name: 'a', variation_fraction: 0 }],
  }).map((household): Household => ({ ...household, heat_pump: null }));
  const shown = WEEKS_SHOWN.map(({ name }) => ({ name, points: [] as [number, number][] }));
  let [load, imported, cycles] = [0, 0, 0];
  for (const [index, household] of fleet.entries()) {
    const capacity = household.battery.capacity_kwh * 1e6;
    eachDay(household, (rows, day) => {
      load += sum(rows.load);
      for (const grid of rows.grid) imported += Math.max(0, grid);
      cycles += sum(rows.discharge) / household.battery.efficiency / capacity / fleet.length;
      if (index > 0) return;
      for (const [week, { day: first }] of WEEKS_SHOWN.entries()) {
        const since = day - FIRST_DAY - first;
        if (since < 0 || since > 6) continue;
        for (let i = 0; i < QUARTER_HOURS_PER_DAY; i += 2) {
          shown[week]?.points.push([
            since + i / QUARTER_HOURS_PER_DAY,
            (100 * (rows.stored[i] ?? 0)) / capacity,
          ]);
        }
      }
    });
  }
  const source = 'simulations of the literature, of the same sizes';
  return {
    rows: [
      rowWithin(
        {
          id: 'battery a',
          figure: 'Self-sufficiency at 1 kWp and 1 kWh for each MWh a year',
          truth: '.50 to .62',
          source,
        },
        1 - imported / load,
        [0.5, 0.62],
      ),
      rowWithin(
        { id: 'battery b', figure: 'Full cycles of the battery a year', truth: '200 to 300', source },
        cycles,
        [200, 300],
        0,
      ),
    ],
    chart: {
      title: 'State of charge of a battery of 5 kWh with panels of 5 kWp in three weeks',
      kind: 'lines',
      x: { label: 'Days since the start of the week shown, 0 h UTC', from: 0, to: 7, step: 1 },
      y: { label: 'State of charge, %', from: 0, to: 100, step: 20 },
      series: shown,
    },
  };
}
