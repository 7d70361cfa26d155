// What is kept of households is counted as what it takes: else the bounds of caches in bytes bound nothing.
import { expect, test } from 'vitest';
import { MAX_INTERRUPTIONS } from '../../src/domain/notifications/interruptions.ts';
import { packInterruptions } from '../../src/domain/notifications/packed-interruptions.ts';
import { toHouseholdControl } from '../../src/households/asked-control.ts';
import { bytesOfControl } from '../../src/households/control-bytes.ts';
import { CONDITION_CODES } from '../../src/domain/notifications/conditions.ts';
import { collectGarbage } from '../support/garbage.ts';

/** What is measured at once: far more than garbage that goes meanwhile. */
const MEASURED_BYTES = 20_000_000;
const FIRST = 1_900_000;
const HOME = { latitude: 48.2, longitude: 16.4 };
/** What an entry of the cache is counted as beside this. */
const BYTES_OF_ENTRY = 1_024;

/** As many as a device may have, of which none touches another one: each of a quarter hour. */
const interruptions = CONDITION_CODES.flatMap((code, kind) =>
  Array.from({ length: MAX_INTERRUPTIONS }, (_, at) => {
    const first = FIRST + 8 * at + 2 * kind;
    const [readUntilMs, endedAtMs] = [first * 900_000 + 123, first * 900_000 + 456];
    return { code, readUntilMs, endedAtMs, unsteeredFrom: first, unsteeredTo: first + 1 };
  }),
);
const revisions = (count: number, { boosted }: { readonly boosted: boolean }) =>
  Array.from({ length: count }, (_, at) => ({
    user_id: 'u',
    device_type: 'electric_vehicle' as const,
    from: FIRST + 4 * at,
    preferences: JSON.stringify({ target_soc_percent: boosted ? 80 : 50 + (at % 50) }),
    boost_end: boosted ? FIRST + 4 * at + 2 : null,
  }));

const cases = {
  interruptions: () => {
    const held = { wallbox: packInterruptions(interruptions), heat_pump: packInterruptions(interruptions) };
    return { interruptions: held, control: toHouseholdControl([], [], HOME, held) };
  },
  'one interruption of each device': () => {
    const one = () => packInterruptions(interruptions.slice(0, 1));
    const held = { electric_vehicle: one(), heat_pump: one(), inverter: one(), wallbox: one() };
    return { interruptions: held, control: toHouseholdControl([], [], HOME, held) };
  },
  preferences: () => ({
    interruptions: {},
    control: toHouseholdControl(revisions(1_000, { boosted: false }), [], HOME),
  }),
  boosts: () => ({
    interruptions: {},
    control: toHouseholdControl(revisions(1_000, { boosted: true }), [], HOME),
  }),
  places: () => {
    const at = (from: number) => ({ user_id: 'u', from, latitude: from / 50_000, longitude: from / 70_000 });
    const places = Array.from({ length: 1_000 }, (_, number) => at(FIRST + number));
    return { interruptions: {}, control: toHouseholdControl([], places, HOME) };
  },
};

/** Once nothing more is given back: what buffers of other files took goes with the collection behind the one that has found them. */
function measureBytes(): number {
  for (let last = Infinity; ;) {
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    if (heapUsed + external >= last) return last;
    last = heapUsed + external;
  }
}

test.each(Object.entries(cases))('%s, as they are read and as another thread sends them', (_what, make) => {
  for (const toStored of [make, () => structuredClone(make())]) {
    const counted = BYTES_OF_ENTRY + bytesOfControl(toStored());
    const stored: ReturnType<typeof make>[] = [];
    const before = measureBytes();
    while (stored.length * counted < MEASURED_BYTES) stored.push(toStored());
    const each = (measureBytes() - before) / stored.length;
    expect(each).toBeLessThan(counted);
    expect(each).toBeGreaterThan(counted / 3);
  }
});
