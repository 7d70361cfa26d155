import { hash } from 'node:crypto';

/**
 * Against what one try to sign in counts, at the portal and at the token endpoint alike: the address (many accounts
 * from one place) and the account (one account from many places), by its digest, since a username may be any text.
 */
export function listLoginQuotaSubjects(username: string, address: string | undefined): readonly string[] {
  return [`address ${address ?? 'unknown'}`, `account ${hash('sha256', username.toLowerCase())}`];
}
