/** The codes that our validators give for a broken rule of the document; other 422s come from rules beyond it. */
const DOCUMENT_CODES: ReadonlySet<string> = new Set(
  (
    'unknown_property required type null_not_allowed format pattern enum minimum maximum exclusive_minimum min_length ' +
    'max_length min_items max_items immutable'
  ).split(' '),
);

/** Whether an answer says that its request breaks the document. */
export function isRefusedByDocument(status: number, body: unknown): boolean {
  const { errors = [] } = (body ?? {}) as { readonly errors?: readonly { readonly code: string }[] };
  return status === 415 || (status === 422 && errors.some(({ code }) => DOCUMENT_CODES.has(code)));
}
