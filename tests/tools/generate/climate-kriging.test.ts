import { expect, test } from 'vitest';
import { TERM_COUNT, influenceAt, unitVector } from '../../../src/simulation/environment/climate-terms.ts';
import { krige } from '../../../tools/generate/climate-kriging.ts';
import { solve } from '../../../tools/generate/linear-system.ts';

const PLACES = Array.from({ length: 40 }, (_, i) => [40 + ((i * 7.3) % 20), ((i * 11.7) % 30) - 5] as const);
const sites = {
  vectors: PLACES.map(([latitude, longitude]) => unitVector(latitude, longitude)),
  terms: PLACES.map(([latitude]) =>
    Float64Array.from({ length: TERM_COUNT }, (_, i) => (i === 0 ? 1 : i === 1 ? latitude / 90 : 0)),
  ),
};
const SMOOTH = { chance: 0.01, terms: [1], termVariance: 1 };

/** What a kriged column tells of a place. */
function valueAt(
  [latitude, longitude]: readonly [number, number],
  kriged: ReturnType<typeof krige>[number],
): number {
  const here = unitVector(latitude, longitude);
  const { coefficients, pulls } = kriged;
  return sites.vectors.reduce(
    (sum, there, i) =>
      sum +
      (pulls[i] ?? 0) *
        influenceAt(6371 * Math.hypot(here[0] - there[0], here[1] - there[1], here[2] - there[2])),
    (coefficients[0] ?? 0) + ((coefficients[1] ?? 0) * latitude) / 90,
  );
}
const only = <Value>([first]: readonly Value[]): Value => {
  if (first === undefined) throw new Error('no value');
  return first;
};

test('a column without chance is told as it is at its sites', () => {
  const values = PLACES.map(([latitude, longitude]) => latitude / 10 + Math.sin(longitude / 9));
  const kriged = only(krige(sites, [values], SMOOTH));
  for (const [i, place] of PLACES.entries())
    expect(Math.abs(valueAt(place, kriged) - (values[i] ?? 0))).toBeLessThan(0.1);
});

test('what is chance at one site is not carried to its neighbours', () => {
  const values = PLACES.map((_, i) => (i === 7 ? 1 : 0));
  const place = PLACES[7] ?? [0, 0];
  const [trusted, doubted] = [SMOOTH, { ...SMOOTH, chance: 0.6 }].map((spread) =>
    valueAt(place, only(krige(sites, [values], spread))),
  );
  expect(trusted).toBeGreaterThan(0.8);
  expect(doubted).toBeLessThan(0.5);
});

test('several columns at once are each as alone', () => {
  const columns = [PLACES.map(([latitude]) => latitude), PLACES.map(([, longitude]) => longitude)];
  const together = krige(sites, columns, SMOOTH);
  for (const [i, column] of columns.entries()) {
    const alone = only(krige(sites, [column], SMOOTH));
    for (const [j, pull] of alone.pulls.entries()) expect(together[i]?.pulls[j]).toBeCloseTo(pull, 6);
  }
});

test('a system of equations is solved for each of its right sides', () => {
  const rows = [Float64Array.of(4, 1, 9, 5), Float64Array.of(1, 3, 5, 4)];
  expect(solve(rows).map((solution) => Array.from(solution, (x) => Number(x.toFixed(9))))).toEqual([
    [2, 1],
    [1, 1],
  ]);
});
