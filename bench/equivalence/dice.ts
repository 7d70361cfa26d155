// Everything that is drawn, from one seed.

/** A stream of draws that a seed determines (Mulberry32). */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 to 1, without 1. */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let bits = this.#state;
    bits = Math.imul(bits ^ (bits >>> 15), bits | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `min` to `max`, both included. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.fraction() * (max - min + 1));
  }

  chance(share: number): boolean {
    return this.fraction() < share;
  }

  /** One of them; throws when there is none. */
  pick<T>(choices: readonly T[]): T {
    if (choices.length === 0) throw new Error('There is nothing to pick from.');
    return choices[this.integer(0, choices.length - 1)] as T;
  }

  /** One of them, by weight. */
  weigh<T>(choices: readonly (readonly [weight: number, value: T])[]): T {
    let left = this.fraction() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, value] of choices) {
      left -= weight;
      if (left < 0) return value;
    }
    return this.pick(choices)[1];
  }

  hex(digits: number): string {
    return Array.from({ length: digits }, () => this.integer(0, 15).toString(16)).join('');
  }

  uuid(): string {
    return [8, 4, 4, 4, 12]
      .map((digits, part) =>
        part === 2 ? `4${this.hex(3)}` : part === 3 ? `8${this.hex(3)}` : this.hex(digits),
      )
      .join('-');
  }
}
