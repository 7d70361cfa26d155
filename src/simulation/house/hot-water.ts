/** Hot water that people draw, and when their tank is heated (docs/simulation.md#hot-water). */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import type { HotWaterTank } from '../household/heat-pump.ts';
import { NOISE_CHANNEL, drawNormal, hashCounter, hashInStream, hashStream } from '../kernel/noise.ts';
import type { Seed } from '../kernel/noise.ts';
import { allocateInt32Array } from '../kernel/typed-arrays.ts';
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

/** Temperature around the tank, C. */
export const CELLAR_C = 20;
const QUARTERS_PER_HOUR = 4;

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
      const litres = this.#litres * (SIZE_OF_BYTE[(hashed >>> 8) & 255] ?? 0);
      drawn[i] = Math.min(perLitre * MOST_LITRES, (drawn[i] ?? 0) + perLitre * litres);
    }
  }
}

/** Two spells a day in which the tank is brought to its target, local quarter hours. */
const HEATING_QUARTERS = 8;
const NIGHT_SPELL = { from: 0, to: 22 * 4 } as const;
const NOON_SPELL = { from: 42, to: 66 } as const;
/** By how much the goal falls in each quarter hour of a spell: a tank that is warm is left alone. */
const SPELL_FALL_MK = 750;
/**
 * Between spells a tank is looked after every two hours, for two quarter hours, and helped where draws have taken it this far
 * below its target, mK; at any other time where it is colder still.
 */
const LOOK_QUARTERS = 8;
const LOOK_LENGTH = 2;
const LOOK_BELOW_MK = 5000;
const HELP_BELOW_MK = 10_000;
/** What it has cooled by itself is made good again so long after a spell, and so on. */
const RENEWED_QUARTERS = 32;
/** Plans keep a tank above it, unless it is colder at home, mK. */
export const COLD_TANK_MK = 43_000;

/** By how much a tank at its target cools in a quarter hour, mK. */
function standingFall({ volume_l: volume, standing_loss_w: loss, target_c: target }: HotWaterTank): number {
  const wattHours = ((loss / 30) * (target - CELLAR_C)) / QUARTERS_PER_HOUR;
  return (1000 * wattHours) / (volume * WH_PER_LITRE_K);
}

/**
 * Temperature to which the tank is heated in each local quarter hour, mK: its target in two spells at hours of the
 * household's own, else only as much as is needed. A goal depends on the clock alone, so that warmer tanks stay warmer, and
 * between spells it falls faster than the tank does by itself, so that only draws call for heat.
 */
export function tankGoals(seed: Seed, index: number, tank: HotWaterTank): Int32Array {
  const hashed = (extra: number): number => hashCounter(seed, index, NOISE_CHANNEL.tankHeating, 0, extra);
  const look = hashed(2) % LOOK_QUARTERS;
  const starts = [NIGHT_SPELL, NOON_SPELL].map(({ from, to }, extra) => from + (hashed(extra) % (to - from)));
  const target = tank.target_c * 1000;
  const fall = Math.ceil(standingFall(tank)) + 1;
  return allocateInt32Array(QUARTER_HOURS_PER_DAY).map((_, quarter) => {
    const since = Math.min(...starts.map((start) => modulo(quarter - start, QUARTER_HOURS_PER_DAY)));
    if (since < HEATING_QUARTERS) return target - since * SPELL_FALL_MK;
    const isLookedAfter = modulo(quarter - look, LOOK_QUARTERS) < LOOK_LENGTH;
    return target - (isLookedAfter ? LOOK_BELOW_MK : HELP_BELOW_MK) - (since % RENEWED_QUARTERS) * fall;
  });
}

const modulo = (value: number, divisor: number): number => ((value % divisor) + divisor) % divisor;
