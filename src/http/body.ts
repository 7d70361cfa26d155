import { parse } from 'content-type';
import type { Request } from 'express';
import type { Route } from '../../generated/routes.ts';
import { findAcceptedType } from '../contract/accepted-type.ts';
import { joinPieces } from '../contract/body-pieces.ts';
import type { BodyPieces } from '../contract/body-pieces.ts';
import { parseJsonBody } from '../contract/json-body.ts';
import type { JsonBody } from '../contract/json-body.ts';
import { Problem } from '../domain/api/problem.ts';
import { findCutOffProblem } from './chunk-bounds.ts';
import { collectBody } from './collect-body.ts';
import { checkNotGivenUp } from './given-up.ts';
import { setSentBody } from './logged-exchange.ts';
import { hasBody } from './open-bodies.ts';

const UTF_8_NAMES = new Set(['utf-8', 'utf8']);

/**
 * Checks that the client takes one of the types that the operation answers with, or at least problems (RFC 9110, 12.5.1).
 * Every answer is UTF-8, and may be asked for so. Returns the type that the client prefers; the first one where it takes several
 * alike, or problems alone.
 * @throws Problem not_acceptable (406).
 */
export function chooseAnswerType(request: Request, types: readonly string[]): string {
  const [first = 'application/json'] = types;
  const accept = request.get('accept');
  // What nearly all clients send needs no comparison.
  if (accept === undefined || accept === '*/*') return first;
  if (types.includes(accept)) return accept;
  const answers = [...types, 'application/problem+json'].map((type) => `${type}; charset=utf-8`);
  const chosen = findAcceptedType(request, answers);
  if (chosen === false) {
    const cure = types.length > 1 ? `one of ${types.join(', ')} as Accept` : `Accept: ${first}`;
    throw new Problem('not_acceptable', `This operation answers with ${types.join(', ')}; send ${cure}.`);
  }
  return types.find((type) => chosen === `${type}; charset=utf-8`) ?? first;
}

/**
 * Reads and parses the body. Undefined where the body is optional and empty; then it may have any type.
 * @throws Problem unsupported_media_type (415), payload_too_large (413), overloaded (503) or malformed_json (400).
 */
export async function readJsonBody(
  request: Request,
  body: NonNullable<Route['body']>,
): Promise<JsonBody | undefined> {
  checkDeclaredJson(request, body);
  const bytes = await readBodyBytes(request, body.maxBytes);
  if (bytes.length === 0 && !body.required) return undefined;
  return parseJsonBody(bytes);
}

/**
 * Checks what the header says of a JSON body, of which nothing is read.
 * @throws Problem unsupported_media_type (415) or payload_too_large (413).
 */
export function checkDeclaredJson(request: Request, body: NonNullable<Route['body']>): void {
  const mayBeEmpty = !body.required && !hasBody(request);
  if (!body.isBare && !mayBeEmpty) checkContentType(request, ['application/json']);
  checkContentEncoding(request);
  if (Number(request.get('content-length') ?? 0) > body.maxBytes) throw tooLarge(body.maxBytes);
}

function checkContentEncoding(request: Request): void {
  const encoding = request.get('content-encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity')
    throw new Problem('unsupported_media_type', 'Send the body without Content-Encoding.');
}

function tooLarge(maxBytes: number): Problem {
  const headers = { Connection: 'close' };
  return new Problem('payload_too_large', `The body exceeds ${maxBytes} bytes.`, { headers });
}

/** The media type of the body without its parameters, in lower case; empty when none is declared. */
export function readContentType(request: Request): string {
  return parse(request.get('content-type') ?? '').type;
}

/**
 * Checks that the body is declared as one of the media types, in UTF-8 (RFC 9110, 8.3).
 * @throws Problem unsupported_media_type (415).
 */
export function checkContentType(request: Request, types: readonly string[]): void {
  const header = request.get('content-type') ?? '';
  const { type, parameters } = parse(header);
  // A charset that cannot be read, such as one in a quote without an end, is not UTF-8.
  const isSilent = !/;\s*charset/i.test(header);
  const charset = parameters['charset']?.toLowerCase() ?? (isSilent ? 'utf-8' : 'unknown');
  if (types.includes(type) && UTF_8_NAMES.has(charset)) return;
  throw new Problem(
    'unsupported_media_type',
    `Send the body as ${types.join(' or ')} in UTF-8, with that Content-Type.`,
  );
}

/**
 * The raw bytes of the body. Compressed bodies are not accepted. One that is declared larger than allowed is not read, one
 * without a length, and one in too many chunks, is read no further; its connection ends with the answer. Nor is one read of a request that was given up,
 * before or meanwhile.
 * @throws Problem unsupported_media_type (415), payload_too_large (413) or overloaded (503); AlreadyAnsweredError.
 */
export async function readBodyBytes(request: Request, maxBytes: number): Promise<Buffer> {
  return Buffer.from(joinPieces(await readBodyPieces(request, maxBytes)).buffer);
}

/** The same in the pieces in which they came. */
export async function readBodyPieces(request: Request, maxBytes: number): Promise<BodyPieces> {
  checkContentEncoding(request);
  if (!hasBody(request)) return [];
  const { res: response } = request;
  if (response === undefined) throw new Error('A body is read for a response.');
  checkNotGivenUp(response);
  const pieces = await collectBody(request, response, maxBytes);
  if (pieces === undefined) throw findCutOffProblem(request) ?? tooLarge(maxBytes);
  // After a late answer its connection is read on for a moment, which may bring the rest.
  checkNotGivenUp(response);
  setSentBody(response, pieces);
  return pieces;
}
