import type { Request as HttpRequest, RequestHandler, Response } from 'express';
import type { Route, SecuredOperationId } from '../../generated/routes.ts';
import type { BodyPieces } from '../contract/body-pieces.ts';
import { freeBytes } from '../contract/free-bytes.ts';
import { BYTES_OPERATIONS } from '../contract/handlers.ts';
import type { BytesOperationId } from '../contract/handlers.ts';
import { parseJsonBody } from '../contract/json-body.ts';
import { requireAnyMatch } from '../domain/api/entity-tags.ts';
import { Problem } from '../domain/api/problem.ts';
import type { Actor } from '../domain/users/actor.ts';
import { authenticateAgain, authenticateWithinQuota, authorizeRequest } from './authorize.ts';
import { chooseAnswerType, checkDeclaredJson, readBodyBytes, readBodyPieces } from './body.ts';
import { waitWhileWanted } from './given-up.ts';
import { callerRulesOf, describeAnswer, listSharesOf, openContext } from './operation-handler.ts';
import type { OperationOptions } from './operation-handler.ts';
import { sendReply } from './reply.ts';
import { validatePath, validateQueryHeadersBody } from './request-validator.ts';
import { readDeclaredHeaders, readQuery } from './request-values.ts';
import { takeOnRoute, toRouteLabel } from './route-label.ts';

/** How long a body may take in all while it holds its partner's turn. */
const BODY_IN_TURN_MS = 10_000;
/** Bodies that are refused for another reason are read up to this size, to say first when they are not JSON. */
const SMALL_BODY_BYTES = 65_536;

/** Whether an operation gets its body as bytes. */
export function isBytesOperation(id: SecuredOperationId): id is BytesOperationId {
  const ids: readonly string[] = BYTES_OPERATIONS;
  return ids.includes(id);
}

/**
 * Handles the requests of an operation that gets its body as bytes, in the order of all others. The partner's turn is taken
 * once it is known that the caller may call, and before the body is read, unless that is declared to be small; a body that
 * holds the turn arrives in time or is given up (408).
 */
export function createBytesOperationHandler(
  id: BytesOperationId,
  route: Route,
  options: OperationOptions,
): RequestHandler {
  const { body } = route;
  if (body === null) throw new Error(`The operation ${id} has no body.`);
  const { bytesWithoutTurn, bodyInTurnMs = BODY_IN_TURN_MS } = options;
  const label = toRouteLabel(route);
  return async (request, response) => {
    const actor = await authenticateWithinQuota(id, options, request, response);
    takeOnRoute(request, label);
    chooseAnswerType(request, route.answers);
    checkDeclaredJson(request, body);
    const orgId = await authorize(id, route, options, actor, request).catch(async (error: unknown) => {
      // That a body is not JSON is said before all that is wrong with the path.
      if (declaredLength(request) <= SMALL_BODY_BYTES)
        parseJsonBody(await readBodyBytes(request, SMALL_BODY_BYTES));
      throw error;
    });
    const needsTurn = declaredLength(request) > bytesWithoutTurn[id];
    const release = needsTurn ? await acquireTurn(options, actor, response) : undefined;
    let pieces: BodyPieces = [];
    try {
      const reading = readBodyPieces(request, body.maxBytes);
      pieces = await (needsTurn ? arriveWithin(bodyInTurnMs, reading) : reading);
      const checked = validateQueryHeadersBody(id, {
        query: readQuery(request.originalUrl),
        headers: readDeclaredHeaders(request, route.headers),
        body: undefined,
      });
      const errors = 'errors' in checked ? checked.errors : [];
      if (route.headers.includes('If-Match')) requireAnyMatch(request.get('if-match'));
      const current = await authenticateAgain(options, request);
      if (current.role !== actor.role) await authorizeRequest(route, id, options, current, orgId);
      const context = { ...openContext(options, response), actor: current, orgId };
      const reply = await options.bytesHandlers[id](context, { pieces, errors, hasTurn: needsTurn });
      await sendReply(response, reply, {
        ...describeAnswer(options, route, response, actor.partnerId),
        caller: callerRulesOf(options, request, current),
        lists: listSharesOf(options, actor.partnerId),
      });
    } finally {
      for (const piece of pieces) freeBytes(piece);
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

/** The body, or the problem request_timeout (408), with which its connection ends. */
async function arriveWithin(limitMs: number, reading: Promise<BodyPieces>): Promise<BodyPieces> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const detail = `The body did not arrive within ${limitMs / 1000} seconds.`;
    late.reject(new Problem('request_timeout', detail, { headers: { Connection: 'close' } }));
  }, limitMs);
  try {
    return await Promise.race([reading, late.promise]);
  } finally {
    clearTimeout(timer);
  }
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
  try {
    return await waitWhileWanted(response, (signal) => services.compute.acquireTurn(partnerId, signal));
  } catch (error) {
    if (!response.headersSent) response.setHeader('Connection', 'close');
    throw error;
  }
}
