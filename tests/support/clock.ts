/** A clock for tests: it stands still until it is set or advanced. */
export class TestClock {
  #now: Date;

  constructor(now: Date | string) {
    this.#now = new Date(now);
  }

  readonly now = (): Date => new Date(this.#now);

  set(instant: Date | string): void {
    this.#now = new Date(instant);
  }

  advance(milliseconds: number): void {
    this.#now = new Date(this.#now.getTime() + milliseconds);
  }
}
