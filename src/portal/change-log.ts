import type { PortalContext, PortalResponse } from './context.ts';
import { getSession } from './context.ts';

/** Logs what a person who is signed in has done to something, with its id and what else tells it. */
export function logChange(
  { log }: Pick<PortalContext, 'log'>,
  response: PortalResponse,
  message: string,
  { id, ...more }: { readonly id: string } & Readonly<Record<string, string>>,
): void {
  const { orgId, userId } = getSession(response);
  log.info(message, { org_id: orgId, user_id: userId, for: id, ...more });
}
