import type { Response } from 'express';
import { sendMessage } from '../html/messages.ts';

/** Answers 404; the same for what does not exist and for what the person may not see. */
export function sendNotFound(response: Response): void {
  sendMessage(response, 404, {
    heading: 'Page not found',
    text: 'There is no such page, or it is not yours to see.',
  });
}

/** Answers 303: the browser continues with GET at this path, so that a reload does not send the form again. */
export function redirectAfterForm(response: Response, path: string): void {
  response.redirect(303, path);
}

/** Continues with a page that says what has been done. */
export function redirectWithNotice(response: Response, path: string, notice: Notice): void {
  redirectAfterForm(response, withNotice(path, notice));
}

/** The path of a page that says what has been done. */
export function withNotice(path: string, notice: Notice): string {
  return `${path}${path.includes('?') ? '&' : '?'}notice=${notice}`;
}

const NOTICES = {
  password_changed: 'Your password was changed.',
  user_created: 'The user was created.',
  user_updated: 'The user was changed.',
  user_deleted: 'The user was deleted. Its tokens and sessions have ended.',
  fleet_created: 'The fleet is being built.',
  fleet_expanding: 'The fleet is being expanded.',
  fleet_stopped: 'The fleet was stopped. Its values stand still.',
  fleet_cancelled: 'It was cancelled.',
  fleet_cleaned: 'The fleet was cleaned up: its homes are being removed.',
  fleet_purging: 'The fleet is being purged.',
  preferences_changed: 'The preferences were changed. They hold from the next quarter hour on.',
  boost_started: 'The boost begins with the next quarter hour.',
  boost_ended: 'The boost ends with this quarter hour.',
  event_triggered: 'It has happened.',
  webhook_updated: 'The webhook was changed.',
  webhook_enabled: 'The webhook is enabled. What happens from now on is sent to it.',
  webhook_disabled: 'The webhook is disabled. What happens from now on is not sent to it, also not later.',
  item_dismissed: 'The notice was put away.',
  item_resolved: 'The device is connected again, and the action is resolved.',
  notice_sent: 'The notice was written. Its readers find it in their lists.',
  redelivered: 'The message is sent again.',
  webhook_deleted: 'The webhook was deleted. What was still to be sent to it was dropped.',
  application_updated: 'The application was updated.',
  application_stale: 'The application was changed meanwhile. Nothing was done; this is how it is now.',
  secret_ended: 'The older secret has ended.',
  application_deleted: 'The application was deleted. Its tokens have ended.',
  prices_stored: 'The prices were stored. Schedules go by them from the next quarter hour on.',
  prices_known: 'Nothing was stored: all of these prices were stored already.',
  prices_late: 'Nothing was stored: the time of all these prices is over.',
  secret_unchanged:
    'The form had been sent before. The secret was shown then and cannot be shown again; if you have not seen it, make a new one.',
  secret_stale:
    'Nothing was done: it was changed meanwhile, or the form had been sent before. A new secret is shown once; if you have not seen one, make another.',
  password_stale:
    'Nothing was done: the user was changed meanwhile, or the form had been sent before. An initial password is shown once; if you have not seen one, issue another.',
} as const;

/** By which an address names a notice. */
export type Notice = keyof typeof NOTICES;

/** The text for `?notice=…`; codes only, so that no link can put words on a page. */
export function findNoticeText(code: string | undefined): string | undefined {
  return code !== undefined && Object.hasOwn(NOTICES, code) ? NOTICES[code as Notice] : undefined;
}
