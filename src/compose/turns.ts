import type { RequestListener } from 'node:http';
import type { SessionMemory } from '../accounts/sessions.ts';
import { answerOverloaded } from '../http/bare-problem.ts';
import { createCallerFinder } from '../http/request-caller.ts';
import { RequestTurns } from '../http/request-turns.ts';
import type { Authenticator } from '../oauth/authenticate.ts';
import { findSessionValue } from '../portal/cookies.ts';

interface TurnsOptions {
  readonly baseUrl: string;
  readonly trustedProxies: readonly string[];
  readonly authenticator: Pick<Authenticator, 'findPartner'>;
  readonly sessions: Pick<SessionMemory, 'findPartner'>;
}

/** Lets the listener begin requests by turns of partners, as far as their tokens and sessions have been seen, and of addresses. */
export function takeTurns(
  listener: RequestListener,
  { baseUrl, trustedProxies, authenticator, sessions }: TurnsOptions,
): RequestListener {
  const turns = new RequestTurns(listener, {
    findCaller: createCallerFinder({
      trustedProxies,
      findPartnerOfToken: (authorization) => authenticator.findPartner(authorization),
      findPartnerOfSession: (cookies) => {
        const value = findSessionValue(cookies);
        return value === undefined ? undefined : sessions.findPartner(value);
      },
    }),
    refuse: (request, response) => answerOverloaded(baseUrl, request, response),
  });
  return turns.take;
}
