import type { components } from '../../generated/openapi.ts';
import type { DeviceType } from '../domain/fleets/devices.ts';
import { createLineMaker, panelOfLines, toDayChart } from './day-chart.ts';
import type { DayChart, Line, Panel } from './day-chart.ts';
import type { DeviceEntry } from './device-day.ts';
import { charging, giving } from './home-chart.ts';
import type { LocalClock, LocalDay } from './local-days.ts';

type Schemas = components['schemas'];

interface EntriesByType {
  readonly electric_vehicle: Schemas['ElectricVehicleDataEntry'];
  readonly heat_pump: Schemas['HeatPumpDataEntry'];
  readonly inverter: Schemas['InverterDataEntry'];
  readonly wallbox: Schemas['WallboxDataEntry'];
}

/** The pictures of a type, that of its power first. */
type ChartEntries<Entry> = (
  entries: readonly Entry[],
  day: LocalDay,
) => readonly [power: Panel, ...others: Panel[]];

const PANELS: { readonly [Type in DeviceType]: ChartEntries<EntriesByType[Type]> } = {
  electric_vehicle: (entries, day) => {
    const { power, percent } = createLineMaker(entries, day);
    return [
      toPowerPanel({ above: [power('Charging', 'vehicle', (entry) => entry.charge_power_w)] }),
      panelOfLines('Charge', '%', [percent('State of charge', 'vehicle', (entry) => entry.soc_percent)]),
    ];
  },
  heat_pump: (entries, day) => {
    const { power, temperature } = createLineMaker(entries, day);
    return [
      toPowerPanel({
        above: [power('Power drawn', 'heat-pump', (entry) => entry.power_w)],
        lines: [power('Heat given', 'load-edge', (entry) => entry.heat_w)],
      }),
      panelOfLines('Temperature', '°C', [
        temperature('Outdoors', 'text-3', (entry) => entry.outdoor_temperature_c),
        temperature('Rooms', 'heat-pump', (entry) => entry.indoor_temperature_c),
        temperature('Hot water', 'text', (entry) => entry.hot_water_temperature_c),
      ]),
    ];
  },
  inverter: (entries, day) => {
    const { power, percent } = createLineMaker(entries, day);
    return [
      toPowerPanel({
        above: [
          power('Load', 'load', (entry) => entry.load_power_w),
          power('Battery, charging', 'battery', (entry) => charging(entry.battery_power_w)),
        ],
        below: [
          power('Panels', 'pv', (entry) => entry.pv_power_w),
          power('Battery, giving', 'battery', (entry) => giving(entry.battery_power_w)),
        ],
        lines: [power('From the grid', 'text', (entry) => entry.grid_power_w)],
      }),
      panelOfLines('Charge', '%', [percent('State of charge', 'battery', (entry) => entry.soc_percent)]),
    ];
  },
  wallbox: (entries, day) => {
    const { power } = createLineMaker(entries, day);
    return [toPowerPanel({ above: [power('Power given', 'wallbox', (entry) => entry.power_w)] })];
  },
};

function toPowerPanel(stacks: {
  readonly above: readonly Line[];
  readonly below?: readonly Line[];
  readonly lines?: readonly Line[];
}): Panel {
  return { name: 'Power', unit: 'kW', height: 'tall', below: [], lines: [], ...stacks };
}

interface DeviceDay {
  readonly type: DeviceType;
  readonly entries: readonly DeviceEntry[];
  readonly day: LocalDay;
  readonly clock: LocalClock;
  /** Prices and schedules, where there are any. */
  readonly prices: readonly Panel[];
}

/** Power, prices, charge and temperatures of a device, a value for each quarter hour. */
export function chartDevice({ type, entries, day, clock, prices }: DeviceDay): DayChart {
  // The operation of a type answers with entries of that type.
  const [powers, ...others] = PANELS[type](entries as readonly never[], day);
  return toDayChart({ entries, day, clock, panels: [powers, ...prices, ...others] });
}
