// Which codes the document gives to which answers. That every answer keeps to it is checked with each call of all tests
// (tests/support/documented-codes.ts).
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { FIELD_PROBLEMS, PROBLEMS } from '../../generated/problems.ts';
import { ROUTES } from '../../generated/routes.ts';
import type { Route, SecuredOperationId } from '../../generated/routes.ts';
import { formats } from '../../src/domain/api/formats.ts';
import { ROLE_TABLE } from '../../src/domain/users/roles.ts';
import { readCatalogue } from '../../tools/generate/catalogue.ts';
import { listCodes } from '../../tools/generate/reference/codes.ts';
import { listOwnRules, listSchemaRules } from '../../tools/generate/reference/schema-rules.ts';
import { resolveReference } from '../../tools/generate/reference/schema-fields.ts';
import type { Node } from '../../tools/generate/reference/schema-fields.ts';
import type { Answer } from '../support/api-client.ts';
import { DOCUMENT, answersOf, isProblem, requireDocumentedCodes } from '../support/documented-codes.ts';

interface ErrorAnswer {
  readonly route: Route;
  readonly status: string;
  /** The answer without its examples: its codes are those that its schema enumerates. */
  readonly problems: readonly string[];
  readonly fields: readonly string[];
  readonly schema: unknown;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly examples: Readonly<Record<string, { readonly value: ExampleProblem }>>;
}

interface ExampleProblem {
  readonly code: string;
  readonly errors: readonly { readonly code: string }[];
}

const errorAnswers: readonly ErrorAnswer[] = ROUTES.flatMap((route) =>
  answersOf(route)
    .filter(([, answer]) => isProblem(answer))
    .map(([status, answer]) => {
      const { schema, examples } = (answer['content'] as Record<string, Node>)[
        'application/problem+json'
      ] as { schema: unknown; examples: Record<string, unknown> };
      const { problems, fields } = listCodes(DOCUMENT, { content: { problem: { schema } } });
      const named = Object.entries(examples).map(([code, each]) => [code, resolveReference(DOCUMENT, each)]);
      const headers = (answer['headers'] ?? {}) as ErrorAnswer['headers'];
      const all = Object.fromEntries(named) as ErrorAnswer['examples'];
      return { route, status, problems, fields, schema, headers, examples: all };
    }),
);

const nameOf = ({ route, status }: ErrorAnswer): string => `${route.operationId} ${status}`;
const idsWith = (code: string): string[] =>
  errorAnswers.filter(({ problems }) => problems.includes(code)).map(({ route }) => route.operationId);

/** Codes that come before an operation is found, or beside all of them: their pages say so. */
const BESIDE_OPERATIONS = Object.entries(readCatalogue(join(import.meta.dirname, '../..')))
  .filter(([, entry]) => 'beside_operations' in entry)
  .map(([code]) => code);

describe('of the codes of the catalogue', () => {
  test('each can occur at an operation, but for those beside operations', () => {
    const found = new Set(errorAnswers.flatMap(({ problems, fields }) => [...problems, ...fields]));
    const missing = [...Object.keys(PROBLEMS), ...Object.keys(FIELD_PROBLEMS)].filter(
      (code) => !found.has(code),
    );
    expect(missing.toSorted()).toEqual(BESIDE_OPERATIONS.toSorted());
    expect(missing.toSorted()).toEqual(['csrf_failed', 'method_not_allowed']);
    const none = resolveReference(DOCUMENT, { $ref: '#/components/responses/MethodNotAllowed' });
    expect(listCodes(DOCUMENT, none).problems).toEqual(['method_not_allowed']);
  });

  test('each that an error answer enumerates has one example there, and there are no others', () => {
    expect(errorAnswers.length).toBeGreaterThan(900);
    for (const answer of errorAnswers) {
      const { problems, fields, examples } = answer;
      expect([nameOf(answer), problems.length > 0, fields.length > 0]).toEqual([
        nameOf(answer),
        true,
        answer.status === '422',
      ]);
      expect([nameOf(answer), Object.keys(examples).toSorted()]).toEqual([
        nameOf(answer),
        [...problems, ...fields].toSorted(),
      ]);
      for (const [code, { value }] of Object.entries(examples))
        if (problems.includes(code)) expect(value.code).toBe(code);
        else
          expect([value.code, ...value.errors.map((each) => each.code)]).toEqual(['validation_failed', code]);
    }
  });
});

