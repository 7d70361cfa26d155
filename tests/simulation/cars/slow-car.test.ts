/** A car that hardly drives and is never to be charged: a full and an empty one differ for years, and all of these days count. */
import { afterEach, expect, test, vi } from 'vitest';
import { UNCONTROLLED } from '../../../src/simulation/control/household-control.ts';
import { SteeredCharging } from '../../../src/simulation/cars/steered-charging.ts';
import { createHouseholdModel } from '../../../src/simulation/model/model.ts';
import { toldFromStart } from '../controlled.ts';
import { first, households } from '../fleet.ts';
import { RESTLESS } from '../steered.ts';

afterEach(() => void vi.restoreAllMocks());

const ANCHOR_DAY = 20_000;
const DAY = ANCHOR_DAY + 300;
const QUARTER = DAY * 96 + 40;
const HOUSEHOLD = first(
  households(
    {
      count: 1,
      ev_ownership_fraction: 1,
      annual_consumption_kwh: 3000,
      annual_consumption_with_ev_kwh: 3000.001,
    },
    new Date(ANCHOR_DAY * 86_400_000),
  ),
);
const NEVER = { charge_policy: 'smart', target_soc_percent: 0, minimum_soc_percent: 0 } as const;
const modelOf = (control = toldFromStart({ vehicle: NEVER })) =>
  createHouseholdModel({ ...HOUSEHOLD, heat_pump: null }, { ...RESTLESS, control });

/** How many days a piece of work follows. */
function followedIn(work: () => unknown): number {
  const followed = vi.spyOn(SteeredCharging.prototype, 'on').mockClear();
  work();
  return followed.mock.calls.length;
}

test('its charge is approached by a day in a piece, followed from both ends, and the look itself follows none', () => {
  const [at, model] = [modelOf().chargeOutlookAt(QUARTER), modelOf()];
  const pieces: number[] = [];
  const approaches: boolean[] = [];
  while (approaches.at(-1) !== true)
    pieces.push(followedIn(() => approaches.push(model.approachChargeOutlook(QUARTER))));
  expect(Math.max(...pieces)).toBe(2);
  expect(pieces.length).toBeGreaterThan(300);
  expect(followedIn(() => model.chargeOutlookAt(QUARTER))).toBe(1);
  expect(model.chargeOutlookAt(QUARTER)).toEqual(at);
});

test('those who look at other days at the same time do not hold each other up', () => {
  const model = modelOf();
  const alone = modelOf();
  let piecesAlone = 1;
  while (!alone.approachChargeOutlook(QUARTER)) piecesAlone += 1;
  const left = new Set(Array.from({ length: 8 }, (_, i) => QUARTER - 96 * i));
  let rounds = 0;
  for (; left.size > 0; rounds += 1)
    for (const quarter of left) if (model.approachChargeOutlook(quarter)) left.delete(quarter);
  expect(rounds).toBeLessThanOrEqual(piecesAlone);
});

test('a day of its household is approached with it, but for what a checkpoint tells', () => {
  const control = { ...UNCONTROLLED, ...toldFromStart({ vehicle: NEVER }) };
  const checkpoint = modelOf(control).counters.checkpointAt(DAY);
  const model = modelOf(control);
  expect(model.approach(DAY)).toBe(false);
  model.counters.use(checkpoint);
  expect(followedIn(() => expect(model.approach(DAY)).toBe(true))).toBe(0);
});
