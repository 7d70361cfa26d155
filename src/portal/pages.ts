import type { Response } from 'express';
import type { PortalResponse } from './context.ts';
import { sendView } from '../html/render.ts';

/** A page of the portal: the layout gets the session, and with it navigation, log-out form and CSRF token. */
export function sendPortalPage(
  response: PortalResponse,
  status: number,
  view: string,
  data: Readonly<Record<string, unknown>> = {},
): void {
  sendView(response, status, view, { session: response.locals.session, ...data });
}

interface Message {
  readonly heading: string;
  readonly text: string;
  readonly back?: string;
  readonly backLabel?: string;
}

export function sendMessage(response: PortalResponse, status: number, message: Message): void {
  sendPortalPage(response, status, 'message', { ...message });
}

export function sendNotFound(response: PortalResponse): void {
  sendMessage(response, 404, {
    heading: 'Page not found',
    text: 'There is no such page, or it is not yours to see.',
  });
}

export function sendMethodNotAllowed(response: PortalResponse, allowed: string): void {
  response.set('Allow', allowed);
  sendMessage(response, 405, { heading: 'Not this way', text: `This page answers ${allowed} only.` });
}

/** After a form: the browser continues with GET, so that a reload does not send the form again. */
export function redirectAfterForm(response: Response, path: string): void {
  response.redirect(303, path);
}

/** `2026-11-21 08:15`, UTC. */
export function formatMinute(instant: Date): string {
  return instant.toISOString().slice(0, 16).replace('T', ' ');
}

const NOTICES: Readonly<Record<string, string>> = {
  password_changed: 'Your password was changed.',
  application_updated: 'The application was updated.',
  application_deleted: 'The application was deleted. Its tokens have ended.',
  secret_unchanged: 'The form had been sent before. The secret was shown then and cannot be shown again.',
  password_unchanged: 'The form had been sent before. The password was shown then and cannot be shown again.',
};

/** The text for `?notice=…`; codes only, so that no link can put words on a page. */
export function findNoticeText(code: string | undefined): string | undefined {
  return code !== undefined && Object.hasOwn(NOTICES, code) ? NOTICES[code] : undefined;
}
