import { JsonBytes } from '../contract/json-bytes.ts';
import { StreamedBytes } from '../contract/streamed-bytes.ts';

/** The value of an operation's answer, which may come as one, as JSON in bytes, or as JSON part by part. */
export async function readAnswer(body: unknown): Promise<unknown> {
  if (body instanceof JsonBytes) return JSON.parse(Buffer.from(body.bytes).toString('utf8'));
  if (!(body instanceof StreamedBytes)) return body;
  const parts: Uint8Array[] = [];
  for await (const part of body.parts) parts.push(Buffer.from(part));
  return JSON.parse(Buffer.concat(parts).toString('utf8'));
}

/** The items of a list, which may be streamed. */
export async function readItems<Item>(
  items: readonly Item[] | AsyncIterable<Item>,
): Promise<readonly Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
