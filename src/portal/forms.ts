import express from 'express';
import type { Request, RequestHandler } from 'express';
import { sha256Digest, matchesDigest } from '../domain/security/credentials.ts';
import { readFormParts } from './form-parts.ts';

/** Messages by field name; empty when the form is in order. */
export type FieldMessages = Readonly<Record<string, string>>;

/** Before anybody has signed in. */
const MAX_FORM_BYTES = 16_384;
/** A notice of 2,000 characters, of which each takes twelve bytes of a form where it is none of ours, and the other fields. */
const MAX_PAGE_FORM_BYTES = 32_768;
/** The longest weights that the API takes of a density, 340,000 characters of base64 for URLs, and the other fields. */
const MAX_FLEET_FORM_BYTES = 400_000;
/** 10,000 lines of prices with bids and asks, and the other fields. */
const MAX_PRICE_FORM_BYTES = 1_100_000;

/**
 * Reads form bodies of at most 16 KiB and 200 fields into `request.body`. A larger one, and one whose length is not declared,
 * as every browser does, is not read: its connection ends with the answer 413.
 */
export const parseFormBody = createFormParser(MAX_FORM_BYTES);

/** The same of the forms of who is signed in, or was: at most 32 KiB. */
export const parsePageForm = createFormParser(MAX_PAGE_FORM_BYTES);

/** The same of the form for a fleet, which may hold a painted density: at most 400 kB. */
export const parseFleetForm = createFormParser(MAX_FLEET_FORM_BYTES);

/** The same of the form for prices, which may hold a file: at most 1.1 MB, as `multipart/form-data` too. */
export const parsePriceForm = createFormParser(MAX_PRICE_FORM_BYTES, parseInParts(MAX_PRICE_FORM_BYTES));

/** Reads a form as it arrives: a megabyte at once holds the event loop for 20 ms. */
function parseInParts(mostBytes: number): RequestHandler {
  return (request, _response, next) => {
    void readFormParts(request, mostBytes).then((fields) => {
      request.body = fields;
      next();
    }, next);
  };
}

const FORM_TYPES = ['application/x-www-form-urlencoded', 'multipart/form-data'];

function createFormParser(mostBytes: number, parseLong?: RequestHandler): RequestHandler {
  const parseForm = express.urlencoded({
    extended: false,
    limit: mostBytes,
    parameterLimit: 200,
    inflate: false,
  });
  return (request, response, next) => {
    const isSmall = Number(request.get('content-length') ?? 0) <= mostBytes;
    if (isSmall && request.get('transfer-encoding') === undefined) {
      const isPlain = request.get('content-encoding') === undefined;
      if (parseLong !== undefined && isPlain && typeof request.is(FORM_TYPES) === 'string')
        parseLong(request, response, next);
      else parseForm(request, response, next);
      return;
    }
    response.setHeader('Connection', 'close');
    next(Object.assign(new Error('The form is too large.'), { status: 413 }));
  };
}

/**
 * A field of the form as it was typed; empty when absent or sent twice. NUL characters, which PostgreSQL text
 * cannot store, are dropped.
 */
export function readFormField(request: Request, name: string): string {
  const value = (request.body as Readonly<Record<string, unknown>> | undefined)?.[name];
  return typeof value === 'string' ? value.replaceAll('\0', '') : '';
}

/** The number that was typed; what is none stays text, and is refused as such. */
export function toNumber(text: string): number | string {
  return /^[+-]?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
}

/** A parameter of the query, NUL characters dropped; undefined when absent. Independent of the app's query parser. */
export function readQueryParameter(request: Request, name: string): string | undefined {
  const at = request.originalUrl.indexOf('?');
  if (at === -1) return undefined;
  return new URLSearchParams(request.originalUrl.slice(at)).get(name)?.replaceAll('\0', '');
}

/** Whether the form has the CSRF token that was put into it; compared in constant time. */
export function hasCsrfToken(request: Request, expected: string | undefined): boolean {
  return (
    expected !== undefined && matchesDigest(readFormField(request, 'csrf_token'), sha256Digest(expected))
  );
}

/**
 * `next` as a path of this service, undefined for anything that a browser could read as an address elsewhere:
 * `//host`, `/\host`, control characters, other schemes.
 */
export function toLocalPath(next: string | undefined, baseUrl: string): string | undefined {
  if (next === undefined || !/^\/(?![/\\])/.test(next) || /[\\\u0000-\u001f\u007f]/.test(next))
    return undefined;
  if (!URL.canParse(next, baseUrl)) return undefined;
  const target = new URL(next, baseUrl);
  // `/..//host` becomes `//host` only here.
  const isLocal = target.origin === new URL(baseUrl).origin && !target.pathname.startsWith('//');
  return isLocal ? `${target.pathname}${target.search}` : undefined;
}

/** What is wrong with a parameter of a filter. */
export const FILTER_MESSAGES = {
  choice: 'Choose one of the list.',
  instant: 'Write an instant, such as 2026-11-23T08:00.',
} as const;

/** What the address gives of these parameters, as it was written; what is not given or empty is left out. */
export function readFilterParameters<Name extends string>(
  request: Request,
  names: readonly Name[],
): Readonly<Partial<Record<Name, string>>> {
  const given = names.map((name) => [name, readQueryParameter(request, name)?.trim() ?? ''] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== '')) as Partial<Record<Name, string>>;
}

/** Makes the fields of a filter, none of which must be filled in, from what the address says. */
export function filterFieldOf<Name extends string>(
  query: Readonly<Partial<Record<Name, string>>>,
  errors: FieldMessages,
) {
  return (name: Name, label: string, rest: object = {}) => ({
    name,
    label,
    value: query[name] ?? '',
    required: false,
    error: errors[name],
    ...rest,
  });
}
