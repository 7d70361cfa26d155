import { expect } from 'vitest';
import type { OAuthReply } from '../../src/oauth/exchange.ts';

export const noStore = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };
const challenged = { ...noStore, 'WWW-Authenticate': 'Basic realm="partners"' };

export function expectToken(answer: OAuthReply, scope = 'read write'): string {
  expect(answer).toEqual({
    status: 200,
    headers: noStore,
    body: {
      access_token: expect.stringMatching(/^pat_[\w-]{43}$/),
      expires_in: 36_000,
      token_type: 'Bearer',
      scope,
    },
  });
  return String(answer.body?.access_token);
}

export function expectRefusal(answer: OAuthReply, error: string): void {
  const isClientFault = error === 'invalid_client';
  expect(answer).toEqual({
    status: isClientFault ? 401 : 400,
    headers: isClientFault ? challenged : noStore,
    // RFC 6749, 5.2: the characters of error_description.
    body: { error, error_description: expect.stringMatching(/^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/) },
  });
}
