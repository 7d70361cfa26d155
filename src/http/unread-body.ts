import type { ServerResponse } from 'node:http';
import { hasBody } from './open-bodies.ts';

/** The rest of a body up to this size is read and thrown away, so that the connection can be used again. */
const SMALL_BODY_BYTES = 65_536;
/** How long, and for how many bytes, a connection is read on before it is closed. */
const LINGER_MS = 500;
const LINGER_BYTES = 262_144;

/**
 * Ends an answer with this body. When the request's body has not come whole and is not known to be small, the connection
 * ends too, instead of taking what may be endless; it is read on for a moment, since a client that still sends would lose
 * the answer when the connection is reset (RFC 9112, 9.6). A body that is declared longer than what would be read is left where
 * it is for that moment: its client finds the answer beside a connection that takes no more.
 */
export function endAnswer(response: ServerResponse, body: string | Uint8Array): void {
  const { req: request } = response;
  const declaredBytes = Number(request.headers['content-length']);
  if (request.complete || !hasBody(request) || declaredBytes <= SMALL_BODY_BYTES) {
    response.end(body);
    return;
  }
  response.setHeader('Connection', 'close');
  response.write(body);
  let left = LINGER_BYTES;
  const end = (): void => {
    clearTimeout(timer);
    request.off('data', count).pause();
    response.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  const count = (chunk: Uint8Array): void => {
    left -= chunk.length;
    if (left <= 0) end();
  };
  request.once('close', end);
  if (declaredBytes > LINGER_BYTES) return;
  request.on('data', count).once('end', end).resume();
}
