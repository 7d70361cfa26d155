/** What a car does from instant to instant, as spans that follow each other. */
import { allocateInt32Array, allocateUint8Array } from '../kernel/typed-arrays.ts';

/** What a car does in a span; drives are told apart by how the weather changes their energy. */
export const CAR = { parked: 0, pluggedIn: 1, driving: 2, drivingFar: 3, chargingElsewhere: 4 } as const;
export type CarState = (typeof CAR)[keyof typeof CAR];

/** Spans from `start` up to `end` without gaps. Instants are quarter hours of UTC since 1970. */
export interface Timeline {
  readonly start: number;
  readonly end: number;
  readonly count: number;
  /** First quarter hour of each span, ascending, in the first `count` elements. */
  readonly from: Int32Array;
  readonly state: Uint8Array;
  /** Energy of each quarter hour at 20 °C, mWh: driven, or charged elsewhere. */
  readonly energy: Int32Array;
}

/** Room of a timeline's arrays is a multiple of so many spans, so that most can be used again for another. */
const ROOM = 64;

/** Writes spans one after the other; its arrays are used again for the next timeline. */
export class TimelineWriter {
  #count = 0;
  readonly #from: Int32Array;
  readonly #state: Uint8Array;
  readonly #energy: Int32Array;

  constructor(capacity: number) {
    this.#from = new Int32Array(capacity);
    this.#state = new Uint8Array(capacity);
    this.#energy = new Int32Array(capacity);
  }

  add(from: number, state: CarState, energy = 0): void {
    const at = this.#count++;
    this.#from[at] = from;
    this.#state[at] = state;
    this.#energy[at] = energy;
  }

  /** The spans written since the last call; `start` is that of the first. `used` is a timeline that is no longer read. */
  finish(end: number, used: Timeline | undefined): Timeline {
    const count = this.#count;
    this.#count = 0;
    const room = Math.ceil(count / ROOM) * ROOM;
    const isFree = used !== undefined && used.from.length >= count;
    const from = isFree ? used.from : allocateInt32Array(room);
    const state = isFree ? used.state : allocateUint8Array(room);
    const energy = isFree ? used.energy : allocateInt32Array(room);
    for (let i = 0; i < count; i++) {
      from[i] = this.#from[i] ?? 0;
      state[i] = this.#state[i] ?? 0;
      energy[i] = this.#energy[i] ?? 0;
    }
    return { start: count > 0 ? (from[0] ?? 0) : end, end, count, from, state, energy };
  }
}

/** Index of the span that holds a quarter hour of the timeline. */
export function spanAt({ from, count }: Timeline, quarter: number): number {
  let low = 0;
  let high = count;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((from[middle] ?? 0) <= quarter) low = middle;
    else high = middle;
  }
  return low;
}
