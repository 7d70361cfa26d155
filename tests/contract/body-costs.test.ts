import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ROUTES } from '../../generated/routes.ts';
import { INLINE_BODY_BYTES } from '../../src/compute/inline.ts';
import { BYTES_OPERATIONS } from '../../src/contract/handlers.ts';
import { FIELD_ERRORS_SOUGHT } from '../../src/domain/api/problem.ts';
import { parseJsonBody } from '../../src/contract/json-body.ts';
import { findJsonFault } from '../../src/contract/scan-json.ts';
import { validateBody } from '../../src/contract/validate-body.ts';
import * as findErrors from '../../generated/find-body-errors.js';
import * as firstPass from '../../generated/validate-bodies.js';

// What a body may cost before and while it is validated. Counts and processor time, never the time on the clock.

const bytesOf = (text: string): Buffer => Buffer.from(text);
const prices = (count: number, entry: string): string => `{"data":[${Array(count).fill(entry).join(',')}]}`;
const validate = (text: string) => validateBody('uploadDayAheadPrices', parseJsonBody(bytesOf(text)));

describe('a body is refused as malformed_json', () => {
  test.each([
    ['with a property twice', '{"a":1,"b":{"c":[{"d":1,"d":2}]}}', 'The property "d" is repeated'],
    [
      'with a property twice in two spellings',
      String.raw`{"a":1,"\u0061":2}`,
      'The property "a" is repeated',
    ],
    [
      'with a property twice after an object',
      '{"a":{"b":1},"b":[1,2],"a":3}',
      'The property "a" is repeated',
    ],
    ['with 65 levels', '['.repeat(65) + ']'.repeat(65), 'nested deeper than 64 levels'],
    [
      'with 1,001 properties in one object',
      JSON.stringify(Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`p${i}`, 1]))),
      'more than 1000 properties',
    ],
    ['with 100,001 lists', `[${Array(100_000).fill('[]').join()}]`, 'more than 100000 objects and lists'],
    ['that ends in a string', '{"a":"b', 'Unterminated string'],
    ['that is not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'It is not UTF-8'],
  ])('%s', (_name, body, detail) => {
    expect(() => parseJsonBody(Buffer.from(body as string))).toThrow(detail);
  });
});

test('bodies at the bounds are read', () => {
  const object = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`p${i}`, 'p1']));
  for (const value of [
    JSON.parse('['.repeat(64) + ']'.repeat(64)) as unknown,
    object,
    Array(99_999).fill([]) as unknown,
    [{ a: 1, b: { a: 1 } }, { a: 1 }, 'a', 'a'],
    { a: ['b', 'b', { b: 'a,b:{[' }], b: String.raw`\",\\` },
  ])
    expect(parseJsonBody(bytesOf(JSON.stringify(value))).value).toEqual(value);
});

test('any JSON text is taken that has no property twice', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 8 }), (text) => {
      expect(findJsonFault(text)).toBeUndefined();
    }),
  );
});

test('a property that was written a second time anywhere is found', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), fc.string(), fc.jsonValue(), (inside, name, value) => {
      const [key, text] = [JSON.stringify(name), JSON.stringify(value)];
      const twice = `[{"x":${JSON.stringify(inside)}},{${key}:${text},"${name === 'y' ? 'z' : 'y'}":{},${key}:1}]`;
      expect(findJsonFault(twice)).toContain('is repeated');
    }),
  );
});

test('text that is no JSON ends the scan too', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('{', '}', '[', ']', '"', ',', ':', '\\', 'a', '1')),
      (characters) => {
        const fault = findJsonFault(characters.join(''));
        expect(['string', 'undefined']).toContain(typeof fault);
      },
    ),
  );
});

