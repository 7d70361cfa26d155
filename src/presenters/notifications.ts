import type { components } from '../../generated/openapi.ts';
import type { ItemKind } from '../domain/notifications/conditions.ts';
import { buildResolveUrl, type LinkSigner } from './item-links.ts';

type ActionItem = components['schemas']['ActionItem'];
type InformationNotification = components['schemas']['InformationNotification'];

/** A notification item as one reader sees it. */
interface PresentedItem {
  readonly id: string;
  readonly kind: ItemKind;
  readonly code: string | null;
  readonly device_id: string | null;
  readonly device_type: string | null;
  readonly owner_id: string | null;
  readonly message: string;
  readonly occurred_at: Date;
  readonly cleared_at: Date | null;
  readonly dismissed: boolean;
}

/** An item of the list of actions: an action, or a notice to read; it has `created_at` or `sent_at` accordingly. */
export function presentActionItem(signer: LinkSigner, item: PresentedItem, readerId: string): ActionItem {
  const isAction = item.kind === 'action';
  const at = item.occurred_at.toISOString();
  return {
    id: item.id,
    code: isAction ? (item.code ?? 'reauthenticate') : 'information',
    device_id: item.device_id,
    device_type: item.device_type,
    owner_id: item.owner_id,
    resolution: {
      url: buildResolveUrl(signer, item, readerId),
      required_parameters: isAction ? ['success_url', 'cancel_url'] : [],
    },
    ...(isAction ? { created_at: at } : { sent_at: at }),
    metadata: isAction ? {} : { message: item.message },
  };
}

/** A notice with the link by which `readerId` dismisses it. */
export function presentInformation(
  signer: LinkSigner,
  item: PresentedItem,
  readerId: string,
): InformationNotification {
  return {
    id: item.id,
    code: item.code,
    message: item.message,
    sent_at: item.occurred_at.toISOString(),
    dismissed: item.dismissed,
    cleared_at: item.cleared_at?.toISOString() ?? null,
    device_id: item.device_id,
    device_type: item.device_type,
    owner_id: item.owner_id,
    resolution_link: { url: buildResolveUrl(signer, item, readerId), required_parameters: [] },
  };
}
