import express from 'express';
import type { Request, Response } from 'express';
import type { Route } from '../../generated/routes.ts';
import { Problem } from '../domain/api/problem.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** 406 unless the client takes one of the types that the operation answers with, or at least problems. */
export function checkAcceptHeader(request: Request, types: readonly string[]): void {
  if (request.accepts([...types, 'application/problem+json']) === false) {
    const [type = 'application/json'] = types;
    throw new Problem('not_acceptable', `This operation answers with ${type}; send Accept: ${type}.`);
  }
}

/**
 * Reads and parses the body: 415, 413, then 400. Where the body is optional, an empty one may have any type.
 */
export async function readJsonBody(
  request: Request,
  response: Response,
  body: NonNullable<Route['body']>,
): Promise<unknown> {
  const mayBeEmpty =
    !body.required &&
    (request.get('content-length') ?? '0') === '0' &&
    request.get('transfer-encoding') === undefined;
  if (!body.isBare && !mayBeEmpty) checkContentType(request, ['application/json']);
  const bytes = await readBodyBytes(request, response, body.maxBytes);
  if (bytes.length === 0 && !body.required) return undefined;
  return parseJsonBody(bytes);
}

/** 415 unless the body is declared as one of the types, in UTF-8. */
export function checkContentType(request: Request, types: readonly string[]): void {
  const [type = '', ...parameters] = (request.get('content-type') ?? '')
    .split(';')
    .map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  const isUtf8 =
    charset === undefined ||
    charset.replaceAll('"', '') === 'utf-8' ||
    charset.replaceAll('"', '') === 'utf8';
  if (types.includes(type) && isUtf8) return;
  throw new Problem(
    'unsupported_media_type',
    `Send the body as ${types.join(' or ')} in UTF-8, with that Content-Type.`,
  );
}

const readers = new Map<number, express.RequestHandler>();

/** The raw bytes, refused above the limit; compressed bodies are not taken. */
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

export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0)
    throw new Problem('malformed_json', 'The body is empty; this operation needs a JSON body.');
  try {
    return JSON.parse(utf8.decode(bytes)) as unknown;
  } catch (cause) {
    const reason = cause instanceof SyntaxError ? ` ${cause.message}` : ' It is not UTF-8.';
    throw new Problem('malformed_json', `The body is not valid JSON.${reason}`.slice(0, 300), { cause });
  }
}
