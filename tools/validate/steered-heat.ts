/** What prices that move heat in time make of the heat of a year. */
import type { Household } from '../../src/simulation/household/household.ts';
import { UNSTEERED, steeringOf } from '../../src/simulation/control/steering.ts';
import { MARKETS, marketPrices } from './markets.ts';
import { rowWithin } from './row.ts';
import type { Row } from './row.ts';
import { eachDay, households } from './sample-fleets.ts';
import { sum } from './statistics.ts';

const HOUSES = 12;

/** A row for each market. */
export function measureSteeredHeat(): Row[] {
  const fleet = households({ count: 320, ev_ownership_fraction: 0, pv_rating_kw: 0 })
    .filter((household) => household.heat_pump)
    .slice(0, HOUSES);
  const plain = heatOfYear(fleet);
  return (Object.keys(MARKETS) as (keyof typeof MARKETS)[]).map((market) =>
    rowWithin(
      {
        id: `steered ${market}`,
        figure: `Heat of a year when prices of ${market} steer it, over that without prices, ${HOUSES} houses`,
        truth: 'near 1',
        source: 'heat is moved in time, not spared or wasted',
      },
      heatOfYear(fleet, market) / plain,
      [0.9, 1.1],
    ),
  );
}

/** Heat that the pumps of a fleet give in a year, mWh. */
function heatOfYear(fleet: readonly Household[], market?: keyof typeof MARKETS): number {
  const steering = market ? steeringOf(marketPrices(market)) : UNSTEERED;
  let heat = 0;
  for (const household of fleet) {
    eachDay(household, (rows) => void (heat += sum(rows.heat)), steering);
  }
  return heat;
}
