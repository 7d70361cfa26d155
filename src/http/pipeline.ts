import type { ValidateFunction } from 'ajv';
import type { Request, RequestHandler, Response } from 'express';
import * as bodyValidators from '../../generated/validate-bodies.js';
import * as parameterValidators from '../../generated/validate-parameters.js';
import type { OperationId, Route, SecuredOperationId } from '../../generated/routes.ts';
import type { Actor } from '../domain/users/actor.ts';
import { validationProblem, Problem } from '../domain/api/problem.ts';
import type { FieldError } from '../domain/api/problem.ts';
import { ROLE_TABLE } from '../domain/users/roles.ts';
import type { Context, OpenContext, Services } from '../operations/context.ts';
import { checkAcceptHeader, readJsonBody } from './body.ts';
import { toBodyErrors, findNonDecimalNumbers, toParameterErrors } from './field-errors.ts';
import { NARROW_POLICIES } from './rate-limiter.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { sendReply } from './reply.ts';
import type { OperationReply } from './reply.ts';
import { getRequestId } from './request-id.ts';
import { findUnstorableTextInBody, findUnstorableTextInParameters } from './unstorable-text.ts';

export type Values = Record<string, unknown>;
export interface ValidatedRequest {
  readonly path: Values;
  readonly query: Values;
  readonly headers: Values;
  readonly body: unknown;
}

/** An operation as the pipeline sees it, after its types have been checked against the document. */
export type OperationHandler = (
  context: Context & OpenContext,
  request: ValidatedRequest,
) => Promise<OperationReply>;

export type ExistenceCheck = (context: Context, path: Values) => Promise<void>;

/** Faults of a body beside those that the document has found, so that the caller is told all of them at once. */
export type JudgeFurther = (body: unknown, faults: readonly FieldError[], now: Date) => readonly FieldError[];

export interface PipelineOptions {
  readonly services: Services;
  readonly limiter: RateLimiter;
  readonly clock: () => Date;
  readonly authenticate: (authorization: string | undefined) => Promise<Actor>;
  /** Whether the actor's organization reaches another one (a simulation organization of its fleets). */
  readonly isOrganizationReachable: (actor: Actor, orgId: string) => Promise<boolean>;
  /** Throws 404 when an object that the path names is not there; asked only when query or body are faulty. */
  readonly existenceChecks: Readonly<Partial<Record<OperationId, ExistenceCheck>>>;
  /** Asked only when query or body are faulty: the operation, which would find out, does not run. */
  readonly judges: Readonly<Partial<Record<OperationId, JudgeFurther>>>;
}

/**
 * The way of a request, in the order of decisions.md section 1: 401, 429, 406, 415, 413, 400, path 422,
 * organization 403, role 403, object 404, query and body 422, then the operation.
 */
export function createOperationHandler(
  route: Route,
  handler: OperationHandler,
  parts: PipelineOptions,
): RequestHandler {
  const validate = {
    path: getParameterValidator(`${route.operationId}_path`),
    query: getParameterValidator(`${route.operationId}_query`),
    headers: route.headers.length === 0 ? undefined : getParameterValidator(`${route.operationId}_header`),
    body: (bodyValidators as Readonly<Record<string, ValidateFunction | undefined>>)[route.operationId],
  };
  return async (request, response) => {
    const actor = await authenticateAndCount(route, parts, request, response);
    checkAcceptHeader(request, route.answers);
    const body = route.body === null ? undefined : await readJsonBody(request, response, route.body);
    const path = validatePath(validate.path, request);
    const open: OpenContext = { ...parts.services, now: parts.clock(), requestId: getRequestId(response) };
    const context =
      actor === undefined
        ? open
        : await authorize(route, parts, { ...open, actor, orgId: actor.orgId }, path);
    const sent = readQuery(request);
    const query = { ...sent };
    const headers = readDeclaredHeaders(request, route.headers);
    const faults = [
      ...(validate.query(query)
        ? findNonDecimalNumbers(sent, query)
        : toParameterErrors(validate.query.errors ?? [], 'query')),
      ...(validate.headers?.(headers) === false
        ? toParameterErrors(validate.headers.errors ?? [], 'header')
        : []),
      ...(body === undefined || validate.body?.(body) !== false
        ? []
        : toBodyErrors(validate.body.errors ?? [], body)),
      ...findUnstorableTextInParameters(query, 'query'),
      ...findUnstorableTextInBody(body),
    ];
    if (faults.length > 0) {
      const further = parts.judges[route.operationId]?.(body, faults, context.now) ?? [];
      await refuse([...faults, ...further], parts.existenceChecks[route.operationId], context, path);
    }
    const reply = await handler(context as Context, { path, query, headers, body });
    await sendReply(response, reply, async () => {
      const now = actor === undefined ? undefined : await parts.authenticate(request.get('authorization'));
      return now?.role === actor?.role;
    });
  };
}

