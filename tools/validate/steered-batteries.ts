/** What batteries that answer to prices make of a year: what a household pays. */
import { QUARTER_HOURS_PER_DAY, QUARTER_HOUR_MS } from '../../src/domain/api/durations.ts';
import { UNCONTROLLED } from '../../src/simulation/control/household-control.ts';
import { feedInPriceOf } from '../../src/simulation/control/own-power.ts';
import { DEFAULT_INVERTER_PREFERENCES } from '../../src/simulation/control/preferences.ts';
import { steeringOf } from '../../src/simulation/control/steering.ts';
import type { Steering } from '../../src/simulation/control/steering.ts';
import type { Household } from '../../src/simulation/household/household.ts';
import { marketPrices } from './markets.ts';
import { rowWithin } from './row.ts';
import type { Row } from './row.ts';
import { eachDay, households } from './sample-fleets.ts';
import { mean } from './statistics.ts';

const HOUSEHOLDS = 24;

interface Bill {
  /** EUR of the year. */
  readonly plain: number;
  readonly byPrice: number;
  readonly bought: number;
}

/** Rows of households with panels and a battery, and of the same with cars and heat pumps. */
export function measureSteeredBatteries(): Row[] {
  const bare = fleet(0).map((household): Household => ({ ...household, heat_pump: null }));
  return [...rowsOf('alone', 'without', bare), ...rowsOf('shared', 'some with', fleet(0.5))];
}

function fleet(cars: number): Household[] {
  return households({
    count: HOUSEHOLDS,
    ev_ownership_fraction: cars,
    pv_rating_kw_range: { min: 0, max: 12 },
    battery_capacity_kwh_range: { min: 3, max: 15 },
  });
}

function rowsOf(id: string, which: string, fleet: readonly Household[]): Row[] {
  const bills = fleet.map(billOf);
  const source = `${HOUSEHOLDS} households, ${which} cars and heat pumps; a year of prices of two peaks`;
  const saved = (of: (bill: Bill) => number): number => mean(bills.map((bill) => bill.plain - of(bill)));
  const byPrice = saved((bill) => bill.byPrice);
  const figure = (what: string): string => `Saved by a battery that answers to prices, ${what}, EUR a year`;
  return [
    rowWithin(
      { id: `${id} saves`, figure: figure('own power only'), truth: 'above 0', source },
      byPrice,
      [5, 200],
      0,
    ),
    rowWithin(
      { id: `${id} buys`, figure: figure('the grid too'), truth: 'more than the row above', source },
      saved((bill) => bill.bought),
      [Math.ceil(byPrice), 600],
      0,
    ),
    rowWithin(
      { id: `${id} dearer`, figure: 'Households that pay a cent a year more', truth: '0', source },
      bills.filter((bill) => Math.max(bill.byPrice, bill.bought) > bill.plain + 0.01).length,
      [0, 0],
      0,
    ),
  ];
}

function billOf(household: Household): Bill {
  return {
    plain: costOf(household, steeringWith({})),
    byPrice: costOf(household, steeringWith({ price_response: true })),
    bought: costOf(household, steeringWith({ price_response: true, grid_charging: true })),
  };
}

const PRICES = marketPrices('two peaks');

function steeringWith(preferences: Partial<typeof DEFAULT_INVERTER_PREFERENCES>): Steering {
  const value = { ...DEFAULT_INVERTER_PREFERENCES, ...preferences };
  const inverter = { preferences: [{ from: 0, value }], boosts: [], unsteered: [] };
  return steeringOf(PRICES, { ...UNCONTROLLED, inverter });
}

function costOf(household: Household, steering: Steering): number {
  let cost = 0;
  eachDay(
    household,
    ({ grid }, day) => {
      for (let i = 0; i < QUARTER_HOURS_PER_DAY; i++) {
        const atMs = (day * QUARTER_HOURS_PER_DAY + i) * QUARTER_HOUR_MS;
        const price = PRICES.priceAt(atMs, atMs) ?? 0;
        const energy = grid[i] ?? 0;
        cost += (energy * (energy > 0 ? price : feedInPriceOf(price))) / 1e9;
      }
    },
    steering,
  );
  return cost;
}
