import type { Request as HttpRequest, RequestHandler, Response } from 'express';
import type { OpenOperationId, Route, SecuredOperationId } from '../../generated/routes.ts';
import { isListOperation } from '../contract/handlers.ts';
import type {
  BytesHandlers,
  BytesOperationId,
  Handlers,
  OperationReply,
  Request,
} from '../contract/handlers.ts';
import type { JsonBody } from '../contract/json-body.ts';
import { KEY_HEADER } from '../domain/api/idempotency-keys.ts';
import { validationProblem } from '../domain/api/problem.ts';
import type { FieldError } from '../domain/api/problem.ts';
import type { Context, OpenContext, Services } from '../operations/context.ts';
import type { KeyedRequest } from '../operations/idempotency.ts';
import type { Actor } from '../domain/users/actor.ts';
import type { FairShare } from '../shares/fair-share.ts';
import { runWith } from '../shares/held-units.ts';
import type { ListTurns } from '../shares/list-turns.ts';
import type { TokenChecks } from '../streams/token-checks.ts';
import { authenticateAgain, authenticateWithinQuota, authorizeRequest, countByAddress } from './authorize.ts';
import type { AuthorizationOptions } from './authorize.ts';
import { chooseAnswerType, readJsonBody } from './body.ts';
import { CACHE_CONTROL } from './cache-control.ts';
import { chooseAnswerCoding } from './coded-answer.ts';
import type { SharedCoding } from './coding-shares.ts';
import type { CallerRules } from './caller-rules.ts';
import { checkNotGivenUp, waitWhileWanted } from './given-up.ts';
import { sendReply } from './reply.ts';
import type { ListShares, ReplyRules } from './reply.ts';
import { getRequestId } from './request-id.ts';
import { readDeclaredHeaders, readQuery } from './request-values.ts';
import { validatePath, validateQueryHeadersBody } from './request-validator.ts';
import type { SentValues } from './request-validator.ts';
import { takeOnRoute, toRouteLabel } from './route-label.ts';

/** Operations that get their bodies as values. */
type ParsedOperationId = Exclude<SecuredOperationId, BytesOperationId>;

/** Whose share callers without a token have: one for all of them. */
const NO_PARTNER = '';

/** What partners share of lists. */
export interface SharedLists {
  /** Pages that are being read, and chunks of streamed lists that are read and written. */
  readonly turns: ListTurns;
  /** Streamed lists that have begun. */
  readonly streams: FairShare;
}

export interface OperationOptions extends AuthorizationOptions {
  /** Ends answers without an end when their callers may not have them any more. */
  readonly tokenChecks: TokenChecks;
  readonly sharedLists: SharedLists;
  readonly sharedCoding: SharedCoding;
  readonly services: Services;
  readonly clock: () => Date;
  readonly securedHandlers: Handlers<Context, ParsedOperationId>;
  readonly openHandlers: Handlers<OpenContext, OpenOperationId>;
  /** Throws 404 when an object that the path names is not there; called only when query or body have errors. */
  readonly existenceChecks: {
    readonly [Id in SecuredOperationId]?: (context: Context, path: Request<Id>['path']) => Promise<void>;
  };
  /** What a refused body breaks beside the schema's errors; called only then, and once the path's objects are found. */
  readonly findRuleErrors: <Id extends ParsedOperationId>(
    id: Id,
    context: Context,
    refused: {
      readonly path: Request<Id>['path'];
      readonly body: unknown;
      readonly errors: readonly FieldError[];
    },
  ) => Promise<readonly FieldError[]>;
  /** Runs an operation once for each key of a caller, or resolves to its first answer. */
  readonly answerOnce: (
    context: Context,
    request: KeyedRequest,
    run: (context: Context) => Promise<OperationReply>,
  ) => Promise<OperationReply>;
  readonly bytesHandlers: BytesHandlers<Context>;
  /** Bodies up to this size are read without the partner's turn. */
  readonly bytesWithoutTurn: Readonly<Record<BytesOperationId, number>>;
  /** How long a body that holds its partner's turn may take in all; 10 s unless it is given. */
  readonly bodyInTurnMs?: number | undefined;
}

/**
 * Handles the requests of an operation that needs a token, in this order: 401, 429, 406, 415, 413, 400, path 422,
 * organization 403, role 403, object 404, query and body 422, then the operation.
 */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- binds handler, validators and request to one operation
