/** What of a request says which media types its client takes; a request of Express is one. */
interface TypeChooser {
  readonly headers: { readonly accept?: string | undefined };
  accepts(types: string[]): string | false;
}

/** Browsers send less than 200 characters; reading many types costs more than their characters. */
const MAX_ACCEPT_CHARACTERS = 1_024;

/**
 * Which of these media types the client prefers (RFC 9110, 12.5.1), the first one where it takes several alike. False where it takes
 * none, or names them in more than 1,024 characters.
 */
export function findAcceptedType(request: TypeChooser, types: readonly string[]): string | false {
  const isReadable = (request.headers.accept?.length ?? 0) <= MAX_ACCEPT_CHARACTERS;
  return isReadable && request.accepts([...types]);
}

/** Whether a person asks, with a browser: it prefers a page to JSON. */
export function prefersPage(request: TypeChooser): boolean {
  return findAcceptedType(request, ['json', 'application/problem+json', 'html']) === 'html';
}
