import { hash } from 'node:crypto';
import { addressSubject } from './quota-subjects.ts';
import type { QuotaSubject } from './quota-subjects.ts';

/**
 * Against what one try to sign in counts, at the portal and at the token endpoint alike: the address (many accounts
 * from one place) and the account (one account from many places), by its digest, since a username may be any text.
 */
export function listLoginQuotaSubjects(
  username: string,
  address: string | undefined,
): readonly QuotaSubject[] {
  return [addressSubject(address), `account ${hash('sha256', username.toLowerCase())}`];
}
