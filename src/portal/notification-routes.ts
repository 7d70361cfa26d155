import { broadcastFromForm, showBroadcast } from './broadcast-form.ts';
import type { PageHandler } from './context.ts';
import { showDeviceHistory } from './device-history.ts';
import { showAllNotices, showNotifications } from './notification-list.ts';
import { resolveFromForm, showNotification } from './notification-page.ts';

/** The pages about notifications, by their paths; broadcasts are behind a guard of their own. */
export function addNotificationPages(
  page: (path: string, get: PageHandler, post?: PageHandler) => void,
): void {
  page('/portal/notifications', showNotifications);
  page('/portal/notifications/information', showAllNotices);
  page('/portal/notifications/broadcast', showBroadcast, broadcastFromForm);
  page('/portal/notifications/:item', showNotification);
  page('/portal/notifications/:item/resolve', showNotification, resolveFromForm);
  page('/portal/homes/:id/:type/:device/history', showDeviceHistory);
}
