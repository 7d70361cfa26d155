import { hash } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import type { Route } from '../../generated/routes.ts';
import { loginUseOfAddress, loginUsesOfAccount } from '../domain/security/login-subjects.ts';
import type { LoginEntrance } from '../domain/security/login-subjects.ts';
import { addressSubject, toCountedAddress } from '../domain/security/quota-subjects.ts';
import type { QuotaSubject } from '../domain/security/quota-subjects.ts';
import { Problem } from '../domain/api/problem.ts';
import { parseJsonBody } from '../contract/json-body.ts';
import { findPresentedCredentials } from '../oauth/client-credentials.ts';
import type { OAuthReply, OAuthRequest } from '../oauth/exchange.ts';
import type { FoundCredential } from '../shares/credential-memory.ts';
import { checkContentType, readContentType, readBodyBytes } from './body.ts';
import { isTooLate } from './given-up.ts';
import { markAsOfPartner, setOwner } from './known-callers.ts';
import { toProof } from './proven-clients.ts';
import type { ProvenClients } from './proven-clients.ts';
import type { RateLimiter, QuotaUse } from './rate-limiter.ts';
import type { QuotaState } from './quota-counters.ts';
import { sendJson, setOAuthError } from './problems.ts';
import { isRefusalOfCaller, isStatusOfCaller } from './refusal-delay.ts';
import type { RefusalDelay } from './refusal-delay.ts';

/** Answers a request of OAuth, also when it is wrong; throws only what is an error of the server. */
export type OAuthEndpoint = (request: OAuthRequest) => Promise<OAuthReply>;

type OAuthRoute = Extract<Route, { readonly access: 'client' }>;

interface OAuthRouteOptions {
  readonly limiter: RateLimiter;
  readonly provenClients: ProvenClients;
  readonly refusalDelay: RefusalDelay;
  /** From now on the request takes from this partner's share of the database. */
  readonly assignToPartner: (partnerId: string) => void;
  /** A username as the database compares it. */
  readonly normaliseUsername: (username: string) => Promise<string>;
  readonly isUnavailable: (error: unknown) => boolean;
  readonly onError: (error: unknown, response: Response) => void;
}

/** A request whose body has been read, from JSON or from a form. */
interface ParsedOAuthRequest extends OAuthRequest {
  readonly body: Readonly<Record<string, unknown>>;
}

const FORM = 'application/x-www-form-urlencoded';

/**
 * Handles the requests of an OAuth endpoint. Every error is answered in the form of RFC 6749, 5.2, which OAuth clients
 * read: 413, 415, 429, 500 and 503 too.
 */
export function createOAuthHandler(
  route: OAuthRoute,
  endpoint: OAuthEndpoint,
  options: OAuthRouteOptions,
): RequestHandler {
  const limit = route.body?.maxBytes ?? 0;
  const { limiter, provenClients, refusalDelay } = options;
  return async (request, response) => {
    try {
      const authorization = request.get('authorization');
      const isProvenByHeader = takeAsProven(route, options, response, authorization);
      const ofAddress = isProvenByHeader ? [] : await limiter.countTokenRequest(response, request.ip);
      checkContentType(request, ['application/json', FORM]);
      const bytes = await readBodyBytes(request, limit);
      const isForm = readContentType(request) === FORM;
      const body = isForm ? parseForm(bytes) : parseObject(bytes);
      const asked: ParsedOAuthRequest = { authorization, body };
      const credentials = findPresentedCredentials(asked);
      const proof = toProof(authorization, credentials);
      const isProven = isProvenByHeader || takeAsProven(route, options, response, proof);
      if (isProven && ofAddress.length > 0) limiter.giveBack(response, ofAddress);
      // Clients are counted by the digest of their id: one may name itself with any text.
      const client = hash('sha256', credentials?.clientId ?? '');
      const unproven = toUnprovenUse(credentials === undefined ? undefined : client, request.ip);
      if (!isProven) await limiter.countRequest(response, [unproven]);
      const counted: { attempt?: readonly QuotaState[] } = {};
      const remember = provenClients.start(proof);
      const onClientProven = async (found: FoundCredential): Promise<void> => {
        const { partnerId } = found;
        remember(found);
        setOwnerOf(route, response, partnerId);
        const uses = { client, partnerId };
        counted.attempt = await countProvenClient(options, response, asked, uses, request.ip);
      };
      const reply = await endpoint({ ...asked, onClientProven });
      if (isProven && counted.attempt === undefined) {
        // What was right before is so no more, or was not looked at: it counts like what never was.
        if (reply.status === 401) provenClients.forget(proof);
        await limiter.countTokenRequest(response, request.ip);
      }
      if (isStatusOfCaller(reply.status)) await refusalDelay.wait(request, response);
      const { attempt = [] } = counted;
      if (reply.status === 200 && attempt.length > 0) limiter.giveBack(response, attempt);
      response.set(reply.headers);
      setOAuthError(response, reply.body);
      if (reply.body === undefined) response.status(reply.status).end();
      else sendJson(response, reply.status, 'application/json', reply.body);
    } catch (error) {
      sendOAuthError(response, await refuse(error, request, response, options), options);
    }
  };
}

