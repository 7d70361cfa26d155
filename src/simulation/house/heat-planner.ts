/** Plans a heat pump under known prices: the tank first, then the rooms with what it leaves (docs/simulation.md#schedules). */
import { QUARTER_HOURS_PER_DAY } from '../../domain/api/durations.ts';
import type { Circumstances } from './circumstances.ts';
import { costOf } from './heat-store.ts';
import { NO_HEAT_MILLI_WH, STANDBY_MILLI_WH } from './heat-pump-rows.ts';
import type { HouseSpan } from './house-span.ts';
import type { HouseState } from './house-state.ts';
import { RoomStore } from './room-store.ts';
import { AIM, searchStore } from './store-search.ts';
import { TankStore } from './tank-store.ts';
import { given } from './thermal-steps.ts';

/** Buckets in which temperatures count as one, mK: 75 for rooms cost a tenth of a percent more, 300 for tanks no more than 150. */
const ROOM_BUCKET_MK = 60;
const TANK_BUCKET_MK = 300;
/**
 * Where the heat of a day unsteered warms the rooms by less than that, mK, buckets are narrower, half as wide at the least: what
 * they take for one counts more the less a day costs, and fewer courses are there to look at.
 */
const NARROWER_BELOW_MK = 5000;
const NARROWEST = 0.5;
/** What heat in rooms is worth in the search, of the plan's mean price: a plan buys it for less. */
const HEAT_WORTH = 0.9;
const QUARTERS = 192;
/**
 * Electricity that a start of the compressor is worth in the search, mWh: a plan does not go on and off for gains that nobody
 * would notice, and what it costs is compared without.
 */
const START_MILLI_WH = 6000;

/** Quarter hours of a span, `to` exclusive. */
export interface SpanPart {
  readonly from: number;
  readonly to: number;
}

/** What a heat pump is told over a part of a span. */
interface Aims {
  readonly room: Uint8Array;
  readonly tank: Uint8Array;
}

const createAims = (): Aims => ({ room: new Uint8Array(QUARTERS), tank: new Uint8Array(QUARTERS) });

/** Plans parts of a span; what it decides is in the span's aims. */
export class HeatPlanner {
  readonly #span: HouseSpan;
  readonly #tank: TankStore;
  readonly #room: RoomStore;
  readonly #tried = createAims();
  /** Of a mK, in the unit of costs. */
  #roomWorth = 0;
  #tankWorth = 0;
  #start = 0;
  /** Of the widths of buckets. */
  #width = 1;

  constructor(span: HouseSpan) {
    this.#span = span;
    this.#tank = new TankStore(span);
    this.#room = new RoomStore(span);
  }