/** Who calls, and whether the quota allows it; a caller without a valid token is counted by address. */
async function authenticateAndCount(
  route: Route,
  parts: PipelineOptions,
  request: Request,
  response: Response,
): Promise<Actor | undefined> {
  const address = request.ip ?? 'unknown';
  const policy = NARROW_POLICIES[route.operationId];
  const spend = (subject: string): Promise<void> =>
    parts.limiter.countRequest(response, [
      { policy: 'default', subject },
      ...(policy === undefined ? [] : [{ policy, subject }]),
    ]);
  if (!route.secured) {
    await spend(address);
    return undefined;
  }
  try {
    const actor = await parts.authenticate(request.get('authorization'));
    await spend(actor.tokenDigest);
    return actor;
  } catch (error) {
    if (error instanceof Problem && error.code !== 'quota_exceeded') {
      await parts.limiter.countRequest(response, [{ policy: 'default', subject: address }]);
    }
    throw error;
  }
}

function validatePath(validate: ValidateFunction, request: Request): Values {
  const path: Values = { ...request.params };
  const faults = [
    ...(validate(path) ? [] : toParameterErrors(validate.errors ?? [], 'path')),
    ...findUnstorableTextInParameters(path, 'path'),
  ];
  if (faults.length > 0) throw validationProblem(faults);
  // UUIDs are compared as text in places; letter case does not make another one.
  for (const [name, value] of Object.entries(path)) {
    if (name !== 'external_user_id' && typeof value === 'string') path[name] = value.toLowerCase();
  }
  return path;
}

async function authorize(
  route: Route,
  parts: PipelineOptions,
  context: Context,
  path: Values,
): Promise<Context> {
  const { actor } = context;
  const orgId = typeof path['org_id'] === 'string' ? path['org_id'] : actor.orgId;
  if (orgId !== actor.orgId && !(await parts.isOrganizationReachable(actor, orgId))) {
    throw new Problem('organization_forbidden', 'The access token gives no access to this organization.');
  }
  if (ROLE_TABLE[route.operationId as SecuredOperationId][actor.role] === 'none') {
    throw new Problem('role_forbidden', `The role ${actor.role} may not call ${route.operationId}.`);
  }
  if (route.method !== 'get' && !actor.scope.split(' ').includes('write')) {
    throw new Problem(
      'insufficient_scope',
      'The token has the scope "read" and may only read; request one with "read write".',
      {
        headers: {
          'WWW-Authenticate': 'Bearer realm="partners", error="insufficient_scope", scope="read write"',
        },
      },
    );
  }
  return { ...context, orgId };
}

async function refuse(
  faults: readonly FieldError[],
  locate: ExistenceCheck | undefined,
  context: Context | OpenContext,
  path: Values,
): Promise<never> {
  if ('actor' in context) await locate?.(context, path);
  throw validationProblem(faults);
}

/** Of the headers only those that the document declares, under its spelling. */
function readDeclaredHeaders(request: Request, names: readonly string[]): Values {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = request.get(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function readQuery(request: Request): Values {
  const mark = request.originalUrl.indexOf('?');
  const values = new Map<string, string | string[]>();
  if (mark >= 0) {
    for (const [name, value] of new URLSearchParams(request.originalUrl.slice(mark + 1))) {
      const before = values.get(name);
      values.set(name, before === undefined ? value : [before, value].flat());
    }
  }
  return Object.fromEntries(values);
}

function getParameterValidator(name: string): ValidateFunction {
  const found = (parameterValidators as Readonly<Record<string, ValidateFunction | undefined>>)[name];
  if (found === undefined)
    throw new Error(`generated/validate-parameters.js lacks ${name}; run \`make generate\`.`);
  return found;
}
