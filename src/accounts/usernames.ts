import { randomInt } from 'node:crypto';
import { violatedConstraint } from '../queries/connection/database.ts';

const SHORT_ID_LENGTH = 8;
/** Emails change hands in an organization rarely; behind these come numbers that nobody knows before. */
const NUMBERED_CANDIDATES = 3;
const DRAWN_CANDIDATES = 5;
const MAX_DRAWN = 10 ** 10;
/** An email in the form that usernames get whose email is taken. */
const TAGGED_PATTERN = /\+([0-9a-f]{8})(?:-\d+)?@[^@]*$/i;

/** The second one where a process of the version before has just given the username. */
const TAKEN: ReadonlySet<string> = new Set(['usernames_pkey', 'users_username_key']);

/** A whole number from 0 up to, and without, its argument. */
type Chance = (below: number) => number;

/**
 * Usernames for an email, best first: the email itself; if that is taken, with `+` and the first eight digits of the
 * organization's id before the `@`; then the same with a number, for emails that changed hands in one organization; at last with ten
 * drawn digits, which nobody can have taken before on purpose. An email that looks like a username of another organization is none itself:
 * whoever knows a person's email and organization could take all that this person may get.
 */
export function* listUsernameCandidates(
  email: string,
  orgId: string,
  chance: Chance = randomInt,
): Generator<string> {
  const shortId = orgId.toLowerCase().slice(0, SHORT_ID_LENGTH);
  const tag = TAGGED_PATTERN.exec(email)?.[1]?.toLowerCase();
  if (tag === undefined || tag === shortId) yield email;
  const at = email.lastIndexOf('@');
  const tagged = `${email.slice(0, at)}+${shortId}`;
  const host = email.slice(at);
  yield `${tagged}${host}`;
  for (let number = 2; number < 2 + NUMBERED_CANDIDATES; number++) yield `${tagged}-${number}${host}`;
  for (let drawn = 0; drawn < DRAWN_CANDIDATES; drawn++)
    yield `${tagged}-${String(chance(MAX_DRAWN)).padStart(10, '0')}${host}`;
}

/**
 * Runs `write` with the first candidate that breaks no usernames_pkey, and resolves to its result.
 * @throws Error when every candidate is taken, the drawn ones by chance; any other error of `write` as it is.
 */
export async function withFreeUsername<T>(
  email: string,
  orgId: string,
  write: (username: string) => Promise<T>,
  chance?: Chance,
): Promise<T> {
  let conflict: unknown;
  for (const username of listUsernameCandidates(email, orgId, chance)) {
    try {
      return await write(username);
    } catch (error) {
      if (!TAKEN.has(violatedConstraint(error) ?? '')) throw error;
      conflict = error;
    }
  }
  throw new Error(`Every username for ${email} is taken.`, { cause: conflict });
}
