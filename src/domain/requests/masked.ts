import { DOCUMENT_NAMES, DOCUMENT_WORDS } from '../../../generated/vocabulary.ts';
import { tryParseInstant } from '../api/instants.ts';
import { isUuid } from '../api/formats.ts';

/** What stands in place of a text that may be personal or secret. */
const MASK = '…';
/** Numbers and ids that tell who somebody is or where. */
const PERSONAL_NAMES: ReadonlySet<string> = new Set(['latitude', 'longitude', 'external_user_id']);
const NUMBER_PATTERN = /^-?\d{1,9}(?:\.\d{1,9})?$/;

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/**
 * A JSON value in which only what cannot be personal or secret is left: names that the document has, numbers, booleans, ids,
 * instants and the document's own words. Every other text is a mask: names, addresses, passwords and tokens are among them, and what
 * clients send by mistake.
 */
export function maskJson(value: unknown): Json {
  if (typeof value === 'string') return isPlainText(value) ? value : MASK;
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map(maskJson);
  if (typeof value !== 'object') return MASK;
  const members = Object.entries(value).map(([name, member]): [string, Json] => [
    maskName(name),
    PERSONAL_NAMES.has(name) && member !== null ? MASK : maskJson(member),
  ]);
  return Object.fromEntries(members);
}

/** A JSON Pointer whose steps are names of the document or indexes. */
export function maskPointer(pointer: string): string {
  return pointer
    .split('/')
    .map((step) => (/^\d*$/.test(step) ? step : maskName(step)))
    .join('/');
}

/** A path as a request had it: parameters by the rule of `maskJson`, `template` as in the document (`/org/{org_id}`). */
export function maskPath(template: string, path: string): string {
  const steps = path.split('/');
  return template
    .split('/')
    .map((step, index) => {
      const name = /^\{(\w+)\}$/.exec(step)?.[1];
      return name === undefined ? step : maskParameter(name, steps[index] ?? '');
    })
    .join('/');
}

/** A query by the same rule, with the question mark; empty when there is none. */
export function maskQuery(query: string): string {
  if (query === '') return '';
  const pairs = [...new URLSearchParams(query)].map(
    ([name, value]) => `${maskName(name)}=${maskParameter(name, value)}`,
  );
  return `?${pairs.join('&')}`;
}

function maskParameter(name: string, value: string): string {
  return !PERSONAL_NAMES.has(name) && (isPlainText(value) || NUMBER_PATTERN.test(value)) ? value : MASK;
}

/** A name that the document has; any other one is what a client has made up. */
export function maskName(name: string): string {
  return DOCUMENT_NAMES.has(name) ? name : MASK;
}

function isPlainText(text: string): boolean {
  return text === '' || isUuid(text) || DOCUMENT_WORDS.has(text) || tryParseInstant(text) !== undefined;
}
