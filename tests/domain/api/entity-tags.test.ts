import { describe, expect, test } from 'vitest';
import {
  computeEntityTag,
  findKnownTag,
  requireMatch,
  toCodedTag,
} from '../../../src/domain/api/entity-tags.ts';

const body = { id: 1 };
const tag = computeEntityTag(JSON.stringify(body));
const other = computeEntityTag('{"id":2}');

test('equal bodies have one tag, as text or as bytes, and others another one', () => {
  expect(tag).toMatch(/^"[\w-]{22}"$/);
  expect(computeEntityTag(Buffer.from('{"id":1}'))).toBe(tag);
  expect(other).not.toBe(tag);
});

describe('If-None-Match', () => {
  test.each([
    [tag, tag],
    [`W/${tag}`, tag],
    [`${other}, ${tag}`, tag],
    [`"a,b" ,,${tag}`, tag],
    [toCodedTag(tag, 'gzip'), toCodedTag(tag, 'gzip')],
    [`W/${toCodedTag(tag, 'br')}`, toCodedTag(tag, 'br')],
    [' * ', tag],
    [other, undefined],
    [tag.slice(1, -1), undefined],
    [`${tag.slice(0, -1)}-zstd"`, undefined],
    [`"x${tag.slice(1)}`, undefined],
    [`, ${tag}\t,`, tag],
    [`${other};${tag}`, undefined],
    [`${other} ${tag}`, undefined],
    [`${tag}, foo`, undefined],
    [`w/${tag}`, undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%j knows %j', (header, known) => {
    expect(findKnownTag(header, tag)).toBe(known);
  });

  test('of 16 KiB without an end is read in the time of its length', () => {
    expect(findKnownTag('"'.repeat(16_384), tag)).toBeUndefined();
    expect(findKnownTag(`"${'W/'.repeat(8_000)}`, tag)).toBeUndefined();
  });
});

describe('If-Match', () => {
  test.each([undefined, '*', tag, `${other}, ${tag}`, toCodedTag(tag, 'gzip')])('%j fits', (header) => {
    requireMatch(header, () => body);
  });

  test.each(['', other, `W/${tag}`, tag.slice(1, -1), `foo${tag};bar`, `w/${tag}`, `*, ${tag}`])(
    '%j does not',
    (header) => {
      expect(() => requireMatch(header, () => body)).toThrow(/another entity tag/);
    },
  );
});
