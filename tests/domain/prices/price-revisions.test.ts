import { afterEach, expect, test, vi } from 'vitest';
import { PriceRevisionsBuilder } from '../../../src/domain/prices/price-revisions.ts';

const PIECE = 32_768;
afterEach(() => void vi.restoreAllMocks());

/** Revisions of so many starts from a number on, each of which came in by itself, the later starts first. */
const revisionsOf = (count: number, first = 0): Float64Array =>
  Float64Array.from({ length: count * 3 }, (_, at) => {
    const start = first + Math.floor(at / 3);
    return [start, -start, start / 7][at % 3] ?? NaN;
  });

const areEqual = (a: Float64Array, b: Float64Array): boolean =>
  a.length === b.length && a.every((number, at) => number === b[at]);

/** What is copied between two pauses. */
function watchCopies(): { readonly most: () => number; readonly pause: () => Promise<void> } {
  const copies = vi.spyOn(Float64Array.prototype, 'set');
  let most = 0;
  const pause = (): Promise<void> => {
    most = Math.max(
      most,
      copies.mock.calls.reduce((sum, [copied]) => sum + copied.length, 0),
    );
    copies.mockClear();
    return Promise.resolve();
  };
  return { most: () => (void pause(), most), pause };
}

test('no more than a piece is copied between two pauses, be it of one page or of many', async () => {
  for (const rows of [100_000, 10_000, 7]) {
    const builder = new PriceRevisionsBuilder();
    for (let first = 0; first < Math.min(100_000, rows * 100); first += rows)
      builder.add(revisionsOf(rows, first));
    const { most, pause } = watchCopies();
    const inPieces = await builder.buildInPieces(pause);
    expect(most()).toBeLessThanOrEqual(PIECE);
    vi.restoreAllMocks();
    const { numbers, arrivals } = builder.build();
    expect(areEqual(inPieces.numbers, numbers)).toBe(true);
    expect(areEqual(inPieces.arrivals, arrivals)).toBe(true);
  }
});

test('arrivals are merged with pauses, a number for as often as lists are doubled', async () => {
  const pagesOf = async (pages: number): Promise<number> => {
    const builder = new PriceRevisionsBuilder();
    // Each page has arrivals between those of all others.
    for (let page = 0; page < pages; page += 1)
      builder.add(
        new Float64Array(),
        Float64Array.from({ length: PIECE }, (_, at) => at * pages + page),
      );
    let pauses = 0;
    const { arrivals } = await builder.buildInPieces(() => Promise.resolve(void (pauses += 1)));
    expect(arrivals.length).toBe(pages * PIECE);
    expect(arrivals.every((arrival, at) => arrival === at)).toBe(true);
    return pauses;
  };
  // What is merged and copied, but for the first piece; one after the other eight would take 43.
  expect([await pagesOf(1), await pagesOf(2), await pagesOf(8)]).toEqual([0, 3, 31]);
});

test('each arrival is there once and in order, however revisions came in', async () => {
  const first = Float64Array.of(1, 30, 0.5, 1, 50, 0.6, 2, 30, 0.7);
  const second = Float64Array.of(3, 10, 0.8, 3, 50, 0.9, 4, 70, 1);
  const builder = new PriceRevisionsBuilder().add(first).add(second);
  const { numbers, arrivals } = await builder.buildInPieces(() => Promise.reject(new Error('one piece')));
  expect([...numbers]).toEqual([...first, ...second]);
  expect([...arrivals]).toEqual([10, 30, 50, 70]);
  expect(numbers.buffer).toBeInstanceOf(SharedArrayBuffer);
  expect(arrivals.buffer).toBeInstanceOf(SharedArrayBuffer);
});
