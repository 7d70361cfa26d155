/** JSON with a line for each value; what is none stays as it is. */
export function formatPayload(payload: Buffer): string {
  const text = payload.toString('utf8');
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
