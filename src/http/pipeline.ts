import type { ValidateFunction } from 'ajv';
import type { Request, RequestHandler, Response } from 'express';
import * as bodyValidators from '../../generated/validate-bodies.js';
import * as parameterValidators from '../../generated/validate-parameters.js';
import type { OperationId, Route, SecuredOperationId } from '../../generated/routes.ts';
import type { Actor } from '../domain/users/actor.ts';
import { invalid, Problem } from '../domain/api/problem.ts';
import type { FieldError } from '../domain/api/problem.ts';
import { roleTable } from '../domain/users/roles.ts';
import type { Context, OpenContext, Services } from '../operations/context.ts';
import { checkAccept, readJsonBody } from './body.ts';
import { bodyErrors, numberErrors, parameterErrors } from './field-errors.ts';
import { policyOf } from './limits.ts';
import type { RateLimiter } from './limits.ts';
import { sendReply } from './reply.ts';
import type { AnyReply } from './reply.ts';
import { requestIdOf } from './request-id.ts';
import { bodyTextFaults, parameterTextFaults } from './unstorable-text.ts';

export type Values = Record<string, unknown>;
export interface AnyRequest {
  readonly path: Values;
  readonly query: Values;
  readonly headers: Values;
  readonly body: unknown;
}

/** An operation as the pipeline sees it, after its types have been checked against the document. */
export type AnyHandler = (context: Context & OpenContext, request: AnyRequest) => Promise<AnyReply>;

export type Locate = (context: Context, path: Values) => Promise<void>;

/** Faults of a body beside those that the document has found, so that the caller is told all of them at once. */
export type JudgeFurther = (body: unknown, faults: readonly FieldError[], now: Date) => readonly FieldError[];

export interface PipelineParts {
  readonly services: Services;
  readonly limiter: RateLimiter;
  readonly clock: () => Date;
  readonly authenticate: (authorization: string | undefined) => Promise<Actor>;
  /** Whether the actor's organization reaches another one (a simulation organization of its fleets). */
  readonly reaches: (actor: Actor, orgId: string) => Promise<boolean>;
  /** Throws 404 when an object that the path names is not there; asked only when query or body are faulty. */
  readonly locators: Readonly<Partial<Record<OperationId, Locate>>>;
  /** Asked only when query or body are faulty: the operation, which would find out, does not run. */
  readonly judges: Readonly<Partial<Record<OperationId, JudgeFurther>>>;
}

/**
 * The way of a request, in the order of decisions.md section 1: 401, 429, 406, 415, 413, 400, path 422,
 * organization 403, role 403, object 404, query and body 422, then the operation.
 */
export function pipeline(route: Route, handler: AnyHandler, parts: PipelineParts): RequestHandler {
  const validate = {
    path: parameterValidator(`${route.operationId}_path`),
    query: parameterValidator(`${route.operationId}_query`),
    headers: route.headers.length === 0 ? undefined : parameterValidator(`${route.operationId}_header`),
    body: (bodyValidators as Readonly<Record<string, ValidateFunction | undefined>>)[route.operationId],
  };
  return async (request, response) => {
    const actor = await admit(route, parts, request, response);
    checkAccept(request, route.answers);
    const body = route.body === null ? undefined : await readJsonBody(request, response, route.body);
    const path = checkedPath(validate.path, request);
    const open: OpenContext = { ...parts.services, now: parts.clock(), requestId: requestIdOf(response) };
    const context =
      actor === undefined ? open : await enter(route, parts, { ...open, actor, orgId: actor.orgId }, path);
    const sent = queryOf(request);
    const query = { ...sent };
    const headers = headersOf(request, route.headers);
    const faults = [
      ...(validate.query(query)
        ? numberErrors(sent, query)
        : parameterErrors(validate.query.errors ?? [], 'query')),
      ...(validate.headers?.(headers) === false
        ? parameterErrors(validate.headers.errors ?? [], 'header')
        : []),
      ...(body === undefined || validate.body?.(body) !== false
        ? []
        : bodyErrors(validate.body.errors ?? [], body)),
      ...parameterTextFaults(query, 'query'),
      ...bodyTextFaults(body),
    ];
    if (faults.length > 0) {
      const further = parts.judges[route.operationId]?.(body, faults, context.now) ?? [];
      await refuse([...faults, ...further], parts.locators[route.operationId], context, path);
    }
    const reply = await handler(context as Context, { path, query, headers, body });
    await sendReply(response, reply, async () => {
      const now = actor === undefined ? undefined : await parts.authenticate(request.get('authorization'));
      return now?.role === actor?.role;
    });
  };
}

/** Who calls, and whether the quota allows it; a caller without a valid token is counted by address. */
async function admit(
  route: Route,
  parts: PipelineParts,
  request: Request,
  response: Response,
): Promise<Actor | undefined> {
  const address = request.ip ?? 'unknown';
  const policy = policyOf[route.operationId];
  const spend = (subject: string): Promise<void> =>
    parts.limiter.spend(response, [
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
      await parts.limiter.spend(response, [{ policy: 'default', subject: address }]);
    }
    throw error;
  }
}

function checkedPath(validate: ValidateFunction, request: Request): Values {
  const path: Values = { ...request.params };
  const faults = [
    ...(validate(path) ? [] : parameterErrors(validate.errors ?? [], 'path')),
    ...parameterTextFaults(path, 'path'),
  ];
  if (faults.length > 0) throw invalid(faults);
  // UUIDs are compared as text in places; letter case does not make another one.
  for (const [name, value] of Object.entries(path)) {
    if (name !== 'external_user_id' && typeof value === 'string') path[name] = value.toLowerCase();
  }
  return path;
}

async function enter(route: Route, parts: PipelineParts, context: Context, path: Values): Promise<Context> {
  const { actor } = context;
  const orgId = typeof path['org_id'] === 'string' ? path['org_id'] : actor.orgId;
  if (orgId !== actor.orgId && !(await parts.reaches(actor, orgId))) {
    throw new Problem('organization_forbidden', 'The access token gives no access to this organization.');
  }
  if (roleTable[route.operationId as SecuredOperationId][actor.role] === 'none') {
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
  locate: Locate | undefined,
  context: Context | OpenContext,
  path: Values,
): Promise<never> {
  if ('actor' in context) await locate?.(context, path);
  throw invalid(faults);
}

/** Of the headers only those that the document declares, under its spelling. */
function headersOf(request: Request, names: readonly string[]): Values {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = request.get(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function queryOf(request: Request): Values {
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

function parameterValidator(name: string): ValidateFunction {
  const found = (parameterValidators as Readonly<Record<string, ValidateFunction | undefined>>)[name];
  if (found === undefined)
    throw new Error(`generated/validate-parameters.js lacks ${name}; run \`make generate\`.`);
  return found;
}
