import type { Request, Response } from 'express';
import { ROUTES } from '../../generated/routes.ts';
import { countBytes } from '../contract/body-pieces.ts';
import type { BodyPieces } from '../contract/body-pieces.ts';
import type { LoggedError, LoggedRequest } from '../domain/requests/logged-request.ts';
import { maskJson, maskName, maskPath, maskPointer, maskQuery } from '../domain/requests/masked.ts';
import type { RequestOwner } from './known-callers.ts';
import { getFieldErrors, getOAuthError, getProblemCode } from './problems.ts';
import { getRequestId, getRequestPath } from './request-id.ts';

/** Larger bodies are not kept: half of one is no JSON, and cannot be masked. */
const MAX_BODY_BYTES = 4_096;
const MAX_PATH_CHARACTERS = 500;

const TEMPLATES: ReadonlyMap<string, string> = new Map(
  ROUTES.map(({ operationId, path }) => [operationId, path]),
);

/** Remembers a copy of a body until its answer is out, should it be refused: the bytes themselves may be moved to a thread. */
export function setSentBody(response: Response, pieces: BodyPieces): void {
  const length = countBytes(pieces);
  if (length > 0 && length <= MAX_BODY_BYTES) response.locals['sentBody'] = Buffer.concat(pieces);
}

/** What the request log keeps of an exchange whose answer is out. Bodies of the token endpoint are credentials: none is kept. */
export function describeExchange(
  request: Request,
  response: Response,
  { operation, userId, applicationId }: RequestOwner,
  { sentAt, durationMs }: Pick<LoggedRequest, 'sentAt' | 'durationMs'>,
): Omit<LoggedRequest, 'id' | 'orgId'> {
  const isRefused = response.statusCode >= 400;
  const query = request.originalUrl.split('?', 2)[1] ?? '';
  const path = maskPath(TEMPLATES.get(operation) ?? '', getRequestPath(request)) + maskQuery(query);
  return {
    sentAt,
    requestId: getRequestId(response),
    operation,
    method: request.method,
    path: path.slice(0, MAX_PATH_CHARACTERS),
    status: response.statusCode,
    durationMs,
    userId,
    applicationId,
    code: getProblemCode(response) ?? getOAuthError(response) ?? null,
    errors: isRefused ? describeErrors(response) : null,
    body: isRefused && userId !== null ? describeBody(response) : null,
  };
}

function describeErrors(response: Response): readonly LoggedError[] | null {
  const errors = getFieldErrors(response) ?? [];
  if (errors.length === 0) return null;
  return errors.map(({ pointer, parameter, code }) => ({
    pointer: pointer === undefined ? maskName(parameter ?? '') : maskPointer(pointer),
    code,
  }));
}

function describeBody(response: Response): string | null {
  const bytes = response.locals['sentBody'] as Buffer | undefined;
  if (bytes === undefined) return null;
  try {
    return JSON.stringify(maskJson(JSON.parse(bytes.toString('utf8'))));
  } catch {
    // It is no JSON, which is what the problem says.
    return null;
  }
}
