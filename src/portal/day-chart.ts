import type { components } from '../../generated/openapi.ts';
import { QUARTER_HOUR_MS } from '../domain/api/durations.ts';
import type { PriceAt } from './fleet-day.ts';
import type { LocalClock, LocalDay } from './local-days.ts';
import { formatPower } from './quantities.ts';

/** What households did together in a period, of a fleet or of one household. */
export type DayEntry = components['schemas']['HouseholdDataEntry'];

type Values = readonly (number | null)[];

/** A line of a chart; `token` is the custom property of its colour and the name of its icon's class. */
interface Line {
  readonly label: string;
  readonly token: string;
  readonly values: Values;
  /** What the readout says at each instant. */
  readonly texts: readonly string[];
  readonly icon?: string;
}

/** One picture above the common axis of time. Areas stand on each other: those of `above` upwards, those of `below` downwards. */
interface Panel {
  readonly name: string;
  readonly unit: string;
  readonly above: readonly Line[];
  readonly below: readonly Line[];
  readonly lines: readonly Line[];
}

/** The pictures of a day, as scripts draw them and tables tell them. */
export interface DayChart {
  /** Seconds since 1970 at which the quarter hours of the day begin, and the end of the day. */
  readonly times: readonly number[];
  /** What the clocks show at each of them. */
  readonly clocks: readonly string[];
  readonly zone: string;
  readonly panels: readonly Panel[];
  /** How many quarter hours there are up to the last one with values; gaps before it count too. */
  readonly known: number;
}

interface DayOf {
  readonly entries: readonly DayEntry[];
  readonly day: LocalDay;
  readonly clock: LocalClock;
  readonly priceAt: PriceAt;
}

/** Power, price and temperatures of a day, a value for each quarter hour; what is not known is null. */
export function chartDay({ entries, day, clock, priceAt }: DayOf): DayChart {
  const byTime = new Map(entries.map((entry) => [Date.parse(entry.time), entry]));
  const starts = listQuarters(day);
  const valuesOf = (read: (entry: DayEntry) => number | null): Values =>
    starts.map((start) => {
      const entry = byTime.get(start.getTime());
      return entry === undefined ? null : read(entry);
    });
  const power = (label: string, token: string, read: (entry: DayEntry) => number | null): Line =>
    toLine(label, token, valuesOf(read), formatPower);
  const prices = starts.map(priceAt);
  const temperature = (label: string, token: string, read: (entry: DayEntry) => number | null): Line =>
    toLine(label, token, valuesOf(read), (value) => `${value.toFixed(1)} °C`);
  return {
    times: [...starts, day.to].map((instant) => instant.getTime() / 1_000),
    clocks: [...starts.map(clock.formatTime), '24:00'],
    zone: clock.zone,
    known: starts.findLastIndex((start) => byTime.has(start.getTime())) + 1,
    panels: [
      {
        name: 'Power',
        unit: 'kW',
        above: [
          power('Other load', 'load', (entry) => entry.load_power_w),
          power('Heat pumps', 'heat-pump', (entry) => entry.heat_pump_power_w),
          power('Vehicles', 'vehicle', (entry) => entry.vehicle_power_w),
          power('Batteries, charging', 'battery', (entry) => atLeastZero(entry.battery_power_w)),
        ],
        below: [
          power('Panels', 'pv', (entry) => entry.pv_power_w),
          power('Batteries, giving', 'battery', (entry) => atLeastZero(negate(entry.battery_power_w))),
        ],
        lines: [power('From the grid', 'text', (entry) => entry.grid_power_w)],
      },
      ...(prices.some((price) => price !== null)
        ? [
            panelOfLines('Price', 'EUR/MWh', [
              toLine('Price', 'text', prices, (price) => `${price.toFixed(2)} EUR/MWh`),
            ]),
          ]
        : []),
      panelOfLines('Temperature', '°C', [
        temperature('Outdoors', 'text-3', (entry) => entry.outdoor_temperature_c),
        temperature('Rooms with heat pumps', 'heat-pump', (entry) => entry.indoor_temperature_c),
      ]),
    ],
  };
}

/** The rows of the table that tells the same: those quarter hours that are over, or have a price. */
export function tabulateChart({ clocks, panels }: DayChart) {
  const lines = panels.flatMap(({ above, below, lines: others }) => [...others, ...above, ...below]);
  const rows = clocks
    .slice(0, -1)
    .map((clock, index) => [{ text: clock }, ...lines.map(({ texts }) => ({ text: texts[index] ?? '' }))]);
  return {
    columns: [{ label: 'From' }, ...lines.map(({ label }) => ({ label, kind: 'number' }))],
    rows: rows.filter((cells) => cells.slice(1).some(({ text }) => text !== NOT_KNOWN)),
  };
}

/** What stands in place of a value that is not known. */
const NOT_KNOWN = '–';

function panelOfLines(name: string, unit: string, lines: readonly Line[]): Panel {
  return { name, unit, above: [], below: [], lines };
}

function toLine(label: string, token: string, values: Values, format: (value: number) => string): Line {
  return { label, token, values, texts: values.map((value) => (value === null ? NOT_KNOWN : format(value))) };
}

function listQuarters({ from, to }: LocalDay): Date[] {
  const count = Math.ceil((to.getTime() - from.getTime()) / QUARTER_HOUR_MS);
  return Array.from({ length: count }, (_, index) => new Date(from.getTime() + index * QUARTER_HOUR_MS));
}

const negate = (value: number | null): number | null => value && -value;
const atLeastZero = (value: number | null): number | null => value && Math.max(0, value);