  /**
   * Improves the aims in the span, which lead from `start` home, by a search with the span's prices; they stay where no
   * cheaper ones are found, so that a plan is never dearer than what was planned before, and at first than nothing planned.
   */
  improve(circumstances: Circumstances, part: SpanPart, start: HouseState): void {
    const { roomAims, tankAims } = this.#span;
    this.#prepare(circumstances, part);
    const present = { room: roomAims, tank: tankAims };
    let best = this.#cost(circumstances, part, start, present);
    for (const searchesTank of [true, false]) {
      if (!this.#search(part, start, searchesTank)) continue;
      const cost = this.#cost(circumstances, part, start, this.#tried);
      if (cost >= best) continue;
      best = cost;
      roomAims.set(this.#tried.room.subarray(part.from, part.to), part.from);
      tankAims.set(this.#tried.tank.subarray(part.from, part.to), part.from);
      return;
    }
  }

  /** Does quarter hour `i` of a plan by the span's aims, from `state`, into the span's course; the state after it. */
  follow(circumstances: Circumstances, i: number, state: HouseState): HouseState {
    const { course, tankAims, roomAims, forcing } = this.#span;
    this.#tank.prepare(circumstances, i, i + 1);
    this.#room.prepare(circumstances, i, i + 1);
    const tank = this.#tank.step(i, state.tank, tankAims[i] ?? 0);
    course.tankHeat[i] = given.water;
    this.#room.left[i] = (forcing.mostHeat[i] ?? 0) - given.water;
    const room = this.#room.step(i, state.room, roomAims[i] ?? 0);
    course.roomHeat[i] = given.heat;
    course.backupHeat[i] = given.backup;
    return { room, tank };
  }

  /** What the search and the comparison of costs need to know of a part. */
  #prepare(circumstances: Circumstances, { from, to }: SpanPart): void {
    const { prices, surplus, home } = this.#span;
    const { roomKeep, roomNeed, roomRise, tankNeed } = circumstances.house;
    let [total, size, heat] = [0, 0, 0];
    for (let i = from; i < to; i++) {
      const price = prices[i] ?? 0;
      total += price;
      size += Math.abs(price);
      heat += home.roomHeat[i] ?? 0;
      this.#tank.spare[i] = Math.max(0, (surplus[i] ?? 0) - STANDBY_MILLI_WH);
    }
    this.#start = (START_MILLI_WH * size) / (to - from);
    const warmedADay = (heat * roomRise * QUARTER_HOURS_PER_DAY) / (to - from);
    this.#width = Math.min(1, Math.max(NARROWEST, warmedADay / NARROWER_BELOW_MK));
    const meanPrice = Math.max(0, total / (to - from));
    const heatPrice = meanPrice / this.#room.prepare(circumstances, from, to);
    this.#roomWorth = HEAT_WORTH * roomNeed * heatPrice;
    this.#room.priceHeat(meanPrice);
    this.#room.priceColdness(roomNeed * (1 - roomKeep) * heatPrice);
    this.#tankWorth = (tankNeed * meanPrice) / this.#tank.prepare(circumstances, from, to);
  }

  /** Searches for aims of both stores, or of the room alone beside the span's aims of the tank; false where none lead home. */
  #search(part: SpanPart, start: HouseState, searchesTank: boolean): boolean {
    const { from, to } = part;
    const { room, tank } = this.#tried;
    const { roomTarget } = this.#span.forcing;
    const tankScale = {
      lowest: this.#tank.lowest(from, to),
      bucketMk: TANK_BUCKET_MK * this.#width,
      worth: this.#tankWorth,
      start: this.#start,
    };
    if (!searchesTank) tank.set(this.#span.tankAims.subarray(from, to), from);
    else if (!searchStore(this.#tank, part, start.tank, tankScale, tank)) return false;
    this.#leaveToRoom(part, start.tank);
    const isHeated = roomTarget.subarray(from, to).some((target) => target > 0);
    if (!isHeated) {
      room.fill(AIM.home, from, to);
      return start.room === this.#room.home[from];
    }
    const roomScale = {
      lowest: this.#room.lowest(from, to),
      bucketMk: ROOM_BUCKET_MK * this.#width,
      worth: this.#roomWorth,
      start: this.#start,
    };
    return searchStore(this.#room, part, start.room, roomScale, room);
  }

  /** Writes the capacity and the PV that the tank leaves where it follows the tried aims, and when the compressor runs for it. */
  #leaveToRoom({ from, to }: SpanPart, start: number): void {
    const { left, spare, otherLoad } = this.#room;
    let tank = start;
    for (let i = from; i < to; i++) {
      tank = this.#tank.step(i, tank, this.#tried.tank[i] ?? 0);
      left[i] = (this.#span.forcing.mostHeat[i] ?? 0) - given.water;
      spare[i] = Math.max(0, (this.#tank.spare[i] ?? 0) - this.#tank.energy);
      otherLoad[i] = this.#tank.load;
    }
  }

  /**
   * What a part costs from `start` by some aims, in the whole mWh that the heat pump is seen to draw, with what it is worth
   * that the room is warmer or colder than at home; infinite where the aims do not lead home.
   */
  #cost({ limit }: Circumstances, { from, to }: SpanPart, start: HouseState, aims: Aims): number {
    const { prices, surplus, forcing, home } = this.#span;
    const { left } = this.#room;
    let { room, tank } = start;
    let cost = 0;
    for (let i = from; i < to; i++) {
      tank = this.#tank.step(i, tank, aims.tank[i] ?? 0);
      const { water } = given;
      left[i] = (forcing.mostHeat[i] ?? 0) - water;
      room = this.#room.step(i, room, aims.room[i] ?? 0);
      if (tank < 0 || room < 0) return Infinity;
      const { heat, backup } = given;
      const drawn = this.#room.energy + backup + this.#tank.energy + STANDBY_MILLI_WH;
      const isIdle = heat + backup + water < NO_HEAT_MILLI_WH;
      const energy = isIdle ? STANDBY_MILLI_WH : Math.min(limit, Math.floor(drawn + 0.5));
      cost += costOf(energy, Math.max(0, surplus[i] ?? 0), prices[i] ?? 0) + this.#room.coldnessCost(i, room);
    }
    return room === home.room[to] && tank === home.tank[to] ? cost : Infinity;
  }
}
