import { TODAY } from './day-links.ts';
import { tellGridCost } from './energy-cost.ts';
import type { QuarterPrices } from './energy-cost.ts';
import type { DayEntry } from './home-chart.ts';
import type { FleetEntry } from './fleet-day.ts';
import type { LocalClock } from './local-days.ts';
import { formatEnergy, formatPower } from './quantities.ts';
import { countOf } from './times.ts';
import { joinSentences } from './words.ts';

type EnergyName = {
  [Name in keyof DayEntry]: Name extends `${string}_kwh` ? Name : never;
}[keyof DayEntry];

/** The sum of an energy over the periods of which it is known, kWh. */
export function sumEnergy(entries: readonly DayEntry[], name: EnergyName): number {
  return entries.reduce((sum, entry) => sum + (entry[name] ?? 0), 0);
}

/** The period of which a value is largest; undefined where it is known of none. */
export function findPeak<Entry extends DayEntry>(
  entries: readonly Entry[],
  read: (entry: Entry) => number | null,
): Entry | undefined {
  const known = entries.filter((entry) => read(entry) !== null);
  return known.reduce<Entry | undefined>(
    (peak, entry) => (peak === undefined || (read(entry) ?? 0) > (read(peak) ?? 0) ? entry : peak),
    undefined,
  );
}

interface Told {
  readonly entries: readonly FleetEntry[];
  readonly households: number;
  readonly prices: QuarterPrices;
  readonly clock: LocalClock;
  /** `Today` or the date. */
  readonly dayName: string;
}

/** What the homes did on a day, what it cost, and when they drew most, with what it was for: three sentences. */
export function tellFleetDay({ entries, households, prices, clock, dayName }: Told): string {
  if (entries.length === 0) return tellNothing(dayName);
  const energy = (name: EnergyName): string => formatEnergy(sumEnergy(entries, name));
  const done =
    `${dayName} ${countOf(households, 'home')} took ${energy('grid_import_kwh')} from the grid and fed in ` +
    `${energy('grid_export_kwh')}: panels gave ${energy('pv_energy_kwh')}, heat pumps took ${energy('heat_pump_energy_kwh')}, ` +
    `vehicles ${energy('vehicle_energy_kwh')} and all else ${energy('load_energy_kwh')}.`;
  const peak = findPeak(entries, (entry) => entry.grid_power_w);
  const most = peak === undefined || (peak.grid_power_w ?? 0) <= 0 ? '' : tellPeak(peak, clock);
  return joinSentences(done, tellGridCost(entries, prices), most);
}

function tellNothing(dayName: string): string {
  return dayName === TODAY
    ? `${dayName} the fleet has no values yet: its first quarter hour is not over.`
    : `${dayName} the fleet has no values: it did not run then.`;
}

function tellPeak(peak: FleetEntry, clock: LocalClock): string {
  const parts = [
    ['other load', peak.load_power_w],
    ['heat pumps', peak.heat_pump_power_w],
    ['vehicles', peak.vehicle_power_w],
    ['batteries', peak.battery_power_w],
  ] as const;
  const drawn = parts.reduce((sum, [, watts]) => sum + Math.max(0, watts ?? 0), 0);
  const [name, watts] = parts.toSorted(([, a], [, b]) => (b ?? 0) - (a ?? 0))[0] ?? ['other load', 0];
  const share = drawn === 0 ? 0 : Math.round((100 * (watts ?? 0)) / drawn);
  const at = clock.formatTime(new Date(peak.time));
  return `They drew most at ${at}, ${formatPower(peak.grid_power_w ?? 0)}; ${share} % of what was used then went to ${name}.`;
}

/** A large number with what it means and where its cause stands. */
export interface Figure {
  readonly label: string;
  readonly value: string;
  readonly detail: string;
  readonly href: string;
  readonly icon?: string;
}

interface Latest {
  readonly entry: FleetEntry | undefined;
  readonly offline: number;
  readonly isToday: boolean;
  readonly clock: LocalClock;
  /** The page of a household. */
  readonly householdPath: (userId: string) => string;
}

/** What comes from the grid, what panels give, what vehicles take, and who cannot be read; each leads to its cause. */
export function listFigures({ entry, offline, isToday, clock, householdPath }: Latest): readonly Figure[] {
  const none = isToday ? 'No value yet' : 'No value on this day';
  const at = entry === undefined ? none : `At ${clock.formatTime(new Date(entry.time))}`;
  const curve = entry === undefined ? none : `${at}: show the curve`;
  const watts = (value: number | null | undefined): string =>
    value === null || value === undefined ? '–' : formatPower(value);
  const largest = entry?.largest_user_id ?? undefined;
  return [
    {
      label: 'From the grid',
      value: watts(entry?.grid_power_w),
      detail: largest === undefined ? at : `${at}: show the home that draws most`,
      href: largest === undefined ? '#day' : householdPath(largest),
    },
    {
      label: 'Panels',
      icon: 'pv',
      value: watts(entry?.pv_power_w),
      detail: curve,
      href: '#day',
    },
    {
      label: 'Vehicles charging',
      icon: 'vehicle',
      value: watts(entry?.vehicle_power_w),
      detail: curve,
      href: '#day',
    },
    {
      label: 'Offline now',
      value: countOf(offline, 'device'),
      detail: offline === 0 ? 'All devices answer' : 'Which, and since when',
      href: '#exceptions',
    },
  ];
}
