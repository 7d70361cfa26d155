// The examples of the document, sent in their order, pass through Prism; and the validators find what is wrong with spoilt ones.
// `make validators` does the same with all exchanges of the tests.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ROUTES } from '../../generated/routes.ts';
import { exampleWorld } from '../contract/example-world.ts';
import { sendDirectly, sendExamples } from '../contract/send-examples.ts';
import { STACK_TELLER } from '../interoperability/libraries.ts';
import { EXCHANGES_VARIABLE } from '../support/recorded-exchanges.ts';
import type { RecordedExchange } from '../support/recorded-exchanges.ts';
import { readExchanges } from './exchanges.ts';
import { startPrism } from './prism.ts';
import type { Prism } from './prism.ts';
import { CanaryChoice, Tally } from './tally.ts';
import { expressOpenapiValidator } from './validator.ts';

/** How many operations take a body that says something. */
const BODIES = ROUTES.filter(({ body }) => body?.isBare === false).length;

const world = exampleWorld();
const folder = mkdtempSync(join(tmpdir(), 'partner-exchanges-'));
const tellStack: unknown = Reflect.get(Error, STACK_TELLER);
let prism: Prism;
const exchanges: RecordedExchange[] = [];

beforeAll(async () => {
  vi.stubEnv(EXCHANGES_VARIABLE, folder);
  await sendExamples(world, sendDirectly(world));
  vi.unstubAllEnvs();
  for await (const exchange of readExchanges(folder)) exchanges.push(exchange);
  prism = await startPrism();
});
afterAll(async () => {
  await prism.close();
  rmSync(folder, { recursive: true });
});

test('errors of the process are told as without Prism', () => {
  expect(Reflect.get(Error, STACK_TELLER)).toBe(tellStack);
});

test('Prism has nothing against an exchange of the examples', async () => {
  const tally = new Tally(prism);
  for (const exchange of exchanges) await tally.add(exchange);
  expect(tally).toMatchObject({ answers: exchanges.length, overlooked: 0, complaints: new Map() });
  expect(new Set(exchanges.map(({ operationId }) => operationId)).size).toBe(ROUTES.length);
});

test.each([
  ['Prism', () => prism],
  ['express-openapi-validator', () => expressOpenapiValidator],
])('%s finds each answer and each request that is made wrong', async (_name, validator) => {
  const [tally, choice] = [new Tally(validator()), new CanaryChoice()];
  for (const canary of exchanges.flatMap((exchange) => choice.take(exchange))) await tally.addCanary(canary);
  expect(tally.missed).toEqual([]);
  for (const [kind, { made, caught }] of tally.canaries) {
    expect(caught).toBe(made);
    expect(made).toBeGreaterThan((kind === 'unknown media type of the request' ? BODIES : ROUTES.length) / 2);
  }
});

test('Prism finds a request that should have been refused', async () => {
  const created = exchanges.find(({ operationId }) => operationId === 'createUser');
  if (created === undefined) throw new Error('No user was created.');
  const tally = new Tally(prism);
  await tally.add({ ...created, body: '{"email": 5}' });
  expect([...tally.complaints.keys()].join()).toMatch(/createUser 201, the request is taken: .*email/);
});