test('the first pass stops at the first error, the second at eight for each that is told', () => {
  const faulty = JSON.parse(prices(9000, '{"timestamp":"noon","price":"1","x":1}')) as unknown;
  expect(firstPass.uploadDayAheadPrices(faulty)).toBe(false);
  expect(firstPass.uploadDayAheadPrices.errors).toHaveLength(1);
  expect(findErrors.uploadDayAheadPrices(faulty)).toBe(false);
  expect(findErrors.uploadDayAheadPrices.errors?.length).toBeLessThanOrEqual(8 * FIELD_ERRORS_SOUGHT);
});

test('of many errors one more is found than is told', () => {
  for (const entry of [
    '{"timestamp":"noon","price":"1"}',
    String.raw`{"timestamp":"\ud800","price":1}`,
    '{"timestamp":"2026-01-01T00:00Z","price":1,"best_bid":["a"]}',
  ]) {
    const result = validate(prices(9000, entry));
    expect('errors' in result && result.errors.length).toBeGreaterThanOrEqual(FIELD_ERRORS_SOUGHT);
    expect('errors' in result && result.errors.length).toBeLessThanOrEqual(2 * FIELD_ERRORS_SOUGHT);
  }
});

test('of "object or null" only what is wrong is told', () => {
  const names = ['pv_rating_kw_range', 'battery_capacity_kwh_range', 'max_charge_power_w_range', 'density'];
  const result = validateBody('createFleet', {
    value: {
      request_id: '0c5a9d0e-3a3e-4a8e-9d55-2f1b8f2a6c01',
      ...Object.fromEntries(names.map((name) => [name, null])),
      initial_soc_percent_range: { min: 1 },
      max_discharge_power_w_range: 'high',
      count: 0,
    },
    mayHoldUnstorableText: false,
  });
  expect('errors' in result && result.errors.map(({ pointer, code }) => `${pointer ?? ''} ${code}`)).toEqual([
    '/count minimum',
    '/initial_soc_percent_range/max required',
    '/max_discharge_power_w_range type',
  ]);
  expect('errors' in result && result.errors.find(({ code }) => code === 'type')?.detail).toBe(
    'Must be of type object or null.',
  );
});

test('a body of 1 MB with errors in each place costs no more than a few parses of it', () => {
  const text = prices(25_000, '{"timestamp":"noon","price":"1","x":1}');
  const parse = processorMs(() => JSON.parse(text));
  expect(processorMs(() => validate(text))).toBeLessThan(10 * parse + 50);
});

test('of what an operation may be sent the event loop parses 64 KiB at most', () => {
  const larger = ROUTES.filter(({ body }) => (body?.maxBytes ?? 0) > INLINE_BODY_BYTES);
  expect(larger.map(({ operationId }) => operationId).toSorted()).toEqual(BYTES_OPERATIONS.toSorted());
});

const unknownProperties = `{${Array.from({ length: 54 }, (_, i) => {
  const inside = Array.from({ length: 119 }, (_each, j) => `"k${j}":1`);
  return `"p${i}":{${inside.join(',')}}`;
}).join(',')}}`;

test.each([
  ['a text', 'createWebhook', `{"url":"https://${'@'.repeat(65_000)}","topics":[]}`],
  ['empty topics', 'createWebhook', `{"url":"https://a.example","topics":[${'"",'.repeat(21_000)}""]}`],
  ['unknown properties', 'createUser', unknownProperties],
  ['one unknown text', 'createUser', `{"x":"${'a'.repeat(65_000)}"}`],
] as const)('a body of 64 KiB of %s takes less than 25 ms', (_what, id, text) => {
  expect(text.length).toBeGreaterThan(50_000);
  expect(text.length).toBeLessThan(INLINE_BODY_BYTES);
  // 0.3 to 10 ms; bodies of 1 MiB took 50 ms and more.
  expect(processorMs(() => validateBody(id, parseJsonBody(bytesOf(text))))).toBeLessThan(25);
});

/** Processor time of the cheapest of three runs, in milliseconds. */
function processorMs(run: () => unknown): number {
  const times = Array.from({ length: 3 }, () => {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}
