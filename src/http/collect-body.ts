import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BodyPieces } from '../contract/body-pieces.ts';
import { CUT_OFF, isCutOff } from './chunk-bounds.ts';
import { endInTurn } from './end-turns.ts';
import { GatheredBytes } from './gathered-bytes.ts';
import { AlreadyAnsweredError } from './given-up.ts';

/**
 * The bytes of a body once it is whole; undefined when it is larger than allowed, or comes in too many chunks, and read no further.
 * @throws AlreadyAnsweredError in one of the next turns of the event loop when the response has been sent or the client has gone.
 */
export function collectBody(
  request: IncomingMessage,
  response: ServerResponse,
  maxBytes: number,
): Promise<BodyPieces | undefined> {
  const declared = Number(request.headers['content-length'] ?? 0);
  const isTooLong = declared > maxBytes;
  if (isTooLong || isCutOff(request)) return Promise.resolve(undefined);
  const { promise, resolve, reject } = Promise.withResolvers<BodyPieces | undefined>();
  const bytes = new GatheredBytes(declared === 0 ? maxBytes : declared);
  const take = (chunk: Buffer): void => {
    if (!bytes.add(chunk)) giveUp();
  };
  const giveUp = (): void => {
    stop();
    bytes.free();
    request.pause();
    resolve(undefined);
  };
  const end = (): void => {
    stop();
    resolve(bytes.take());
  };
  const close = (): void => {
    stop();
    bytes.free();
    // Thousands may be cut off in one turn, and what follows a body that is not read takes longer than its end.
    endInTurn(request, () => reject(new AlreadyAnsweredError()));
  };
  const stop = (): void => {
    request.off('data', take).off('end', end).off(CUT_OFF, giveUp);
    response.off('close', close);
  };
  request.on('data', take).once('end', end).once(CUT_OFF, giveUp);
  response.once('close', close);
  return promise;
}
