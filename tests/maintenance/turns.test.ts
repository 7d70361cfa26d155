import { expect, test } from 'vitest';
import { RemovalTurns, RoundErrors } from '../../src/maintenance/turns.ts';
import { DatabaseTimeoutError } from '../../src/queries/connection/database-errors.ts';

/** Organizations of which so many batches are left, and the turns that they have had. */
function removal(left: Readonly<Record<string, number>>, listsAlways = true) {
  const turns = new RemovalTurns<number>({ listsAlways });
  const had: string[] = [];
  const failures = new Map<string, Error>();
  const round = (errors = new RoundErrors()) =>
    turns.begin(
      {
        list: () => Promise.resolve(Object.keys(left)),
        remove: (orgId, _limit, from = 0) => {
          had.push(orgId);
          const error = failures.get(orgId);
          if (error !== undefined) return Promise.reject(error);
          const place = from + 1;
          return Promise.resolve(place < (left[orgId] ?? 0) ? place : undefined);
        },
      },
      errors,
    );
  return { had, failures, round };
}

/** So many batches; what each resolves to. */
async function take(removeBatch: (limit: number) => Promise<number>, batches: number): Promise<number[]> {
  const removed: number[] = [];
  for (let batch = 0; batch < batches; batch += 1) removed.push(await removeBatch(7));
  return removed;
}

test('organizations have turns one after the other, each from the place on that its last one came to', async () => {
  const { had, round } = removal({ many: 4, few: 1, some: 2 });
  expect(await take(round(), 7)).toEqual([7, 7, 7, 7, 7, 7, 0]);
  expect(had).toEqual(['many', 'few', 'some', 'many', 'some', 'many', 'many']);
});

test('a round without an organization is over at once', async () => {
  expect(await take(removal({}).round(), 1)).toEqual([0]);
});

test('those that a round has left come first in the next one, and go on there', async () => {
  const { had, round } = removal({ endless: Infinity, last: 2 });
  expect(await take(round(), 3)).toEqual([7, 7, 7]);
  expect(await take(round(), 2)).toEqual([7, 7]);
  // Its second turn was its last one.
  expect(had).toEqual(['endless', 'last', 'endless', 'last', 'endless']);
});

test('where all are listed, those that were have their turns before they are listed again, so that a round ends', async () => {
  const { had, round } = removal({ first: 1, second: 1, third: 1 }, false);
  expect(await take(round(), 2)).toEqual([7, 7]);
  expect(await take(round(), 1)).toEqual([0]);
  expect(await take(round(), 3)).toEqual([7, 7, 0]);
  expect(had).toEqual(['first', 'second', 'third', 'first', 'second', 'third']);
});

test('one that fails keeps no other one waiting, and has its turn again in the next round', async () => {
  const { had, failures, round } = removal({ failing: 2, healthy: 2 });
  const refused = new Error('refused');
  failures.set('failing', refused);
  const errors = new RoundErrors();
  expect(await take(round(errors), 3)).toEqual([7, 7, 0]);
  expect([had, errors.all]).toEqual([['failing', 'healthy', 'healthy'], [refused]]);
  failures.clear();
  expect(await take(round(), 2)).toEqual([7, 7]);
  expect(had.slice(3)).toEqual(['failing', 'healthy']);
});

test('two in a row that take too long end the removal, and the round with it', async () => {
  const { had, failures, round } = removal({ slow: 1, healthy: 1, slower: 1, slowest: 1, behind: 1 });
  const late = new DatabaseTimeoutError('late');
  for (const orgId of ['slow', 'slower', 'slowest']) failures.set(orgId, late);
  const errors = new RoundErrors();
  const removeBatch = round(errors);
  expect(await take(removeBatch, 3)).toEqual([7, 7, 7]);
  await expect(removeBatch(7)).rejects.toBe(late);
  expect(had).toEqual(['slow', 'healthy', 'slower', 'slowest']);
  // As the round is told it again.
  expect(errors.add(late)).toBe(true);
});
