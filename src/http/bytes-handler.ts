import type { Request as HttpRequest, RequestHandler, Response } from 'express';
import type { Route, SecuredOperationId } from '../../generated/routes.ts';
import { BYTES_OPERATIONS } from '../contract/handlers.ts';
import type { BytesOperationId } from '../contract/handlers.ts';
import { parseJsonBody } from '../contract/json-body.ts';
import { Problem } from '../domain/api/problem.ts';
import type { Actor } from '../domain/users/actor.ts';
import { authenticateWithinQuota, authorizeRequest } from './authorize.ts';
import { checkAcceptHeader, readJsonBytes } from './body.ts';
import { listSharesOf, openContext } from './operation-handler.ts';
import type { OperationOptions } from './operation-handler.ts';
import { sendReply } from './reply.ts';
import { validatePath, validateQueryHeadersBody } from './request-validator.ts';
import { readDeclaredHeaders, readQuery } from './request-values.ts';

/** Whether an operation gets its body as bytes. */
export function isBytesOperation(id: SecuredOperationId): id is BytesOperationId {
  const ids: readonly string[] = BYTES_OPERATIONS;
  return ids.includes(id);
}

/**
 * Handles the requests of an operation that gets its body as bytes, in the order of all others. The partner's turn is taken
 * once the caller is known and before the body is read, unless that is declared to be small.
 */
export function createBytesOperationHandler(
  id: BytesOperationId,
  route: Route,
  options: OperationOptions,
): RequestHandler {
  const { body } = route;
  if (body === null) throw new Error(`The operation ${id} has no body.`);
  return async (request, response) => {
    const actor = await authenticateWithinQuota(id, options, request, response);
    checkAcceptHeader(request, route.answers);
    const needsTurn = declaredLength(request) > options.bytesWithoutTurn[id];
    const release = needsTurn ? await acquireTurn(options, actor, response) : undefined;
    try {
      const bytes = await readJsonBytes(request, body);
      const orgId = await authorize(id, route, options, actor, request).catch(async (error: unknown) => {
        // That a body is not JSON is said before all that is wrong with the path.
        await checkJson(id, options, actor, bytes);
        throw error;
      });
      const checked = validateQueryHeadersBody(id, {
        query: readQuery(request.originalUrl),
        headers: readDeclaredHeaders(request, route.headers),
        body: undefined,
      });
      const errors = 'errors' in checked ? checked.errors : [];
      const context = { ...openContext(options, response), actor, orgId };
      const reply = await options.bytesHandlers[id](context, { bytes, errors, hasTurn: needsTurn });
      await sendReply(response, reply, { lists: listSharesOf(options, actor.partnerId) });
    } finally {
      release?.();
    }
  };
}

async function authorize(
  id: BytesOperationId,
  route: Route,
  options: OperationOptions,
  actor: Actor,
  request: HttpRequest,
): Promise<string> {
  const path = validatePath(id, request.params);
  return authorizeRequest(route, id, options, actor, path.org_id);
}

async function checkJson(
  id: BytesOperationId,
  { services, bytesWithoutTurn }: OperationOptions,
  { partnerId }: Actor,
  bytes: Uint8Array,
): Promise<void> {
  if (bytes.length <= Math.max(bytesWithoutTurn[id], 0)) parseJsonBody(bytes);
  else await services.compute.run(partnerId, 'checkJson', { bytes: new Uint8Array(bytes) });
}

/** Bytes that the body will have; more than any limit where that is not said. */
function declaredLength(request: HttpRequest): number {
  const declared = request.get('content-length');
  return declared === undefined ? Infinity : Number(declared);
}

/** The turn, or its refusal, after which nothing more is read from the connection. */
async function acquireTurn(
  { services }: OperationOptions,
  { partnerId }: Actor,
  response: Response,
): Promise<() => void> {
  const gone = new AbortController();
  const abort = (): void => gone.abort(new Problem('malformed_request', 'The client has gone.'));
  response.once('close', abort);
  try {
    return await services.compute.acquireTurn(partnerId, gone.signal);
  } catch (error) {
    response.setHeader('Connection', 'close');
    throw error;
  } finally {
    response.off('close', abort);
  }
}
