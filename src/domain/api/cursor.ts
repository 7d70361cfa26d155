/** Where a keyset page begins: after the row created at this instant with this id. */
export interface CursorPosition {
  readonly createdAt: Date;
  readonly id: string;
}

const CURSOR_PATTERN = /^(\d{1,15})~([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/;

/** The opaque form of a keyset, for an address. */
export function encodeCursor({ createdAt, id }: CursorPosition): string {
  return Buffer.from(`${createdAt.getTime()}~${id}`).toString('base64url');
}

/** The keyset of a cursor that encodeCursor has made; undefined for any other text. */
export function decodeCursor(cursor: string): CursorPosition | undefined {
  const match = CURSOR_PATTERN.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  if (match === null) return undefined;
  const keyset = { createdAt: new Date(Number(match[1])), id: match[2] ?? '' };
  // Base64 decoding skips what is no base64, and a number may have leading zeros: only the canonical form is accepted.
  return !Number.isNaN(keyset.createdAt.getTime()) && encodeCursor(keyset) === cursor ? keyset : undefined;
}
