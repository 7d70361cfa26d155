import type { IncomingMessage } from 'node:http';
import { addressSubject } from '../domain/security/quota-subjects.ts';
import type { QuotaSubject } from '../domain/security/quota-subjects.ts';
import type { FindAddress } from './trusted-proxies.ts';

export interface CallerOptions {
  readonly findAddress: FindAddress;
  /** The partner of a header `Authorization`, if this process has found its token or its client right within a minute. */
  readonly findPartnerOfHeader: (authorization: string) => string | undefined;
  /** The partner of the session of a header `Cookie`, if this process has found it right within a minute. */
  readonly findPartnerOfSession: (cookies: string) => string | undefined;
}

/**
 * Whose turn a request takes before anything is read or asked of the database: its partner's where this process has found its
 * token, its session or its client's header right within a minute, otherwise its address's (IPv6: its /64), as the rate limits count it.
 */
export function createCallerFinder(options: CallerOptions): (request: IncomingMessage) => QuotaSubject {
  return (request) => {
    const { authorization, cookie } = request.headers;
    const partnerId =
      authorization === undefined
        ? cookie && options.findPartnerOfSession(cookie)
        : options.findPartnerOfHeader(authorization);
    if (partnerId) return `partner ${partnerId}`;
    return addressSubject(options.findAddress(request));
  };
}
