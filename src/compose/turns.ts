import type { IncomingMessage, RequestListener } from 'node:http';
import type { SessionMemory } from '../accounts/sessions.ts';
import type { QuotaSubject } from '../domain/security/quota-subjects.ts';
import { answerOverloaded } from '../http/bare-problem.ts';
import type { ProvenClients } from '../http/proven-clients.ts';
import { createCallerFinder } from '../http/request-caller.ts';
import { RequestTurns } from '../http/request-turns.ts';
import type { FindAddress } from '../http/trusted-proxies.ts';
import type { Authenticator } from '../oauth/authenticate.ts';
import { findSessionValue } from '../portal/cookies.ts';

interface CallersOptions {
  readonly findAddress: FindAddress;
  readonly authenticator: Pick<Authenticator, 'findProvenPartner'>;
  readonly provenClients: Pick<ProvenClients, 'findProvenPartner'>;
  readonly sessions: Pick<SessionMemory, 'findProvenPartner'>;
}

export type FindCaller = (request: IncomingMessage) => QuotaSubject;

/** Whose turn a request takes: a partner's where its token, session or client was right within a minute, otherwise an address's. */
export function createFinder({
  findAddress,
  authenticator,
  provenClients,
  sessions,
}: CallersOptions): FindCaller {
  return createCallerFinder({
    findAddress,
    findPartnerOfHeader: (authorization) =>
      authenticator.findProvenPartner(authorization) ?? provenClients.findProvenPartner(authorization),
    findPartnerOfSession: (cookies) => {
      const value = findSessionValue(cookies);
      return value === undefined ? undefined : sessions.findProvenPartner(value);
    },
  });
}

/** The session of a request's cookie as it is counted, as far as it has been seen. */
export function createSessionFinder({
  findSubject,
}: Pick<SessionMemory, 'findSubject'>): (request: IncomingMessage) => QuotaSubject | undefined {
  return ({ headers }) => {
    const value = headers.cookie && findSessionValue(headers.cookie);
    return value ? findSubject(value) : undefined;
  };
}

/** Lets the listener begin requests by turns of their callers. */
export function takeTurns(
  listener: RequestListener,
  baseUrl: string,
  findCaller: FindCaller,
): RequestListener {
  const turns = new RequestTurns(listener, {
    findCaller,
    refuse: (request, response) => answerOverloaded(baseUrl, request, response),
  });
  return turns.take;
}
