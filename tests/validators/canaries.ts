// Answers, and requests, that are made wrong on purpose.
import { ROUTES } from '../../generated/routes.ts';
import { findAnswerFault } from '../support/documented-answers.ts';
import type { RecordedExchange } from '../support/recorded-exchanges.ts';

export const CANARY_KINDS = [
  'missing property',
  'wrong type',
  'unknown status',
  'unknown media type',
  'unknown media type of the request',
] as const;
export type CanaryKind = (typeof CANARY_KINDS)[number];

export interface Canary {
  readonly kind: CanaryKind;
  /** Which half of the exchange was made wrong. */
  readonly side: 'request' | 'response';
  readonly exchange: RecordedExchange;
}

const UNDOCUMENTED_STATUS = 418;
const UNDOCUMENTED_TYPE = { 'content-type': 'text/x-unknown' };
const FIRST_ITEM = '0';

/** The wrong exchanges that are made of a right one. */
export function canariesOf(exchange: RecordedExchange): Canary[] {
  return [...wrongRequestsOf(exchange), ...wrongAnswersOf(exchange)];
}

/** Of requests that were taken, so that nothing else is wrong with them. */
function wrongRequestsOf(exchange: RecordedExchange): Canary[] {
  const { headers, body = '', answer } = exchange;
  if (body === '' || answer.status >= 400) return [];
  const wrong = { ...exchange, headers: { ...headers, ...UNDOCUMENTED_TYPE } };
  return [{ kind: 'unknown media type of the request', side: 'request', exchange: wrong }];
}

/** Of each kind the first and the last that the document refuses, by a direct validation of the body against its schema. */
function wrongAnswersOf(exchange: RecordedExchange): Canary[] {
  const { headers, text } = exchange.answer;
  if (text === '') return [];
  const of = (kind: CanaryKind, answer: Partial<RecordedExchange['answer']>): Canary => ({
    kind,
    side: 'response',
    exchange: answered(exchange, answer),
  });
  const canaries = [
    of('unknown status', { status: UNDOCUMENTED_STATUS }),
    of('unknown media type', { headers: { ...headers, ...UNDOCUMENTED_TYPE } }),
  ];
  if (headers['content-type']?.split(';')[0]?.endsWith('json') !== true) return canaries;
  const body: unknown = JSON.parse(text);
  const places = placesIn(body);
  const wrong = (kind: CanaryKind, where: readonly Place[], value: unknown): Canary[] => {
    const texts = where.map((place) => JSON.stringify(changed(body, place, value)));
    const first = texts.find((each) => isRefused(exchange, each));
    const last = texts.findLast((each) => each !== first && isRefused(exchange, each));
    return [first, last].flatMap((each) => (each === undefined ? [] : [of(kind, { text: each })]));
  };
  return [
    ...canaries,
    ...wrong(
      'missing property',
      places.filter((place) => place.at(-1) !== FIRST_ITEM),
      undefined,
    ),
    ...wrong('wrong type', places, [true]),
  ];
}

function answered(exchange: RecordedExchange, answer: Partial<RecordedExchange['answer']>): RecordedExchange {
  return { ...exchange, answer: { ...exchange.answer, ...answer } };
}

function isRefused({ operationId, answer }: RecordedExchange, text: string): boolean {
  const route = ROUTES.find((each) => each.operationId === operationId);
  return route !== undefined && findAnswerFault(route, { ...answer, text }) !== undefined;
}

/** Names of properties and numbers of items. */
type Place = readonly string[];

/** Where a body has properties, the outer ones first; of a list only its first item is looked at. */
function placesIn(body: unknown): Place[] {
  const places: Place[] = [];
  let level: (readonly [Place, unknown])[] = [[[], body]];
  while (level.length > 0) {
    level = level.flatMap(([place, value]) =>
      entriesOf(value).map(([name, each]) => [[...place, name], each] as const),
    );
    places.push(...level.map(([place]) => place));
  }
  return places;
}

function entriesOf(value: unknown): [string, unknown][] {
  if (typeof value !== 'object' || value === null) return [];
  const entries = Object.entries(value);
  return Array.isArray(value) ? entries.slice(0, 1) : entries;
}

/** The body with another value at a place, or without it. */
function changed(body: unknown, [name, ...rest]: Place, value: unknown): unknown {
  if (name === undefined) return value;
  const inner = changed((body as Readonly<Record<string, unknown>>)[name], rest, value);
  if (Array.isArray(body)) return body.map((each: unknown, index) => (String(index) === name ? inner : each));
  return { ...(body as object), [name]: inner };
}
