import type { Socket } from 'node:net';

/** What Node's parser is told where what follows is not HTTP any more. */
const STOP_PARSING = 2;

const refuseRequest = (): number => STOP_PARSING;

/** What is used of Node's parser: the functions that it calls, those for a part of a body and behind a read under numbers. */
interface Parser {
  onIncoming: () => number;
  [callback: number]: unknown;
  readonly constructor: { readonly kOnBody: number; readonly kOnExecute: number };
}

/** A socket that is resumed and paused in one turn reads on without knowing of it: it is told so in any case. */
export function stopReading(socket: Socket): void {
  socket.pause();
  socket.emit('pause');
}

/** However it ends otherwise, the connection is cut off after this time. */
export function cutOffAfter(socket: Socket, ms: number): void {
  const timer = setTimeout(() => socket.destroy(), ms);
  socket.once('close', () => clearTimeout(timer));
}

/**
 * From now on no request is made of what comes: else Node.js would make one of whatever has come in the same 64 KiB, thousands of
 * a few bytes each, and then an error for every one of them: 40 ms in which nobody else is served.
 */
export function stopRequests(socket: Socket): void {
  const parser = findParser(socket);
  if (parser !== undefined) parser.onIncoming = refuseRequest;
}

/**
 * For the rest of this turn of the event loop parts of bodies are thrown away where they are parsed: of 64 KiB in one-byte chunks
 * that takes 0.2 ms, and 7 to 20 where JavaScript is called for each. The parser serves other connections later, so that it is
 * made whole again behind the read that is being parsed.
 */
export function dropBodyOfTurn(socket: Socket): void {
  const parser = findParser(socket);
  if (parser === undefined) return;
  const { kOnBody } = parser.constructor;
  const onBody = parser[kOnBody];
  // It is done already in this turn, maybe for another connection that had the parser before.
  if (onBody === undefined) return;
  parser[kOnBody] = undefined;
  setImmediate(() => (parser[kOnBody] = onBody));
}

/** Tells how many bytes were parsed with each read, behind what they have brought: none where it failed. */
export function watchReads(socket: Socket, seen: (bytes: number) => void): void {
  const parser = findParser(socket);
  if (parser === undefined) return;
  const { kOnExecute } = parser.constructor;
  const onExecute = parser[kOnExecute] as (result: unknown) => void;
  const tellBytes = (result: unknown): void => {
    seen(typeof result === 'number' ? result : 0);
    onExecute(result);
  };
  parser[kOnExecute] = tellBytes;
}

function findParser(socket: Socket): Parser | undefined {
  return (socket as { parser?: Parser | null }).parser ?? undefined;
}
