/** The aims of past plans of a heat pump, half a byte a quarter hour, so that what was planned once is only done again. */

const WINDOWS = 512;
const MOST_QUARTERS = 104;
const BYTES = MOST_QUARTERS / 2;

export class PlanMemory {
  /** Made when it is first needed: most models are asked for one day. */
  #codes: Uint8Array | null = null;
  readonly #windows: number[] = [];

  /** Whether the codes of a window (local days since 1970) are kept. */
  has(window: number): boolean {
    return this.#windows[window & (WINDOWS - 1)] === window;
  }

  /** The code (0 to 15) of quarter hour `i` of a window that is kept. */
  codeAt(window: number, i: number): number {
    const byte = this.#codes?.[(window & (WINDOWS - 1)) * BYTES + (i >> 1)] ?? 0;
    return (i & 1) === 0 ? byte & 15 : byte >> 4;
  }

  /** Keeps the codes of a window, in place of those of another one. */
  keep(window: number, codes: Uint8Array): void {
    if (codes.length > MOST_QUARTERS) return;
    this.#codes ??= new Uint8Array(WINDOWS * BYTES);
    const slot = window & (WINDOWS - 1);
    for (let i = 0; i < codes.length; i += 2) {
      this.#codes[slot * BYTES + (i >> 1)] = (codes[i] ?? 0) | ((codes[i + 1] ?? 0) << 4);
    }
    this.#windows[slot] = window;
  }
}
