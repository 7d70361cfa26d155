/** When a hot-water tank is heated, and how far (docs/simulation.md#hot-water). */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import type { HotWaterTank } from '../household/heat-pump.ts';
import { NOISE_CHANNEL, hashCounter, hashInStream, hashStream } from '../kernel/noise.ts';
import type { Seed } from '../kernel/noise.ts';
import type { DaySegment } from '../time/local-day.ts';
import { CELLAR_C, WH_PER_LITRE_K } from './hot-water.ts';

/**
 * Two spells a day in which the tank is brought to its target: the local quarter hours at which they begin at the earliest, by
 * household, and by how many quarter hours a day may be later.
 */
const HEATING_QUARTERS = 8;
const NIGHT_SPELL = { from: 0, to: 19 * 4 } as const;
const NOON_SPELL = { from: 9 * 4, to: 15 * 4 } as const;
const LATER_QUARTERS = 13;
/** By how much the goal falls in each quarter hour of a spell: a tank that is warm is left alone. */
const SPELL_FALL_MK = 750;
/**
 * Between spells a tank is looked after every two hours, at a time that is drawn, for two quarter hours, and helped where draws
 * have taken it this far below its target, mK; at any other time where it is colder still.
 */
const LOOK_QUARTERS = 8;
const LOOK_LENGTH = 2;
const LOOK_BELOW_MK = 5000;
const HELP_BELOW_MK = 10_000;
/** What it has cooled by itself is made good again so long after a spell, and so on. */
const RENEWED_QUARTERS = 32;
/** Plans keep a tank above it, unless it is colder at home, mK. */
export const COLD_TANK_MK = 43_000;

/** Draws of a day: one for its spells, and from the second on one for each time the tank is looked after. */
const SPELLS = 0;
const FIRST_LOOK = 1;

/** By how much a tank at its target cools in a quarter hour, mK. */
function standingFall({ volume_l: volume, standing_loss_w: loss, target_c: target }: HotWaterTank): number {
  const wattHours = ((loss / 30) * (target - CELLAR_C)) / 4;
  return (1000 * wattHours) / (volume * WH_PER_LITRE_K);
}

/**
 * Temperatures to which a tank is heated: its target in two spells about hours of the household's own, else only as much as is
 * needed. A goal depends on date and clock alone, so that warmer tanks stay warmer, and between spells it falls faster than the
 * tank does by itself, so that only draws call for heat.
 */
export class TankGoals {
  readonly #stream: number;
  readonly #night: number;
  readonly #noon: number;
  readonly #target: number;
  readonly #fall: number;

  constructor(seed: Seed, index: number, tank: HotWaterTank) {
    this.#stream = hashStream(seed, index, NOISE_CHANNEL.tankHeatingDay);
    const [night, noon] = [NIGHT_SPELL, NOON_SPELL].map(
      ({ from, to }, extra) =>
        from + (hashCounter(seed, index, NOISE_CHANNEL.tankHeating, 0, extra) % (to - from)),
    );
    this.#night = night ?? 0;
    this.#noon = noon ?? 0;
    this.#target = tank.target_c * 1000;
    this.#fall = Math.ceil(standingFall(tank)) + 1;
  }

  /** Writes the goals of a day segment, mK. */
  fill(goals: Int32Array, { from, to, localDay, localQuarter }: DaySegment): void {
    const before = this.#startsOn(localDay - 1).second - QUARTER_HOURS_PER_DAY;
    const { first, second } = this.#startsOn(localDay);
    const ahead = localQuarter - from;
    let look = -1;
    let beginning = 0;
    for (let i = from; i < to; i++) {
      const quarter = i + ahead;
      const since = quarter - (quarter >= second ? second : quarter >= first ? first : before);
      if (since < HEATING_QUARTERS) {
        goals[i] = this.#target - since * SPELL_FALL_MK;
        continue;
      }
      if (look !== Math.floor(quarter / LOOK_QUARTERS)) {
        look = Math.floor(quarter / LOOK_QUARTERS);
        const latest = LOOK_QUARTERS - LOOK_LENGTH + 1;
        beginning = LOOK_QUARTERS * look + (hashInStream(this.#stream, localDay, FIRST_LOOK + look) % latest);
      }
      const isLookedAfter = quarter >= beginning && quarter < beginning + LOOK_LENGTH;
      const below = isLookedAfter ? LOOK_BELOW_MK : HELP_BELOW_MK;
      goals[i] = this.#target - below - (since % RENEWED_QUARTERS) * this.#fall;
    }
  }

  /** Quarter hours of a local day with which its spells begin. */
  #startsOn(localDay: number): { readonly first: number; readonly second: number } {
    const hashed = hashInStream(this.#stream, localDay, SPELLS);
    const night = this.#night + ((hashed & 0xffff) % LATER_QUARTERS);
    const noon = this.#noon + ((hashed >>> 16) % LATER_QUARTERS);
    return night < noon ? { first: night, second: noon } : { first: noon, second: night };
  }
}
