const shortIdLength = 8;
const furtherCandidates = 20;

/**
 * Usernames for an email, best first: the email itself; if that is taken, with `+` and the first eight digits of the
 * organization's id before the `@`; then the same with a number, for emails that changed hands in one organization.
 */
export function usernameCandidates(email: string, orgId: string): string[] {
  const at = email.lastIndexOf('@');
  const tagged = `${email.slice(0, at)}+${orgId.toLowerCase().slice(0, shortIdLength)}`;
  const host = email.slice(at);
  const numbered = Array.from({ length: furtherCandidates }, (_, index) => `${tagged}-${index + 2}${host}`);
  return [email, `${tagged}${host}`, ...numbered];
}
