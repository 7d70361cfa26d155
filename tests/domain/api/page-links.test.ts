import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  MAX_OFFSET,
  MAX_PAGE,
  MAX_TOTAL,
  numberedPageRelations,
  offsetPageRelations,
} from '../../../src/domain/api/page-links.ts';

test('the bounds are those of the document', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../generated/openapi.json'), 'utf8');
  const { parameters } = (JSON.parse(text) as { components: { parameters: Record<string, any> } }).components;
  const maximumOf = (name: string): unknown =>
    Object.values(parameters).find((each) => each.name === name)?.schema.maximum;
  expect([maximumOf('page'), maximumOf('offset')]).toEqual([MAX_PAGE, MAX_OFFSET]);
});

test('no page leads behind the last one that can be asked for', () => {
  const far = MAX_PAGE * 50 + 1;
  expect(numberedPageRelations(MAX_PAGE - 1, 50, far)).toMatchObject({
    next: { page: MAX_PAGE },
    last: { page: MAX_PAGE },
  });
  expect(numberedPageRelations(MAX_PAGE, 50, far)).toMatchObject({
    next: undefined,
    last: { page: MAX_PAGE },
  });
});

/** What is known of a list that was counted, on a page that ends with so many. */
const counted = (total: number, end: number) => ({ total, isTotalCapped: false, hasMore: end < total });

test('no offset leads behind the largest', () => {
  expect(offsetPageRelations(300, 9_600, counted(20_000, 9_900))).toMatchObject({
    next: { offset: 9_900 },
    last: { offset: 9_900 },
  });
  expect(offsetPageRelations(300, 9_900, counted(20_000, 10_200))).toMatchObject({
    next: undefined,
    prev: { offset: 9_600 },
  });
  expect(offsetPageRelations(50, 9_950, counted(20_000, 10_000))).toMatchObject({
    next: { offset: 10_000 },
    last: { offset: 10_000 },
  });
  expect(offsetPageRelations(50, 0, counted(120, 50))).toMatchObject({
    next: { offset: 50 },
    last: { offset: 100 },
  });
});

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
  expect(offsetPageRelations(10, offset, counted(total, offset + 10))).toEqual(relations);
});

test.each([
  [0, true, { first: at(0), prev: undefined, next: at(10), last: undefined }],
  [50, true, { first: at(0), prev: at(40), next: at(60), last: undefined }],
  [5_000, false, { first: at(0), prev: at(4_990), next: undefined, last: undefined }],
])('offset %i of a list too long to be counted', (offset, hasMore, relations) => {
  expect(offsetPageRelations(10, offset, { total: MAX_TOTAL, isTotalCapped: true, hasMore })).toEqual(
    relations,
  );
});
