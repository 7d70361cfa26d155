import type { Response } from 'express';
import { computeEntityTag, findKnownTag, toCodedTag } from '../domain/api/entity-tags.ts';
import { CACHE_CONTROL } from './cache-control.ts';
import { sendCodedJson } from './coded-answer.ts';
import type { AnswerCoding } from './coded-answer.ts';
import { chooseCoding, encodeBytes } from './content-coding.ts';
import type { Coding } from './content-coding.ts';
import { addVary } from './vary.ts';

/** A body that is made once. */
export interface TaggedBytes {
  readonly type: string;
  readonly bytes: Buffer;
  readonly tag: string;
  readonly cacheControl: string;
  readonly encoded: (coding: Coding) => Promise<Buffer>;
}

/**
 * Sends a JSON body with its entity tag, or 304 without a body to a client that has it (RFC 9110, 13.2.2). The tag is computed
 * from what is sent, so that no record needs a version.
 */
export async function sendTagged(
  response: Response,
  status: number,
  text: string,
  { wanted, cacheControl }: { readonly wanted: AnswerCoding | undefined; readonly cacheControl: string },
): Promise<void> {
  const tag = computeEntityTag(text);
  if (sendTag(response, tag, cacheControl)) return;
  await sendCodedJson(response, status, text, wanted, (coding) =>
    response.setHeader('ETag', toCodedTag(tag, coding)),
  );
}

/** The same for a body that is made once. */
export async function sendTaggedBytes(response: Response, body: TaggedBytes): Promise<void> {
  addVary(response, 'Accept-Encoding');
  if (sendTag(response, body.tag, body.cacheControl)) return;
  const coding = chooseCoding(response.req);
  const bytes = coding === undefined ? body.bytes : await body.encoded(coding);
  response.set('Content-Type', body.type);
  if (coding !== undefined) response.set({ 'Content-Encoding': coding, ETag: toCodedTag(body.tag, coding) });
  response.send(bytes);
}

/** Coded when somebody first wants that, and once. */
export function toTaggedBytes(
  type: string,
  bytes: Buffer,
  cacheControl: string = CACHE_CONTROL.PUBLISHED,
): TaggedBytes {
  const coded = new Map<Coding, Promise<Buffer>>();
  const encoded = (coding: Coding): Promise<Buffer> => {
    const made = coded.get(coding) ?? encodeBytes(coding, bytes, { often: true });
    coded.set(coding, made);
    return made;
  };
  return { type, bytes, tag: computeEntityTag(bytes), cacheControl, encoded };
}

/** What sends these bytes to whoever asks for them. */
export function createBytesSender(
  type: string,
  bytes: Buffer,
  cacheControl?: string,
): (response: Response) => Promise<void> {
  const body = toTaggedBytes(type, bytes, cacheControl);
  return (response) => sendTaggedBytes(response, body);
}

/** Sets the entity tag. Answers 304, and returns true, when the client that reads has what it belongs to. */
function sendTag(response: Response, tag: string, cacheControl: string): boolean {
  const { req: request } = response;
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const known = isRead ? findKnownTag(request.get('if-none-match'), tag) : undefined;
  response.setHeader('ETag', known ?? tag);
  if (isRead) response.setHeader('Cache-Control', cacheControl);
  if (known === undefined) return false;
  response.status(304).end();
  return true;
}
