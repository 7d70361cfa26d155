import { signLink, verifyLink, type LinkKey, type LinkStatus } from '../domain/security/signed-links.ts';

/** What links are signed with, and the time of the request. */
export interface LinkSigner {
  readonly linkKey: LinkKey;
  readonly now: Date;
}

interface LinkedItem {
  readonly id: string;
  /** Null for a broadcast. */
  readonly owner_id: string | null;
}

/**
 * The relative URL that resolves an item, valid for one hour. It is signed for the item's owner; that of a broadcast,
 * which has none, is signed for its reader and names it.
 */
export function buildResolveUrl({ linkKey, now }: LinkSigner, item: LinkedItem, readerId: string): string {
  const ownerId = item.owner_id ?? readerId;
  const signature = signLink(linkKey, { purpose: 'resolve', itemId: item.id, ownerId }, now);
  const secret = item.owner_id === null ? `${signature}~${readerId}` : signature;
  return `/api/partners/v2.0/notifications/items/${item.id}/resolve?secret=${encodeURIComponent(secret)}`;
}

/** Verifies the secret of such a URL: whether it is valid, invalid or expired, and for whom it was made. */
export function verifyLinkSecret(
  { linkKey, now }: LinkSigner,
  item: LinkedItem,
  text: string,
): { readonly status: LinkStatus; readonly ownerId: string } {
  const [secret = '', reader = '', ...rest] = text.split('~');
  const isWellFormed = rest.length === 0 && (item.owner_id === null) === (reader !== '');
  const ownerId = item.owner_id ?? reader;
  const subject = { purpose: 'resolve', itemId: item.id, ownerId } as const;
  const status = isWellFormed ? verifyLink(linkKey, subject, secret, now) : 'invalid';
  return { status, ownerId };
}
