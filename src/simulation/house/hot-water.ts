/** Hot water that people draw (docs/simulation.md#hot-water). */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import { NOISE_CHANNEL, drawNormal, hashInStream, hashStream } from '../kernel/noise.ts';
import type { Seed } from '../kernel/noise.ts';
import type { Whereabouts } from '../people/whereabouts.ts';
import type { DaySegment } from '../time/local-day.ts';

/** Water at the tap, mixed to this temperature, C. */
export const TAP_C = 40;
/** Of a person on a day, and in how many draws (measured: 20 to 40 l of 60 C a person and day). */
const LITRES_A_PERSON = 60;
const DRAWS_A_PERSON = 4;
/** What is drawn in a quarter hour at most: a bath. */
const MOST_LITRES = 100;
/** Homes differ by a lognormal factor of mean 1. */
const NEED_SPREAD = 0.35;

/**
 * Shares of the draws that fall into spans of local hours (EU profiles M and L: mornings and evenings); a free morning begins
 * later (assumption).
 */
const spansOf = (risingH: number) =>
  [
    { from: 0, to: risingH, share: 0.02 },
    { from: risingH, to: risingH + 3, share: 0.36 },
    { from: risingH + 3, to: 17, share: 0.2 },
    { from: 17, to: 23, share: 0.4 },
    { from: 23, to: 24, share: 0.02 },
  ] as const;

/** Local quarter hour of a draw by the low byte of its hash, on days on which people rise at an hour. */
const quartersOfBytes = (risingH: number): Uint8Array =>
  Uint8Array.from({ length: 256 }, (_, byte) => {
    let left = (byte + 0.5) / 256;
    for (const { from, to, share } of spansOf(risingH)) {
      if (left < share) return Math.floor(4 * (from + (left / share) * (to - from)));
      left -= share;
    }
    return QUARTER_HOURS_PER_DAY - 1;
  });
const QUARTER_OF_BYTE = { workday: quartersOfBytes(6), free: quartersOfBytes(7.5) } as const;

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

/** Temperature around the tank, C. */
export const CELLAR_C = 20;

/** Heat of a litre of water warmed by a kelvin, Wh. */
export const WH_PER_LITRE_K = 1.163;

/** Whether nobody is at home on a local day (days since 1970), and of which type it is. */
type DayHabits = Pick<Whereabouts, 'isAway' | 'dayTypeOf'>;

/** Draws of a household: none while all are away, and later in the morning of a free day. */
export class HotWaterDraws {
  readonly #stream: number;
  readonly #draws: number;
  readonly #litres: number;
  readonly #whereabouts: DayHabits;

  constructor(seed: Seed, index: number, persons: number, whereabouts: DayHabits) {
    this.#whereabouts = whereabouts;
    this.#stream = hashStream(seed, index, NOISE_CHANNEL.hotWaterDraw);
    this.#draws = DRAWS_A_PERSON * persons;
    const normal = drawNormal(seed, index, NOISE_CHANNEL.hotWaterNeed, 0);
    const factor = Math.exp(NEED_SPREAD * normal - (NEED_SPREAD * NEED_SPREAD) / 2);
    this.#litres = (LITRES_A_PERSON / DRAWS_A_PERSON) * factor;
  }

  /** Adds what is drawn in the quarter hours of a day segment to `drawn`: litres at TAP_C times `perLitre`. */
  addTo(drawn: Float64Array, { from, to, localDay, localQuarter }: DaySegment, perLitre: number): void {
    if (this.#whereabouts.isAway(localDay)) return;
    const quarters =
      QUARTER_OF_BYTE[this.#whereabouts.dayTypeOf(localDay) === 'workday' ? 'workday' : 'free'];
    const end = localQuarter + to - from;
    for (let draw = 0; draw < this.#draws; draw++) {
      const hashed = hashInStream(this.#stream, localDay, draw);
      const quarter = quarters[hashed & 255] ?? 0;
      if (quarter < localQuarter || quarter >= end) continue;
      const i = from + quarter - localQuarter;
      const litres = this.#litres * (SIZE_OF_BYTE[(hashed >>> 8) & 255] ?? 0);
      drawn[i] = Math.min(perLitre * MOST_LITRES, (drawn[i] ?? 0) + perLitre * litres);
    }
  }
}
