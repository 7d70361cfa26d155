import type { TLSSocket } from 'node:tls';

/** More than all heads that an answer may have, and the body that is read of it. */
const MAX_ANSWER_BYTES = 262_144;
/** Servers send two or four with a handshake. */
const MAX_SESSIONS_OF_CONNECTION = 16;

/** The endpoint has sent more than it may; the message says of what. */
export class EndlessAnswer extends Error {}

/**
 * Ends a connection whose endpoint sends what has no end for those who read it: empty lines before an answer and the zeros of a
 * chunk's size for the parser, also while the connection is idle; TLS sessions for Node.js, which calls JavaScript for each, and
 * which are no bytes of an answer. Returns what begins the next answer.
 */
export function boundAnswers(socket: TLSSocket): () => void {
  let [bytesBefore, sessions] = [0, 0];
  const end = (sent: string): void => {
    socket.destroy(new EndlessAnswer(`The endpoint sent more than ${sent}.`));
  };
  socket.on('readable', () => {
    if (socket.bytesRead - bytesBefore > MAX_ANSWER_BYTES)
      end(`${MAX_ANSWER_BYTES / 1024} KiB for one answer`);
  });
  socket.on('session', () => {
    if (++sessions > MAX_SESSIONS_OF_CONNECTION) end(`${MAX_SESSIONS_OF_CONNECTION} TLS sessions`);
  });
  return () => {
    bytesBefore = socket.bytesRead;
  };
}