export function createSecuredOperationHandler<Id extends ParsedOperationId>(
  id: Id,
  route: Route,
  options: OperationOptions,
): RequestHandler {
  const handle = options.securedHandlers[id];
  const label = toRouteLabel(route);
  return async (request, response) => {
    const caller = await authenticateWithinQuota(id, options, request, response);
    takeOnRoute(request, label);
    const answerType = chooseAnswerType(request, route.answers);
    const body = await readBody(route, request);
    const actor = route.body === null ? caller : await authenticateAgain(options, request);
    const path = validatePath(id, request.params);
    const pathOrgId = 'org_id' in path ? path.org_id : undefined;
    const orgId = await authorizeRequest(route, id, options, actor, pathOrgId);
    const context = { ...openContext(options, response), actor, orgId };
    const result = validateQueryHeadersBody(id, readValues(route, request, body));
    if ('errors' in result) {
      await options.existenceChecks[id]?.(context, path);
      const refused = { path, body: body?.value, errors: result.errors };
      const more = await options.findRuleErrors(id, context, refused);
      throw validationProblem([...result.errors, ...more]);
    }
    const run = (context: Context) => handle(context, { path, answerType, ...result.values });
    const key = readKey(result.values.headers);
    const answer = (): Promise<OperationReply> =>
      key === undefined
        ? run(context)
        : options.answerOnce(context, { operation: id, key, path, ...result.values }, run);
    const reply = await (isListOperation(id) ? answerInTurn(options, actor, response, answer) : answer());
    await sendReply(response, reply, {
      ...describeAnswer(options, route, response, actor.partnerId),
      caller: callerRulesOf(options, request, actor),
      lists: listSharesOf(options, actor.partnerId),
    });
  };
}

/** The same for an operation that anybody may call: its requests are counted by address. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- binds handler, validators and request to one operation
export function createOpenOperationHandler<Id extends OpenOperationId>(
  id: Id,
  route: Route,
  options: OperationOptions,
): RequestHandler {
  const handle = options.openHandlers[id];
  return async (request, response) => {
    await countByAddress(options.limiter, response, id, request.ip);
    const answerType = chooseAnswerType(request, route.answers);
    const body = await readBody(route, request);
    const path = validatePath(id, request.params);
    const result = validateQueryHeadersBody(id, readValues(route, request, body));
    if ('errors' in result) throw validationProblem(result.errors);
    const reply = await handle(openContext(options, response), {
      path,
      answerType,
      ...result.values,
    });
    const lists = listSharesOf(options, NO_PARTNER);
    await sendReply(response, reply, { ...describeAnswer(options, route, response, NO_PARTNER), lists });
  };
}

/** The `Idempotency-Key` of an operation that has declared it. */
function readKey(headers: Readonly<Record<string, unknown>>): string | undefined {
  const key = headers[KEY_HEADER];
  return typeof key === 'string' ? key : undefined;
}

async function readBody(route: Route, request: HttpRequest): Promise<JsonBody | undefined> {
  return route.body === null ? undefined : readJsonBody(request, route.body);
}

function readValues(route: Route, request: HttpRequest, body: JsonBody | undefined): SentValues {
  return {
    query: readQuery(request.originalUrl),
    headers: readDeclaredHeaders(request, route.headers),
    body,
  };
}

/**
 * Reads and builds a page in a turn of its partner: so many rows come and are presented in one turn of the event loop.
 * @throws Problem overloaded (503) when its turn does not come in time.
 */
function answerInTurn<Reply>(
  { sharedLists }: OperationOptions,
  { partnerId }: Actor,
  response: Response,
  answer: () => Promise<Reply>,
): Promise<Reply> {
  return waitWhileWanted(response, (signal) =>
    runWith(() => sharedLists.turns.acquirePage(partnerId, signal), answer),
  );
}

/** Whether the answer has an entity tag, and how it is coded. */
export function describeAnswer(
  { sharedCoding }: OperationOptions,
  route: Route,
  response: Response,
  partnerId: string,
): Pick<ReplyRules, 'isTagged' | 'cacheControl' | 'coding'> {
  const coding = chooseAnswerCoding(response, route, { shared: sharedCoding, partnerId });
  const cacheControl = route.access === 'token' ? CACHE_CONTROL.OWN_OBJECT : CACHE_CONTROL.PUBLISHED;
  return { isTagged: route.isTagged, cacheControl, coding };
}

/** Until when a long answer may go on. */
export function callerRulesOf(options: OperationOptions, request: HttpRequest, actor: Actor): CallerRules {
  return {
    isStillAllowed: async () => (await authenticateAgain(options, request)).role === actor.role,
    watchCaller: (end) => options.tokenChecks.watch(actor, end),
  };
}

/** What a partner may have of the lists that are streamed. */
export function listSharesOf({ sharedLists }: OperationOptions, partnerId: string): ListShares {
  return {
    acquireList: (signal) => sharedLists.streams.acquire(partnerId, signal),
    acquireChunk: (signal) => sharedLists.turns.acquireChunk(partnerId, signal),
  };
}

/** What every operation is given. What it computes in slices ends at the next one when nobody is left who could get the answer. */
export function openContext({ services, clock }: OperationOptions, response: Response): OpenContext {
  return {
    ...services,
    clock,
    now: clock(),
    requestId: getRequestId(response),
    whileWanted: (wait) => waitWhileWanted(response, wait),
    yieldToEventLoop: async (days, partnerId) => {
      await services.yieldToEventLoop(days, partnerId);
      checkNotGivenUp(response);
    },
  };
}
