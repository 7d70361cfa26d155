/** A picture of what is stored in some cars. */
import { QUARTER_HOURS_PER_DAY } from '../../src/domain/api/durations.ts';
import { UNSTEERED } from '../../src/simulation/control/steering.ts';
import type { Household } from '../../src/simulation/household/household.ts';
import { createHouseholdModel } from '../../src/simulation/model/model.ts';
import type { LineSeries } from './charts.ts';
import type { Picture } from './picture.ts';
import { households } from './sample-fleets.ts';
import { WEEKS } from './weeks.ts';

const DAYS = 21;
const SHOWN = ['single_working', 'family_two_children', 'couple_retired'] as const;
const NAMES: Readonly<Record<(typeof SHOWN)[number], string>> = {
  single_working: 'single, working',
  family_two_children: 'family, two children',
  couple_retired: 'couple, retired',
};

/** State of charge hour by hour, percent. */
function chargesOf(household: Household): [number, number][] {
  const capacity = (household.electric_vehicle?.battery_kwh ?? NaN) * 1e6;
  const model = createHouseholdModel({ ...household, heat_pump: null }, UNSTEERED);
  return Array.from({ length: DAYS }, (_, day) => {
    const { vehicleStored } = model.day(WEEKS.winter + day);
    return Array.from({ length: 24 }, (_, hour): [number, number] => [
      day + hour / 24,
      (100 * (vehicleStored[(hour * QUARTER_HOURS_PER_DAY) / 24] ?? 0)) / capacity,
    ]);
  }).flat();
}

/** Three cars through three weeks of winter. */
export function drawCarCharges(): Picture {
  const fleet = households({ count: 100, ev_ownership_fraction: 1 });
  const series = SHOWN.flatMap((profile): LineSeries[] => {
    const household = fleet.find((its) => its.profile === profile);
    return household ? [{ name: NAMES[profile], points: chargesOf(household) }] : [];
  });
  return {
    name: 'car-state-of-charge',
    words:
      'Lines: the state of charge of three cars through three weeks of winter; it falls with each drive and rises while the car is plugged in, each driver by own habits.',
    charts: [
      {
        kind: 'lines',
        title: 'State of charge of three cars in three weeks of January and February',
        x: { label: 'Days since Monday 20 January 2025, 0 h UTC', from: 0, to: DAYS, step: 7 },
        y: { label: 'State of charge, %', from: 0, to: 100, step: 20 },
        series,
      },
    ],
  };
}
