import type { Response } from 'express';
import type { Route } from '../../generated/routes.ts';
import type { SharedCoding } from './coding-shares.ts';
import { chooseCoding, encodeBytes, MIN_CODED_BYTES, PartCoder } from './content-coding.ts';
import type { Coding } from './content-coding.ts';
import { checkNotGivenUp } from './given-up.ts';
import { sendJsonBytes, sendJsonHead, sendJsonText } from './problems.ts';
import { addVary } from './vary.ts';

/** A body up to this size is coded as a whole: some milliseconds of a thread. */
const WHOLE_BYTES = 262_144;
/** Longer ones part by part. */
const PART_BYTES = 65_536;

/** How the client wants the answer to be coded, and from whose room. */
export interface AnswerCoding {
  readonly coding: Coding;
  readonly shared: SharedCoding;
  readonly partnerId: string;
}

/**
 * How an answer of the route may be coded; undefined where the client takes no coding. Answers with a secret or a signed link never are: their
 * length would tell of it to whoever has put something of his own beside it (BREACH).
 */
export function chooseAnswerCoding(
  response: Response,
  route: Route,
  { shared, partnerId }: Pick<AnswerCoding, 'shared' | 'partnerId'>,
): AnswerCoding | undefined {
  if (route.notStored) return undefined;
  addVary(response, 'Accept-Encoding');
  const coding = chooseCoding(response.req);
  return coding && { coding, shared, partnerId };
}

/**
 * Sends a JSON body, coded where the client takes that, the body is long enough and there is room. `onCoded` is called before the
 * head is sent.
 */
export async function sendCodedJson(
  response: Response,
  status: number,
  body: string | Uint8Array,
  wanted: AnswerCoding | undefined,
  onCoded?: (coding: Coding) => void,
): Promise<void> {
  if (isHead(response) && mayBeCoded(body, wanted)) {
    sendJsonHead(response, status, 'application/json');
    return;
  }
  const coded = await encodeWhole(body, wanted);
  if (coded !== undefined && wanted !== undefined) {
    checkNotGivenUp(response);
    response.setHeader('Content-Encoding', wanted.coding);
    onCoded?.(wanted.coding);
  }
  const sent = coded ?? body;
  if (typeof sent === 'string') sendJsonText(response, status, 'application/json', sent);
  else sendJsonBytes(response, status, 'application/json', sent);
}

/** Whether nothing is coded, since the client wants the head alone: its length would be that of what `GET` sends (RFC 9110, 8.6). */
const isHead = ({ req: request }: Response): boolean => request.method === 'HEAD';

/** Whether a body is coded if there is room. */
const mayBeCoded = (body: string | Uint8Array, wanted: AnswerCoding | undefined): wanted is AnswerCoding =>
  wanted !== undefined && Buffer.byteLength(body) >= MIN_CODED_BYTES;

async function encodeWhole(
  body: string | Uint8Array,
  wanted: AnswerCoding | undefined,
): Promise<Uint8Array | undefined> {
  if (!mayBeCoded(body, wanted)) return undefined;
  const { coding, shared, partnerId } = wanted;
  const release = shared.bodies.tryTake(partnerId);
  if (release === undefined) return undefined;
  try {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    return bytes.length <= WHOLE_BYTES
      ? await encodeBytes(coding, bytes)
      : await encodeByParts(coding, bytes);
  } finally {
    release();
  }
}

/** So that no body keeps a thread from others for longer than its part. */
async function encodeByParts(coding: Coding, bytes: Uint8Array): Promise<Buffer> {
  const coder = new PartCoder(coding);
  try {
    const coded: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += PART_BYTES)
      coded.push(await coder.encode(bytes.subarray(at, at + PART_BYTES)));
    coded.push(await coder.end());
    return Buffer.concat(coded);
  } finally {
    coder.close();
  }
}

/** Codes the parts of one long answer as they are written, or leaves them as they are. Close it in any case. */
export class AnswerCoder {
  readonly #response: Response;
  readonly #coding: Coding | undefined;
  readonly #release: (() => void) | undefined;
  #coder: PartCoder | undefined;

  constructor(response: Response, wanted: AnswerCoding | undefined) {
    this.#response = response;
    this.#release = isHead(response) ? undefined : wanted?.shared.streams.tryTake(wanted.partnerId);
    this.#coding = this.#release === undefined ? undefined : wanted?.coding;
  }

  /** What is to be written of a part. With the first one the head must be ready. */
  async encode(part: string | Uint8Array): Promise<string | Uint8Array> {
    if (this.#coding === undefined) return part;
    if (this.#coder === undefined) {
      this.#response.setHeader('Content-Encoding', this.#coding);
      this.#coder = new PartCoder(this.#coding);
    }
    return this.#coder.encode(part);
  }

  /** What is to be written at the end, with the last part; a whole answer that is short stays as it is. */
  async end(part: string): Promise<string | Uint8Array> {
    const isShort = this.#coder === undefined && Buffer.byteLength(part) < MIN_CODED_BYTES;
    if (this.#coding === undefined || isShort) return part;
    const last = part === '' ? part : await this.encode(part);
    const rest = (await this.#coder?.end()) ?? '';
    return Buffer.concat([last, rest].map((bytes) => Buffer.from(bytes)));
  }

  close(): void {
    this.#coder?.close();
    this.#release?.();
  }
}
