import type { components } from '../../generated/openapi.ts';
import { createLineMaker, panelOfLines, toDayChart } from './day-chart.ts';
import type { DayChart, Panel } from './day-chart.ts';
import type { LocalClock, LocalDay } from './local-days.ts';

/** What households did together in a period, of a fleet or of one household. */
export type DayEntry = components['schemas']['HouseholdDataEntry'];

interface HomeDay {
  readonly entries: readonly DayEntry[];
  readonly day: LocalDay;
  readonly clock: LocalClock;
  /** Prices and schedules, where there are any. */
  readonly prices: readonly Panel[];
}

/** Power, prices and temperatures of one home or of those of a fleet, a value for each quarter hour. */
export function chartHomes({ entries, day, clock, prices }: HomeDay): DayChart {
  const { power, temperature } = createLineMaker(entries, day);
  const powers: Panel = {
    name: 'Power',
    unit: 'kW',
    height: 'tall',
    above: [
      power('Other load', 'load', (entry) => entry.load_power_w),
      power('Heat pumps', 'heat-pump', (entry) => entry.heat_pump_power_w),
      power('Vehicles', 'vehicle', (entry) => entry.vehicle_power_w),
      power('Batteries, charging', 'battery', (entry) => charging(entry.battery_power_w)),
    ],
    below: [
      power('Panels', 'pv', (entry) => entry.pv_power_w),
      power('Batteries, giving', 'battery', (entry) => giving(entry.battery_power_w)),
    ],
    lines: [power('From the grid', 'text', (entry) => entry.grid_power_w)],
  };
  const temperatures = panelOfLines('Temperature', '°C', [
    temperature('Outdoors', 'text-3', (entry) => entry.outdoor_temperature_c),
    temperature('Rooms with heat pumps', 'heat-pump', (entry) => entry.indoor_temperature_c),
  ]);
  return toDayChart({ entries, day, clock, panels: [powers, ...prices, temperatures] });
}

/** What a battery takes, of the power at which it takes and gives. */
export function charging(watts: number | null): number | null {
  return watts && Math.max(0, watts);
}

/** What a battery gives. */
export function giving(watts: number | null): number | null {
  return watts && Math.max(0, -watts);
}
