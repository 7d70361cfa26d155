/** What prices that move heat in time make of the bills of a year, and of the temperatures. */
import { FIRST_DAY, YEAR_DAYS, measureYear, pricesOf, pumpsOf } from './bills.ts';
import type { SteeredYear } from './bills.ts';
import { PRICE_MARKETS } from './price-year.ts';
import type { MarketName } from './price-year.ts';
import { rowWithin } from './row.ts';
import type { Row } from './row.ts';
import { mean, sum } from './statistics.ts';

/** Heat pumps in each of five countries; `tools/bills/main.ts` measures as many as are asked for. */
const PUMPS = 4;
const CONSTANT = { from: FIRST_DAY + 20, price: 90 } as const;

/** Saving over a group of years, percent. */
export const savingOf = (years: readonly SteeredYear[], of: 'steered' | 'atSameComfort'): number =>
  100 * (1 - sum(years.map((year) => year[of])) / sum(years.map(({ unsteered }) => unsteered)));

/** Measures so many heat pumps in each country over a year, or over 14 days of one price. */
export function measureMarkets(pumps: number, isConstant = false): Map<MarketName, SteeredYear[]> {
  const span = isConstant ? { first: CONSTANT.from, days: 14 } : { first: FIRST_DAY, days: YEAR_DAYS };
  const markets = Object.keys(PRICE_MARKETS) as MarketName[];
  return new Map(
    markets.map((market) => {
      const book = pricesOf(market, isConstant ? CONSTANT : undefined);
      return [market, pumpsOf(market, pumps).map((pump) => measureYear(pump, book, span))];
    }),
  );
}

/** The rows of steered heat pumps. */
export function measureSteeredHeat(): Row[] {
  const years = [...measureMarkets(PUMPS).values()].flat();
  const constant = [...measureMarkets(PUMPS, true).values()].flat();
  const known = (id: string, figure: string, truth: string) => ({
    id: `steered ${id}`,
    figure: `${years.length} heat pumps in five countries, prices of a year: ${figure}`,
    truth,
    source: 'a plan is the cheapest of all that end as the unsteered house does',
  });
  const dearer = (its: readonly SteeredYear[]): number =>
    its.filter(({ unsteered, atSameComfort }) => atSameComfort > unsteered).length;
  return [
    rowWithin(known('dearer', 'dearer than unsteered at the same comfort', '0'), dearer(years), [0, 0], 0),
    rowWithin(
      known('saving', 'saving, %', '10 to 30 by published trials'),
      savingOf(years, 'steered'),
      [10, 35],
      1,
    ),
    rowWithin(
      known('colder', 'mean indoor temperature less that unsteered, K', '-0.3 to 0.3'),
      mean(years.map(({ warmer }) => warmer)),
      [-0.3, 0.3],
    ),
    rowWithin(
      known('bounds', 'quarter hours out of bounds', '0'),
      sum(years.map(({ outside }) => outside)),
      [0, 0],
      0,
    ),
    rowWithin(
      known('one price', 'saving over 14 days of one price in January, %', 'by COP and own PV alone'),
      savingOf(constant, 'atSameComfort'),
      [0, 25],
      1,
    ),
  ];
}