/** Whether the client is known by what it proves itself with: the request is of its partner from now on. */
function takeAsProven(
  route: OAuthRoute,
  { provenClients, assignToPartner }: OAuthRouteOptions,
  response: Response,
  proof: string | undefined,
): boolean {
  const partnerId = provenClients.findPartner(proof);
  if (partnerId === undefined) return false;
  // What was right long ago may have ended, and is refused like what never was.
  if (provenClients.findProvenPartner(proof) !== undefined) markAsOfPartner(response);
  setOwnerOf(route, response, partnerId);
  assignToPartner(partnerId);
  return true;
}

function setOwnerOf({ operationId }: OAuthRoute, response: Response, partnerId: string): void {
  setOwner(response, { orgId: partnerId, userId: null, applicationId: null, operation: operationId });
}

/** The error to be answered, once it may be. */
async function refuse(
  error: unknown,
  request: Request,
  response: Response,
  options: OAuthRouteOptions,
): Promise<unknown> {
  const refusal = await countByAddress(error, request, response, options);
  if (isRefusalOfCaller(refusal)) await options.refusalDelay.wait(request, response);
  return refusal;
}

/** Counts a request that fails before its client is known by address; beyond that quota its error is quota_exceeded. */
async function countByAddress(
  error: unknown,
  request: Request,
  response: Response,
  { limiter }: OAuthRouteOptions,
): Promise<unknown> {
  try {
    await limiter.countUnlessCounted(response, addressSubject(request.ip));
    return error;
  } catch (refusal) {
    return refusal;
  }
}

function sendOAuthError(response: Response, error: unknown, options: OAuthRouteOptions): void {
  if (isTooLate(error, response)) return;
  const [status, code, description] = toOAuthError(error, options);
  if (status >= 500 && !(error instanceof Problem)) options.onError(error, response);
  if (response.headersSent) return;
  if (error instanceof Problem) response.set(error.headers);
  if (status === 503 && !response.hasHeader('Retry-After')) response.set('Retry-After', '5');
  response.set({ 'Cache-Control': 'no-store', Pragma: 'no-cache' });
  const body = { error: code, error_description: toErrorDescription(description) };
  setOAuthError(response, body);
  sendJson(response, status, 'application/json', body);
}

function toOAuthError(
  error: unknown,
  options: OAuthRouteOptions,
): [status: number, code: string, description: string] {
  if (error instanceof Problem) {
    if (error.code === 'unsupported_media_type') return [415, 'invalid_request', error.message];
    if (error.code === 'payload_too_large') return [413, 'invalid_request', error.message];
    if (error.code === 'overloaded') return [503, 'temporarily_unavailable', error.message];
    if (error.code === 'quota_exceeded') return [429, 'temporarily_unavailable', error.message];
    return [400, 'invalid_request', error.message];
  }
  if (options.isUnavailable(error))
    return [503, 'temporarily_unavailable', 'The service cannot reach its database now.'];
  return [500, 'server_error', 'An unexpected error occurred.'];
}

/** RFC 6749, 5.2 permits neither quotation marks nor backslashes, and ASCII only. */
function toErrorDescription(text: string): string {
  return text.replaceAll('"', "'").replaceAll(/[^ -~]|\\/g, '?');
}

function parseForm(bytes: Buffer): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const [name, value] of new URLSearchParams(bytes.toString('utf8'))) {
    if (Object.hasOwn(body, name))
      throw new Problem('malformed_request', `The parameter "${name}" was sent twice.`);
    Object.defineProperty(body, name, { value, enumerable: true });
  }
  return body;
}

function parseObject(bytes: Buffer): Record<string, unknown> {
  const { value: body } = parseJsonBody(bytes);
  if (typeof body === 'object' && body !== null && !Array.isArray(body))
    return body as Record<string, unknown>;
  throw new Problem('malformed_request', 'The body must be a JSON object.');
}

/**
 * What a request counts against before its client is proven: who only knows a client's id uses up what that client has from
 * this address, and nothing that it has elsewhere.
 */
function toUnprovenUse(client: string | undefined, address: string | undefined): QuotaUse {
  const subject: QuotaSubject =
    client === undefined ? addressSubject(address) : `client ${client} ${toCountedAddress(address)}`;
  return { policy: 'token', subject };
}

/**
 * Counts by client and by partner, and a password grant as a try to sign in by this client. Resolves to the uses of that try, which are to be
 * given back when it succeeds: only failures count.
 */
async function countProvenClient(
  { limiter, normaliseUsername }: OAuthRouteOptions,
  response: Response,
  request: ParsedOAuthRequest,
  { client, partnerId }: { readonly client: string; readonly partnerId: string },
  address: string | undefined,
): Promise<readonly QuotaState[]> {
  const uses: QuotaUse[] = [
    { policy: 'token', subject: `client ${client}` },
    { policy: 'partner', subject: `partner ${partnerId}` },
  ];
  const { grant_type: grant, username } = request.body;
  if (grant === 'password' && typeof username === 'string') {
    const entrance: LoginEntrance = `grant ${client}`;
    const name = await normaliseUsername(username);
    uses.push(loginUseOfAddress(entrance, address), ...loginUsesOfAccount(entrance, name, address, false));
  }
  const [, , ...attempt] = await limiter.countRequest(response, uses);
  return attempt;
}
