import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formats } from '../../../src/domain/api/formats.ts';
import { readCatalogue } from '../../../tools/generate/catalogue.ts';
import type { OpenApiDocument } from '../../../tools/generate/document.ts';
import { PATTERNS, toPublished } from '../../../tools/generate/published.ts';

const catalogue = readCatalogue(join(import.meta.dirname, '../../..'));

const problem = { content: { 'application/problem+json': {} } };

/** A document with one operation, whose answers and body are given. */
function documentOf(
  responses: Readonly<Record<string, unknown>>,
  shared: Readonly<Record<string, unknown>>,
  schema: unknown = { type: 'object' },
): OpenApiDocument {
  const operation = {
    operationId: 'makeThing',
    requestBody: { content: { 'application/json': { schema } } },
    responses,
  };
  return {
    info: { version: '1.0' },
    paths: { '/things': { post: operation } },
    components: { schemas: { Problem: {} }, responses: { ...shared } },
  };
}

const refer = (name: string, more: object = {}): object => ({
  $ref: `#/components/responses/${name}`,
  ...more,
});

describe('the codes of an answer', () => {
  test('are those of the shared answer, of the operation, and of its schemas', () => {
    const schema = {
      type: 'object',
      required: ['size'],
      properties: { size: { type: 'number', minimum: 1 } },
    };
    const { paths, components } = toPublished(
      documentOf(
        {
          422: refer('Unprocessable', { 'x-codes': ['quota_reached'], 'x-field-codes': ['country_unknown'] }),
        },
        { Unprocessable: { description: 'Wrong.', 'x-codes': ['validation_failed'], ...problem } },
        schema,
      ),
      catalogue,
    );
    const name = 'UnprocessableOfMakeThing';
    expect(paths['/things']?.['post']).toMatchObject({
      responses: { 422: { $ref: `#/components/responses/${name}` } },
    });
    const fields = [
      'country_unknown',
      'minimum',
      'null_not_allowed',
      'required',
      'text',
      'type',
      'unknown_property',
    ];
    const description: unknown = expect.any(String);
    const open = (values: readonly string[]): object => ({
      description,
      anyOf: [{ type: 'string', enum: values }, { type: 'string' }],
    });
    const all = ['quota_reached', 'validation_failed'];
    const items = { type: 'object', properties: { code: open(fields) } };
    const properties = { code: open(all), errors: { type: 'array', description, items } };
    expect(components['responses']).toEqual({
      [name]: {
        description: 'Wrong.',
        content: {
          'application/problem+json': {
            schema: { allOf: [{ $ref: '#/components/schemas/Problem' }, { type: 'object', properties }] },
            examples: Object.fromEntries(
              [...all, ...fields].map((code) => [code, { $ref: `#/components/examples/${code}` }]),
            ),
          },
        },
      },
    });
    expect(Object.keys(components['examples'] ?? {}).toSorted()).toEqual([...all, ...fields].toSorted());
  });

  test('an answer of every operation need not be written with each', () => {
    const every = { 'x-answers': 'any-request', 'x-status': '414', 'x-codes': ['uri_too_long'], ...problem };
    const body = { 'x-answers': 'any-body', 'x-status': '408', 'x-codes': ['request_timeout'], ...problem };
    const { paths } = toPublished(documentOf({}, { UriTooLong: every, RequestTimeout: body }), catalogue);
    expect(paths['/things']?.['post']).toMatchObject({
      responses: { 408: refer('RequestTimeout'), 414: refer('UriTooLong') },
    });
  });

  test.each<[what: string, codes: readonly string[], fault: string]>([
    ['none', [], 'makeThing 409: the answer is a problem and has no x-codes.'],
    ['one of another status', ['last_admin', 'not_found'], 'no problem code not_found with this status'],
    ['one of a field', ['text'], 'no problem code text with this status'],
    ['one that is not there', ['nonsense'], 'no problem code nonsense'],
  ])('%s stops the generator', (_what, codes, fault) => {
    const document = documentOf({ 409: refer('Conflict') }, { Conflict: { 'x-codes': codes, ...problem } });
    expect(() => toPublished(document, catalogue)).toThrow(fault);
  });
});

test('known values become a choice', () => {
  const known = { type: ['string', 'null'], 'x-known-values': ['a', 'b'], description: 'A or b.' };
  const document = documentOf({}, {}, known);
  const published = JSON.stringify(toPublished(document, catalogue).paths);
  expect(published).toContain(
    JSON.stringify({
      anyOf: [{ type: 'string', enum: ['a', 'b'] }, { type: 'string' }, { type: 'null' }],
      description: 'A or b.',
    }),
  );
  expect(published).not.toContain('x-known-values');
});

describe('the pattern of an own format', () => {
  const matches = (format: string, text: string): boolean =>
    new RegExp(PATTERNS[format] ?? '^$', 'u').test(text);

  test('fits every instant that is read', () => {
    const near = fc.stringMatching(
      /^[0-9]{4}-[01][0-9]-[0-3][0-9]([Tt ][0-2][0-9]:[0-5][0-9](:[0-6][0-9]([.,][0-9]{1,10})?)?([Zz]|[+-][0-2][0-9](:?[0-6][0-9])?)?)?$/,
    );
    fc.assert(
      fc.property(fc.oneof(near, fc.string()), (text) => {
        const isRead = formats['instant']?.(text) === true;
        expect(isRead && !matches('instant', text)).toBe(false);
      }),
      { numRuns: 2_000 },
    );
    for (const text of ['2026-11-21', '2026-11-21 08:15', '2026-11-21T08:15:00,5+0130', '2024-02-29t00:00z'])
      expect([text, matches('instant', text)]).toEqual([text, true]);
    for (const text of ['', 'noon', '20261121', '2026-13-01', '2026-11-21T24:00', '2026-11-21T08:15Z\n'])
      expect([text, matches('instant', text)]).toEqual([text, false]);
  });

  test('fits the texts that a path can hold, and no others', () => {
    const dots = fc.stringMatching(/^[.a\n]{1,4}$/);
    fc.assert(
      fc.property(fc.oneof(dots, fc.string({ minLength: 1 })), (text) => {
        expect([text, matches('path-segment', text)]).toEqual([text, formats['path-segment']?.(text)]);
      }),
    );
  });
});
