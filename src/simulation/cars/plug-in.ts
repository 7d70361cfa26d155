/**
 * When a car is plugged in at home (docs/simulation.md#electric-vehicle). Decided by draws and by the energy driven since
 * a drawn night, never by the charge, so that a day maps the charge monotonely and needs no history.
 */
import { WORD_VALUES, hashInStream } from '../kernel/noise.ts';
import { normalOfHash } from '../kernel/normal-table.ts';
import type { Driver } from './driver.ts';
import type { Drives } from './drives.ts';
import { weekdayOf } from '../time/day-type.ts';
import type { LocalClock } from './local-clock.ts';

/** Shorter stays are not worth a plug, in quarter hours. */
const SHORTEST_STAY = 2;
/** Parts of the usable battery: what the next tour may need beyond what was driven, and a tour that one prepares for. */
const RESERVE = 0.92;
const LONG_TOUR = 0.4;
/** Probability that one prepares for it. */
const PREPARES = 0.9;
/** Probability of plugging in before going to bed of those who are not used to, on working days and at weekends. */
const BEDTIME_WORKDAY = 0.06;
const BEDTIME_WEEKEND = 0.05;
/** Probability that the car is unplugged before the next tour; of very long stays after a day. */
const UNPLUGS = 0.3;
const LONG_STAY = 120;
const UNPLUGS_LONG_STAY = 0.6;

/** Nobody drives longer without a session than the mean of a week brings: a year's charging stays near its driving. */
const SHORTEST_PATIENCE = 1 / 50;

/** Energy after which a car is plugged in for the night whatever the draws say, mWh. */
const patienceOf = ({ habits, usable, annual }: Driver): number =>
  Math.min(habits.patience * usable, annual * SHORTEST_PATIENCE);

/** Goes through the stays at home of a span of days in order, starting with a night that is always drawn. */
export class PlugInDecisions {
  /** The session of the stay that was decided last, quarter hours of UTC; none when they are equal. */
  from = 0;
  to = 0;
  readonly #driver: Driver;
  readonly #drives: Drives;
  readonly #clock: LocalClock;
  readonly #patience: number;
  /** Energy driven since the last session that made up for it, mWh. */
  #driven = 0;
  #drawnNight = true;

  constructor(driver: Driver, drives: Drives, clock: LocalClock) {
    this.#driver = driver;
    this.#patience = patienceOf(driver);
    this.#drives = drives;
    this.#clock = clock;
  }

  /** Decides on the stay after tour `i` of the drives, which ends when the next one begins. */
  decide(i: number): void {
    const { chargePerQuarter } = this.#driver;
    const { back, leave, net, day, order } = this.#drives;
    const home = back[i] ?? 0;
    const next = leave[i + 1] ?? home;
    const date = day[i] ?? 0;
    const draws = 16 * (order[i] ?? 0);
    const overNight = (day[i + 1] ?? date) > date && next - home >= 12;
    this.#driven += net[i] ?? 0;
    this.from = this.to = home;
    if (next - home < SHORTEST_STAY) return;
    const always = overNight && this.#drawnNight;
    if (!always && !this.#wants(i, next - home, overNight, date, draws)) return;
    this.from = overNight ? this.#plugTime(home, next, date, draws) : home;
    this.to = always ? next : this.#unplugTime(next, date, draws);
    if (always) this.#drawnNight = false;
    const owed = (until: number): number =>
      Math.max(0, this.#driven - (until - this.from) * chargePerQuarter);
    if (owed(this.to) > this.#patience) this.to = next;
    this.#driven = owed(this.to);
  }

  #wants(i: number, stay: number, overNight: boolean, date: number, draws: number): boolean {
    const { habits, plugStream, usable } = this.#driver;
    const { net } = this.#drives;
    const trip = net[i] ?? 0;
    const coming = net[i + 1] ?? 0;
    if (overNight && this.#driven > this.#patience) return true;
    if (this.#driven + coming > RESERVE * usable) return true;
    const ahead = overNight && coming > LONG_TOUR * usable;
    if (ahead && hashInStream(plugStream, date, draws) < PREPARES * WORD_VALUES) return true;
    const byStay = overNight ? 1.25 : stay < 8 ? 0.55 : 0.8;
    const byTrip = trip < 1.5e6 ? 0.45 : trip < 3e6 ? 0.75 : 1.08;
    const chance = Math.min(0.97, habits.plugsIn * byStay * byTrip);
    return hashInStream(plugStream, date, draws + 1) < chance * WORD_VALUES;
  }

  #plugTime(home: number, next: number, date: number, draws: number): number {
    const { habits, plugStream } = this.#driver;
    const bedtime = weekdayOf(date) < 5 ? BEDTIME_WORKDAY : BEDTIME_WEEKEND;
    if (!habits.atBedtime && hashInStream(plugStream, date, draws + 2) >= bedtime * WORD_VALUES) return home;
    const hour = 22 + habits.shiftHours + 1.3 * normalOfHash(hashInStream(plugStream, date, draws + 3));
    const late = this.#clock.utcQuarter(date, Math.round(4 * hour));
    return Math.max(home, Math.min(late, next - 8));
  }

  #unplugTime(next: number, date: number, draws: number): number {
    const { plugStream } = this.#driver;
    const { from } = this;
    if (hashInStream(plugStream, date, draws + 4) < UNPLUGS * WORD_VALUES) {
      const hours = 0.35 + 2.3 * Math.exp(0.75 * normalOfHash(hashInStream(plugStream, date, draws + 5)));
      return Math.min(next, from + Math.max(1, Math.round(4 * hours)));
    }
    if (next - from < LONG_STAY) return next;
    if (hashInStream(plugStream, date, draws + 6) >= UNPLUGS_LONG_STAY * WORD_VALUES) return next;
    const hours = 10 + (14 * hashInStream(plugStream, date, draws + 7)) / WORD_VALUES;
    return from + Math.round(4 * hours);
  }
}
