// A schedule on the event loop is worked out in slices, however little time it takes on this machine.
import { afterEach, expect, test, vi } from 'vitest';
import { answerHeatPumpSchedule } from '../../src/compute/heat-pump-schedule.ts';
import { QUARTER_HOUR_MS } from '../../src/domain/api/durations.ts';
import { NO_PRICE_REVISIONS } from '../../src/domain/prices/price-revisions.ts';
import { TimeSlicer } from '../../src/households/time-slicer.ts';
import { UNCONTROLLED } from '../../src/simulation/control/household-control.ts';
import { first, households } from '../simulation/fleet.ts';

const NOW = new Date('2026-01-12T12:00:00Z');
const house = first(households({ count: 20 }, NOW).filter((household) => household.heat_pump));
const quarterOf = (instant: string): number => Date.parse(instant) / QUARTER_HOUR_MS;

afterEach(() => void vi.restoreAllMocks());

test('where each day of a schedule takes as long as a slice others have their turn between all of them', async () => {
  let nowMs = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 10));
  let turns = 0;
  const slicer = new TimeSlicer(() => {
    turns += 1;
    return Promise.resolve();
  });
  const input = {
    household: house,
    prices: { own: NO_PRICE_REVISIONS, parent: NO_PRICE_REVISIONS },
    control: UNCONTROLLED,
    now: NOW,
    spans: [{ first: quarterOf('2026-01-12T12:00:00Z'), end: quarterOf('2026-01-14T12:00:00Z') }],
    metadata: {},
  };
  const { answer } = await answerHeatPumpSchedule(input, slicer);
  const { data } = JSON.parse(Buffer.from(answer).toString()) as { readonly data: readonly unknown[] };
  expect(data).toHaveLength(2 * 96);
  // Two days begin within it, and what they follow from takes pieces of its own.
  expect(turns).toBeGreaterThanOrEqual(2);
});
