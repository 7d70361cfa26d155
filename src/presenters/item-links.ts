import { signLink, verifyLink, type LinkStatus } from '../domain/security/signed-links.ts';
import type { Context } from '../operations/context.ts';

interface LinkedItem {
  readonly id: string;
  readonly owner_id: string | null;
}

/**
 * The relative address that resolves an item. It is bound to the item's owner; that of a broadcast, which has none,
 * is bound to its reader, whom it names.
 */
export function resolveUrl(context: Context, item: LinkedItem, readerId: string): string {
  const ownerId = item.owner_id ?? readerId;
  const secret = signLink(context.linkKey, { purpose: 'resolve', itemId: item.id, ownerId }, context.now);
  const named = item.owner_id === null ? `${secret}~${readerId}` : secret;
  return `/api/partners/v2.0/notifications/items/${item.id}/resolve?secret=${encodeURIComponent(named)}`;
}

/** What a secret is worth, and for whom it was made. */
export function verifyLinkSecret(
  context: Context,
  item: LinkedItem,
  text: string,
): { readonly verdict: LinkStatus; readonly ownerId: string } {
  const [secret = '', reader = '', ...rest] = text.split('~');
  const isWellFormed = rest.length === 0 && (item.owner_id === null) === (reader !== '');
  const ownerId = item.owner_id ?? reader;
  const subject = { purpose: 'resolve', itemId: item.id, ownerId } as const;
  const verdict = isWellFormed ? verifyLink(context.linkKey, subject, secret, context.now) : 'invalid';
  return { verdict, ownerId };
}
