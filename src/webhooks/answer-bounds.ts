import type { TLSSocket } from 'node:tls';

/** A head of the largest size, some of the usual one, and the body that is read. */
const MAX_ANSWER_BYTES = 65_536;
/** Each costs calls of ours, if it brings a byte. An answer comes in a handful. */
const MAX_READS_OF_ANSWER = 256;
/** Servers send two or four with a handshake. */
const MAX_SESSIONS_OF_CONNECTION = 16;

/** The endpoint has sent more than it may; the message says of what. */
export class EndlessAnswer extends Error {}

/**
 * Ends a connection whose endpoint sends what has no end for those who read it: empty lines before an answer, the zeros of a
 * chunk's size and its extensions for the parser, also while the connection is idle; TLS sessions for Node.js, which calls JavaScript
 * for each, and which are no bytes of an answer; other keys (KeyUpdate), which are for connections of many gigabytes and have no other
 * sign than a line for a log of the keys; a second handshake, which takes milliseconds. OpenSSL must not refuse that one itself
 * (SSL_OP_NO_RENEGOTIATION): it would alert at each of 4,096 requests in a record, before any of our code runs again, while it does
 * not heed them during a handshake. Returns what begins the next answer.
 */
export function boundAnswers(socket: TLSSocket): () => void {
  let [bytesBefore, reads, sessions, handshakes] = [0, 0, 0, 0];
  const end = (sent: string): void => {
    socket.destroy(new EndlessAnswer(`The endpoint sent more than ${sent}.`));
  };
  const check = (): void => {
    if (socket.bytesRead - bytesBefore > MAX_ANSWER_BYTES)
      end(`${MAX_ANSWER_BYTES / 1024} KiB for one answer`);
    else if (++reads > MAX_READS_OF_ANSWER) end(`${MAX_READS_OF_ANSWER} parts of one answer`);
  };
  // Not at a later one: Node.js calls us amid OpenSSL's reading, and a next request written there would not be sent.
  const endAtOtherKeys = (): void => {
    // As many may follow as are in the 64 KiB that were read; unheard they cost less.
    socket.off('keylog', endAtOtherKeys);
    end('one set of TLS keys');
  };
  // Behind the client, for whom the answer may have come with too much of its body.
  socket.on('readable', () => queueMicrotask(check));
  socket.on('session', () => {
    if (++sessions > MAX_SESSIONS_OF_CONNECTION) end(`${MAX_SESSIONS_OF_CONNECTION} TLS sessions`);
  });
  socket.on('secure', () => {
    if (++handshakes > 1) end('one TLS handshake');
    // With TLS 1.2 they belong to a handshake.
    else if (socket.getProtocol() === 'TLSv1.3') socket.on('keylog', endAtOtherKeys);
  });
  return () => {
    bytesBefore = socket.bytesRead;
    reads = 0;
  };
}
