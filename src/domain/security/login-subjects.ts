import { createHmac, hash } from 'node:crypto';
import { matchesDigest, sha256Digest } from './credentials.ts';
import { toCountedAddress } from './quota-subjects.ts';
import type { QuotaSubject } from './quota-subjects.ts';
import type { LinkKey } from './signed-links.ts';

/** A try to sign in counts against these, each on its own; one that succeeds gives its uses back, so that failures count. */
export interface LoginUse {
  readonly policy: 'login' | 'login_address' | 'login_account';
  readonly subject: QuotaSubject;
}

/** Where somebody tries: at the portal, or by the password grant of a client whose secret was right. Each counts apart. */
export type LoginEntrance = 'portal' | `grant ${string}`;

/** The many tries from one place, whatever the account. */
export function loginUseOfAddress(entrance: LoginEntrance, address: string | undefined): LoginUse {
  const [door = ''] = entrance.split(' ');
  return { policy: 'login_address', subject: `address ${door} ${toCountedAddress(address)}` };
}

/**
 * The tries at one account, by the digest of its name as the database compares names: from one place, and, for browsers that
 * have never signed in to it, from all places. Who only knows the name can so use up neither the tries of an address nor
 * those of a browser that is known.
 */
export function loginUsesOfAccount(
  entrance: LoginEntrance,
  username: string,
  address: string | undefined,
  isKnownBrowser: boolean,
): readonly LoginUse[] {
  const account = `account ${hash('sha256', username)} ${entrance}` as const;
  const here: LoginUse = { policy: 'login', subject: `${account} ${toCountedAddress(address)}` };
  return isKnownBrowser ? [here] : [here, { policy: 'login_account', subject: account }];
}

/** What a browser keeps that has signed in to an account: 43 characters that nobody else can make. */
export function signKnownBrowser(key: LinkKey, username: string): string {
  return createHmac('sha256', key).update(`known browser\n${username}`).digest('base64url');
}

/** Whether a browser has signed in to this account before. */
export function isKnownBrowser(key: LinkKey, username: string, kept: string | undefined): boolean {
  return kept !== undefined && matchesDigest(kept, sha256Digest(signKnownBrowser(key, username)));
}
