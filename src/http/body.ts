import { parse } from 'content-type';
import express from 'express';
import type { Request, Response } from 'express';
import type { Route } from '../../generated/routes.ts';
import { parseJsonBody } from '../contract/json-body.ts';
import type { JsonBody } from '../contract/json-body.ts';
import { Problem } from '../domain/api/problem.ts';

const UTF_8_NAMES = new Set(['utf-8', 'utf8']);

/**
 * Checks that the client takes one of the types that the operation answers with, or at least problems (RFC 9110, 12.5.1).
 * @throws Problem not_acceptable (406).
 */
export function checkAcceptHeader(request: Request, types: readonly string[]): void {
  if (request.accepts([...types, 'application/problem+json']) === false) {
    const [type = 'application/json'] = types;
    throw new Problem('not_acceptable', `This operation answers with ${type}; send Accept: ${type}.`);
  }
}

/**
 * Reads and parses the body. Undefined where the body is optional and empty; then it may have any type.
 * @throws Problem unsupported_media_type (415) or malformed_json (400); the body parser's own error when the body is
 * larger than allowed (413).
 */
export async function readJsonBody(
  request: Request,
  response: Response,
  body: NonNullable<Route['body']>,
): Promise<JsonBody | undefined> {
  const mayBeEmpty =
    !body.required &&
    (request.get('content-length') ?? '0') === '0' &&
    request.get('transfer-encoding') === undefined;
  if (!body.isBare && !mayBeEmpty) checkContentType(request, ['application/json']);
  const bytes = await readBodyBytes(request, response, body.maxBytes);
  if (bytes.length === 0 && !body.required) return undefined;
  return parseJsonBody(bytes);
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

const readers = new Map<number, express.RequestHandler>();

/**
 * The raw bytes of the body. Compressed bodies are not accepted.
 * @throws the body parser's error with the `type` entity.too.large, encoding.unsupported or request.aborted.
 */
export async function readBodyBytes(request: Request, response: Response, maxBytes: number): Promise<Buffer> {
  const read = readers.get(maxBytes) ?? express.raw({ type: () => true, limit: maxBytes, inflate: false });
  readers.set(maxBytes, read);
  await new Promise<void>((resolve, reject) => {
    read(request, response, (error?: unknown) => {
      if (error === undefined) resolve();
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the reader's own error goes on as it is
      else reject(error);
    });
  });
  return Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
}
