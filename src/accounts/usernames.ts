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
