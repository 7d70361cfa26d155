import { expect, test } from 'vitest';
import fc from 'fast-check';
import { CellSet } from '../../../src/simulation/definition/cell-set.ts';

test('ranges of cells are taken, and no other cell', () => {
  const size = 200;
  const range = fc
    .tuple(fc.nat(size), fc.nat(size))
    .map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
  fc.assert(
    fc.property(
      fc.array(range, { maxLength: 4 }),
      fc.array(fc.nat(size - 1), { maxLength: 4 }),
      (ranges, single) => {
        const set = new CellSet(size);
        const expected = new Set(single);
        for (const cell of single) set.add(cell);
        for (const [from, to] of ranges) {
          set.add(from, to);
          for (let cell = from; cell < to; cell++) expected.add(cell);
        }
        const cells = Array.from({ length: size }, (_, cell) => cell);
        expect(cells.filter((cell) => set.has(cell))).toEqual(cells.filter((cell) => expected.has(cell)));
      },
    ),
  );
});
