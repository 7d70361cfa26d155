/** What a car does from instant to instant, as spans that follow each other. */

/** What a car does in a span; drives are told apart by how the weather changes their energy. */
export const CAR = { parked: 0, pluggedIn: 1, driving: 2, drivingFar: 3, chargingElsewhere: 4 } as const;
export type CarState = (typeof CAR)[keyof typeof CAR];

/** Spans from `start` up to `end` without gaps. Instants are quarter hours of UTC since 1970. */
export interface Timeline {
  readonly start: number;
  readonly end: number;
  /** First quarter hour of each span, ascending. */
  readonly from: Int32Array;
  readonly state: Uint8Array;
  /** Energy of each quarter hour at 20 °C, mWh: driven, or charged elsewhere. */
  readonly energy: Int32Array;
}

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

  /** The spans written since the last call; `start` is that of the first. */
  finish(end: number): Timeline {
    const count = this.#count;
    this.#count = 0;
    return {
      start: count > 0 ? (this.#from[0] ?? 0) : end,
      end,
      from: this.#from.slice(0, count),
      state: this.#state.slice(0, count),
      energy: this.#energy.slice(0, count),
    };
  }
}

/** Index of the span that holds a quarter hour of the timeline. */
export function spanAt({ from }: Timeline, quarter: number): number {
  let low = 0;
  let high = from.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((from[middle] ?? 0) <= quarter) low = middle;
    else high = middle;
  }
  return low;
}