test('every example of a problem is valid for the answer that shows it', () => {
  const ajv = new Ajv2020({ strict: false, formats: { ...formats, 'uri-reference': true } });
  ajv.addSchema(DOCUMENT, 'document');
  const seen = new Set<string>();
  for (const { schema, examples } of errorAnswers) {
    const text = JSON.stringify(schema).replaceAll('"#/', '"document#/');
    if (seen.has(text)) continue;
    seen.add(text);
    const validate = ajv.compile(JSON.parse(text) as object);
    for (const [code, { value }] of Object.entries(examples))
      expect([code, validate(value), validate.errors]).toEqual([code, true, null]);
  }
  expect(seen.size).toBeGreaterThan(30);
});

describe('a code that follows from what an operation is', () => {
  const secured = ROUTES.filter(({ access }) => access === 'token');
  const idsOf = (routes: readonly Route[]): string[] => routes.map(({ operationId }) => operationId);
  const hasKey = ({ headers }: Route): boolean => headers.includes('Idempotency-Key');
  const isRefused = ({ operationId }: Route): boolean =>
    Object.values(ROLE_TABLE[operationId as SecuredOperationId]).includes('none');

  test.each<[code: string, routes: readonly Route[]]>([
    ['role_forbidden', secured.filter(isRefused)],
    ['insufficient_scope', secured.filter(({ method }) => method !== 'get')],
    ['idempotency_key_in_use', ROUTES.filter(hasKey)],
    ['idempotency_key_reused', ROUTES.filter(hasKey)],
    ['precondition_failed', ROUTES.filter(({ headers }) => headers.includes('If-Match'))],
    ['malformed_json', ROUTES.filter(({ body, access }) => body !== null && access !== 'client')],
    ['unauthenticated', secured],
    ['uri_too_long', ROUTES],
    ['starting', ROUTES],
  ])('%s stands where it can occur', (code, routes) => {
    expect(idsWith(code).toSorted()).toEqual(idsOf(routes).toSorted());
  });

  test('WWW-Authenticate is told of where a code brings it', () => {
    const challenged = errorAnswers.filter(({ headers }) => 'WWW-Authenticate' in headers).map(nameOf);
    const codes = ['unauthenticated', 'insufficient_scope'];
    const expected = errorAnswers.filter(({ problems }) => codes.some((code) => problems.includes(code)));
    expect(challenged).toEqual(expected.map(nameOf));
  });
});

test('the rules across fields that operations state have codes that their 422 enumerates', () => {
  const stated = ROUTES.flatMap((route) => {
    const item = DOCUMENT.paths[route.path] ?? {};
    const operation = item[route.method] ?? {};
    const parameters = [item['parameters'], operation['parameters']].flatMap((each) => each ?? []);
    const ofParameters = parameters.flatMap((each) => listOwnRules(resolveReference(DOCUMENT, each)));
    const { content = {} } = resolveReference(DOCUMENT, operation['requestBody']) as {
      content?: Readonly<Record<string, Node>>;
    };
    const ofBody = listSchemaRules(DOCUMENT, content['application/json']?.['schema']);
    return [...ofParameters, ...ofBody].map(({ code }) => `${route.operationId} ${code}`);
  });
  const known = new Set(
    errorAnswers.flatMap(({ route, fields }) => fields.map((code) => `${route.operationId} ${code}`)),
  );
  expect(stated.length).toBeGreaterThan(40);
  expect(stated.filter((each) => !known.has(each))).toEqual([]);
});

describe('an answer is refused by the tests', () => {
  const answer = (status: number, code: string, ...fields: readonly string[]): Answer => ({
    status,
    headers: { 'content-type': 'application/problem+json; charset=utf-8' },
    body: { code, errors: fields.map((each) => ({ code: each })) },
    text: '',
  });

  test.each<[what: string, answer: Answer]>([
    ['whose status the document does not have', answer(410, 'request_purged')],
    ['whose code it does not give to the status', answer(409, 'last_admin')],
    [
      'with the code of a field that it does not give',
      answer(422, 'validation_failed', 'text', 'range_order'),
    ],
  ])('%s', (_what, wrong) => {
    expect(() => requireDocumentedCodes('createUser', wrong)).toThrow(/^createUser: the document /);
  });

  test.each([
    answer(409, 'email_taken', 'email_taken'),
    answer(422, 'validation_failed', 'text', 'country_unknown'),
    { ...answer(410, 'request_purged'), headers: { 'content-type': 'application/json' } },
  ])('only then', (right) => {
    expect(() => requireDocumentedCodes('createUser', right)).not.toThrow();
  });
});
