/** Hot water that people draw, and when their tank is heated (docs/simulation.md#hot-water). */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import { NOISE_CHANNEL, drawNormal, hashCounter, hashInStream, hashStream } from '../kernel/noise.ts';
import type { Seed } from '../kernel/noise.ts';
import { allocateInt32Array } from '../kernel/typed-arrays.ts';
import type { DaySegment } from '../time/local-day.ts';

/** Water at the tap, mixed to this temperature, C. */
export const TAP_C = 40;
/** Of a person on a day, and in how many draws (measured: 20 to 40 l of 60 C a person and day). */
const LITRES_A_PERSON = 60;
const DRAWS_A_PERSON = 4;
/** Homes differ by a lognormal factor of mean 1. */
const NEED_SPREAD = 0.35;

/** Shares of the draws that fall into spans of local hours (EU profiles M and L: mornings and evenings). */
const SPANS = [
  { from: 0, to: 6, share: 0.02 },
  { from: 6, to: 9, share: 0.36 },
  { from: 9, to: 17, share: 0.2 },
  { from: 17, to: 23, share: 0.4 },
  { from: 23, to: 24, share: 0.02 },
] as const;

/** Local quarter hour of a draw by the low byte of its hash. */
const QUARTER_OF_BYTE = Uint8Array.from({ length: 256 }, (_, byte) => {
  let left = (byte + 0.5) / 256;
  for (const { from, to, share } of SPANS) {
    if (left < share) return Math.floor(4 * (from + (left / share) * (to - from)));
    left -= share;
  }
  return QUARTER_HOURS_PER_DAY - 1;
});

/** Size of a draw over the mean by the second byte: exponential, many small ones and a few baths. */
const SIZE_OF_BYTE = (() => {
  const sizes = Float64Array.from({ length: 256 }, (_, byte) => -Math.log(1 - (byte + 0.5) / 256));
  const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
  return sizes.map((size) => size / mean);
})();

/** Temperature of the mains on a day on which the ground a metre down has `soilC` degrees Celsius, C. */
export function mainsTemperatureC(soilC: number): number {
  return Math.min(TAP_C - 5, Math.max(4, soilC));
}

/** Heat of a litre of water warmed by a kelvin, Wh. */
export const WH_PER_LITRE_K = 1.163;

/** Draws of a household: none while all are away. */
export class HotWaterDraws {
  readonly #stream: number;
  readonly #draws: number;
  readonly #litres: number;
  readonly #isAway: (localDay: number) => boolean;

  /** `isAway` tells whether nobody is at home on a local day (days since 1970). */
  constructor(seed: Seed, index: number, persons: number, isAway: (localDay: number) => boolean) {
    this.#isAway = isAway;
    this.#stream = hashStream(seed, index, NOISE_CHANNEL.hotWaterDraw);
    this.#draws = DRAWS_A_PERSON * persons;
    const normal = drawNormal(seed, index, NOISE_CHANNEL.hotWaterNeed, 0);
    const factor = Math.exp(NEED_SPREAD * normal - (NEED_SPREAD * NEED_SPREAD) / 2);
    this.#litres = (LITRES_A_PERSON / DRAWS_A_PERSON) * factor;
  }

  /** Adds what is drawn in the quarter hours of a day segment to `drawn`: litres at TAP_C times `perLitre`. */
  addTo(drawn: Float64Array, { from, to, localDay, localQuarter }: DaySegment, perLitre: number): void {
    if (this.#isAway(localDay)) return;
    const end = localQuarter + to - from;
    for (let draw = 0; draw < this.#draws; draw++) {
      const hashed = hashInStream(this.#stream, localDay, draw);
      const quarter = QUARTER_OF_BYTE[hashed & 255] ?? 0;
      if (quarter < localQuarter || quarter >= end) continue;
      const i = from + quarter - localQuarter;
      drawn[i] = (drawn[i] ?? 0) + perLitre * this.#litres * (SIZE_OF_BYTE[(hashed >>> 8) & 255] ?? 0);
    }
  }
}

/** Two spells a day in which the tank is brought to its target, local quarter hours. */
const HEATING_QUARTERS = 8;
const NIGHT_SPELL = { from: 0, to: 22 * 4 } as const;
const NOON_SPELL = { from: 42, to: 66 } as const;
/** By how much the goal falls in each quarter hour of a spell: a tank that is warm is left alone. */
const GOAL_FALL_MK = 750;
/** Every two hours a tank is looked after that has run cold, and helped at once when it is colder still. */
const LOOK_QUARTERS = 8;
export const COLD_TANK_MK = 43_000;
const COLDER_TANK_MK = 36_000;

/**
 * Temperature to which the tank is heated in each local quarter hour, mK: its target in two spells at hours of the
 * household's own, else only as much as is needed. A goal depends on the clock alone, so that warmer tanks stay warmer.
 */
export function tankGoals(seed: Seed, index: number, targetC: number): Int32Array {
  const hashed = (extra: number): number => hashCounter(seed, index, NOISE_CHANNEL.tankHeating, 0, extra);
  const look = hashed(2) % LOOK_QUARTERS;
  const goals = allocateInt32Array(QUARTER_HOURS_PER_DAY).fill(COLDER_TANK_MK);
  for (let i = look; i < QUARTER_HOURS_PER_DAY; i += LOOK_QUARTERS) goals[i] = COLD_TANK_MK;
  for (const [extra, { from, to }] of [NIGHT_SPELL, NOON_SPELL].entries()) {
    const start = from + (hashed(extra) % (to - from));
    for (let i = 0; i < HEATING_QUARTERS; i++) {
      const quarter = (start + i) % QUARTER_HOURS_PER_DAY;
      goals[quarter] = Math.max(goals[quarter] ?? 0, targetC * 1000 - i * GOAL_FALL_MK);
    }
  }
  return goals;
}
