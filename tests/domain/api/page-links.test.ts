import { expect, test } from 'vitest';
import { numberedPageRelations, offsetPageRelations } from '../../../src/domain/api/page-links.ts';

const first = { page: 1 };

test.each([
  [1, 0, { first, prev: undefined, next: undefined, last: first }],
  [1, 50, { first, prev: undefined, next: undefined, last: first }],
  [1, 51, { first, prev: undefined, next: { page: 2 }, last: { page: 2 } }],
  [2, 101, { first, prev: first, next: { page: 3 }, last: { page: 3 } }],
  // Behind a page beyond the end lies the last one.
  [9, 101, { first, prev: { page: 3 }, next: undefined, last: { page: 3 } }],
])('page %i of %i entries leads where there are entries', (page, total, relations) => {
  expect(numberedPageRelations(page, 50, total)).toEqual(relations);
});

const at = (offset: number) => ({ limit: 10, offset });

test.each([
  [0, 10, { first: at(0), prev: undefined, next: undefined, last: at(0) }],
  [0, 11, { first: at(0), prev: undefined, next: at(10), last: at(10) }],
  [5, 30, { first: at(0), prev: at(0), next: at(15), last: at(20) }],
  [90, 30, { first: at(0), prev: at(20), next: undefined, last: at(20) }],
])('offset %i of %i entries leads where there are entries', (offset, total, relations) => {
  expect(offsetPageRelations(10, offset, total)).toEqual(relations);
});
