import { violatedConstraint } from '../queries/connection/database.ts';

const SHORT_ID_LENGTH = 8;
const NUMBERED_CANDIDATES = 20;

/**
 * Usernames for an email, best first: the email itself; if that is taken, with `+` and the first eight digits of the
 * organization's id before the `@`; then the same with a number, for emails that changed hands in one organization.
 */
export function listUsernameCandidates(email: string, orgId: string): string[] {
  const at = email.lastIndexOf('@');
  const tagged = `${email.slice(0, at)}+${orgId.toLowerCase().slice(0, SHORT_ID_LENGTH)}`;
  const host = email.slice(at);
  const numbered = Array.from({ length: NUMBERED_CANDIDATES }, (_, index) => `${tagged}-${index + 2}${host}`);
  return [email, `${tagged}${host}`, ...numbered];
}

/**
 * Runs `write` with the first candidate that breaks no users_username_key, and resolves to its result.
 * @throws Error when every candidate is taken; any other error of `write` as it is.
 */
export async function withFreeUsername<T>(
  email: string,
  orgId: string,
  write: (username: string) => Promise<T>,
): Promise<T> {
  let conflict: unknown;
  for (const username of listUsernameCandidates(email, orgId)) {
    try {
      return await write(username);
    } catch (error) {
      if (violatedConstraint(error) !== 'users_username_key') throw error;
      conflict = error;
    }
  }
  throw new Error(`Every username for ${email} is taken.`, { cause: conflict });
}
