import { QUARTER_HOUR_MS } from '../domain/api/durations.ts';
import type { DayEntry } from './home-chart.ts';
import { formatEuros } from './quantities.ts';
import { formatDuration } from './time-spans.ts';

/** Day-ahead prices of quarter hours by their starts, ms since 1970; EUR/MWh. */
export type QuarterPrices = ReadonlyMap<number, number>;

/** What was drawn in a quarter hour, kWh, negative where it was given; null where nobody has read it. */
interface QuarterEnergy {
  readonly time: string;
  readonly kilowattHours: number | null;
}

const KWH_PER_MWH = 1_000;

/**
 * What energy cost at day-ahead prices, in a sentence of its subject. Where prices of some quarter hours are not known it counts the
 * others and says how much of the time they are; empty where none is known.
 */
export function tellCost(subject: string, energies: readonly QuarterEnergy[], prices: QuarterPrices): string {
  const read = energies.flatMap(({ time, kilowattHours }) =>
    kilowattHours === null ? [] : { kilowattHours, price: prices.get(Date.parse(time)) },
  );
  const priced = read.flatMap(({ kilowattHours, price }) =>
    price === undefined ? [] : (kilowattHours / KWH_PER_MWH) * price,
  );
  if (priced.length === 0) return '';
  const cents = Math.round(100 * priced.reduce((sum, euros) => sum + euros, 0));
  const lengthOf = (quarters: readonly unknown[]): string =>
    formatDuration(quarters.length * QUARTER_HOUR_MS);
  const known =
    priced.length === read.length ? '' : `, which are known for ${lengthOf(priced)} of ${lengthOf(read)},`;
  const verb = cents < 0 ? 'earned' : 'cost';
  return `At day-ahead prices${known} ${subject} ${verb} ${formatEuros(Math.abs(cents) / 100)} (without fees and taxes).`;
}

/** What homes took from the grid less what they fed in, at day-ahead prices; empty where none is known. */
export function tellGridCost(entries: readonly DayEntry[], prices: QuarterPrices): string {
  const energies = entries.map(({ time, grid_import_kwh: taken, grid_export_kwh: fedIn }) => ({
    time,
    kilowattHours: taken === null || fedIn === null ? null : taken - fedIn,
  }));
  return tellCost('the exchange with the grid', energies, prices);
}
