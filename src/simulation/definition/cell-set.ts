/** Which cells of a grid are taken: one bit each, so that sixteen million cells are 2 MB. */
export class CellSet {
  readonly #bits: Uint32Array;

  /** None of `cells` cells, which are numbered from 0. */
  constructor(cells: number) {
    this.#bits = new Uint32Array(Math.ceil(cells / 32));
  }

  has(cell: number): boolean {
    return (((this.#bits[cell >>> 5] ?? 0) >>> (cell & 31)) & 1) === 1;
  }

  /** Takes the cells from `from` up to and without `to`. */
  add(from: number, to: number = from + 1): void {
    const [first, last] = [from >>> 5, to >>> 5];
    const head = ~0 << (from & 31);
    const tail = ~(~0 << (to & 31));
    if (first === last) {
      this.#take(first, head & tail);
      return;
    }
    this.#take(first, head);
    this.#bits.fill(~0, first + 1, last);
    this.#take(last, tail);
  }

  #take(word: number, bits: number): void {
    this.#bits[word] = (this.#bits[word] ?? 0) | bits;
  }
}
