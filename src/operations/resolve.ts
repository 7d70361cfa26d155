import type { Handler } from '../contract/handlers.ts';
import { signConsentQuery, validateReturnUrl, type ReturnUrls } from '../domain/security/consent-links.ts';
import { validationProblem, notFoundProblem, Problem, type FieldError } from '../domain/api/problem.ts';
import { ROLE_TABLE } from '../domain/users/roles.ts';
import { dismissInformation } from '../conditions/dismiss-information.ts';
import { inTransaction } from '../queries/connection/in-transaction.ts';
import { insertBroadcastDismissal, findNotificationItem } from '../queries/notifications/notifications.ts';
import { isOrganizationReachable, listOrganizationsOf } from '../queries/accounts/organizations.ts';
import type { Context } from './context.ts';
import { verifyLinkSecret } from '../presenters/item-links.ts';

type Item = NonNullable<Awaited<ReturnType<typeof findNotificationItem>>>;

/** A notice is dismissed by the call alone; an action is resolved on the page that the answer names. */
export const resolveNotificationItem: Handler<Context, 'resolveNotificationItem'> = async (
  context,
  { path, query, body },
) => {
  const item = await requireResolvableItem(context, path.item_id);
  const readerId = verifySecret(context, item, query.secret);
  if (item.kind === 'action') {
    const urls = requireReturnUrls(body ?? {});
    return { status: 200, body: { redirect_url: buildConsentUrl(context, item, readerId, urls) } };
  }
  await dismiss(context, item, readerId);
  return { status: 200, body: {} };
};

/**
 * The same from a page of the service itself, which has shown the item to the caller: the address that an action leads on to, and
 * from there back to the page; undefined for a notice, which is dismissed then. 404 unless the item is the caller's to resolve.
 */
export async function resolveFromPage(
  context: Context,
  itemId: string,
  pages: ReturnUrls,
): Promise<string | undefined> {
  const item = await requireResolvableItem(context, itemId);
  if (item.org_id !== context.orgId) throw notFoundProblem('notification item');
  const readerId = item.owner_id ?? context.actor.userId;
  if (item.kind === 'action') return buildConsentUrl(context, item, readerId, pages);
  await dismiss(context, item, readerId);
  return undefined;
}

async function dismiss({ db, now }: Context, item: Item, readerId: string): Promise<void> {
  if (item.owner_id !== null) await inTransaction(db, (tx) => dismissInformation(tx, item, now));
  else if (!(await insertBroadcastDismissal(db, item, readerId, now))) throw notFoundProblem('user');
}

/** 404 unless the item is there, can still be resolved, and is the caller's to resolve. */
export async function checkNotificationItemExists(
  context: Context,
  path: { readonly item_id: string },
): Promise<void> {
  await requireResolvableItem(context, path.item_id);
}

/** An item of the organizations that the caller's token reaches. */
export async function findReachableItem({ actor, db }: Context, id: string): Promise<Item | undefined> {
  const isOfAll = ROLE_TABLE.resolveNotificationItem[actor.role] === 'all';
  const orgIds = isOfAll ? await listOrganizationsOf(db, actor.orgId) : [actor.orgId];
  return findNotificationItem(db, orgIds, id);
}

async function requireResolvableItem(context: Context, id: string): Promise<Item> {
  const item = await findReachableItem(context, id);
  const isOver = item?.kind === 'action' && (item.cleared_at !== null || item.dismissed_at !== null);
  if (item === undefined || isOver || !(await canResolve(context, item)))
    throw notFoundProblem('notification item');
  return item;
}

/** The owner, anybody of the organization for a broadcast, or an admin of the organization or of its parent. */
async function canResolve({ actor, db }: Context, item: Item): Promise<boolean> {
  if (ROLE_TABLE.resolveNotificationItem[actor.role] === 'all') {
    return isOrganizationReachable(db, actor.orgId, item.org_id);
  }
  return item.org_id === actor.orgId && (item.owner_id === null || item.owner_id === actor.userId);
}

/** Whom the link was made for. Only an admin may use another user's. */
function verifySecret(context: Context, item: Item, secret: string): string {
  const { status, ownerId } = verifyLinkSecret(context, item, secret);
  if (status === 'expired') {
    throw new Problem('link_expired', 'The link is older than one hour; fetch the list again.');
  }
  const isAllowed =
    ownerId === context.actor.userId || ROLE_TABLE.resolveNotificationItem[context.actor.role] === 'all';
  if (status === 'invalid' || !isAllowed) {
    throw new Problem('link_invalid', "The link's secret does not fit this item and caller.");
  }
  return ownerId;
}

interface Body {
  readonly success_url?: string | undefined;
  readonly cancel_url?: string | undefined;
}

/** The addresses to which the consent page leads back, and what is wrong with them; both are required. */
export function readReturnUrls(body: Body): {
  readonly urls: { readonly success: string; readonly cancel: string };
  readonly errors: readonly FieldError[];
} {
  const errors: FieldError[] = [];
  const read = (name: keyof Body): string => {
    const text = body[name];
    const pointer = `/${name}`;
    if (text === undefined) {
      errors.push({ pointer, code: 'required', detail: `"${name}" is required to resolve this action.` });
      return '';
    }
    const parsed = validateReturnUrl(text, pointer);
    if ('url' in parsed) return parsed.url;
    errors.push(...parsed.errors);
    return '';
  };
  return { urls: { success: read('success_url'), cancel: read('cancel_url') }, errors };
}

function requireReturnUrls(body: Body): ReturnUrls {
  const { urls, errors } = readReturnUrls(body);
  if (errors.length > 0) throw validationProblem(errors);
  return urls;
}

function buildConsentUrl(context: Context, item: Item, ownerId: string, urls: ReturnUrls): string {
  const subject = { orgId: item.org_id, itemId: item.id, ownerId };
  const query = signConsentQuery(context.linkKey, subject, urls, context.now);
  return `${context.baseUrl}/portal/consent/${item.id}?${query}`;
}
