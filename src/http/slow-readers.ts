import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { toCountedAddress } from '../domain/security/quota-subjects.ts';
import { endInTurn } from './end-turns.ts';

export interface ReaderLimits {
  /** How long a reader may take less than `minBytes` of what is ready for it. */
  readonly timeMs: number;
  readonly minBytes: number;
  /** What may be ready and not taken by all clients together, in bytes of this process. */
  readonly maxUnreadBytes: number;
}

export const READER_LIMITS: ReaderLimits = {
  timeMs: 10_000,
  // Slower than any network that people use, 26 kbit/s. The kernel's own buffer comes in between: it reports room only when
  // a third of it is free, so that readers of twice this rate are seen to take it in any ten seconds.
  minBytes: 32_768,
  // Half of what one caller may add to the memory of a process (64 MB): each byte is held with what belongs to it.
  maxUnreadBytes: 33_554_432,
};

const LOOKS = 10;
/** A reader that has been behind for fewer is not ended for what all leave: a large answer takes a fast one that long, too. */
const LOOKS_OF_GRACE = 2;

/** A connection whose client has not taken all that is ready for it. */
interface Reader {
  readonly socket: Socket;
  readonly address: string;
  readonly unreadBytes: number;
  /** Bytes that the kernel has taken, now and when the time in which it must take so many began. */
  readonly takenBytes: number;
  readonly takenBefore: number;
  /** Looks since it had taken all. */
  readonly looksBehind: number;
}

/**
 * Resets connections whose client takes less than `minBytes` of what is ready for it in `timeMs`, whatever the answer is: an
 * answer that is quiet has no reader to wait for. While all clients together leave more than `maxUnreadBytes`, addresses
 * (IPv6: networks of /64) with more than their equal part of it lose those of their readers that have taken least. Ends with the
 * server.
 */
export function endSlowReaders(server: Server, limits: ReaderLimits): void {
  const sockets = new Map<Socket, Reader | undefined>();
  server.on('connection', (socket) => {
    sockets.set(socket, undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  const timer = setInterval(() => {
    const readers: Reader[] = [];
    for (const [socket, before] of sockets) {
      const reader = look(socket, before);
      if (reader !== before) sockets.set(socket, reader);
      if (reader === undefined) continue;
      if (isTooSlow(reader, limits.minBytes)) destroyInTurn(socket);
      else readers.push(reader);
    }
    endBeyond(readers, limits.maxUnreadBytes);
  }, limits.timeMs / LOOKS);
  timer.unref();
  server.once('close', () => clearInterval(timer));
}

function look(socket: Socket, before: Reader | undefined): Reader | undefined {
  const unreadBytes = socket.writableLength;
  if (unreadBytes === 0 || socket.destroyed) return undefined;
  const takenBytes = countTakenBytes(socket);
  if (before === undefined) {
    const address = toCountedAddress(socket.remoteAddress);
    return { socket, address, unreadBytes, takenBytes, takenBefore: takenBytes, looksBehind: 0 };
  }
  const isNewTime = before.looksBehind % LOOKS === 0;
  const takenBefore = isNewTime ? before.takenBytes : before.takenBefore;
  return { ...before, unreadBytes, takenBytes, takenBefore, looksBehind: before.looksBehind + 1 };
}

function isTooSlow({ looksBehind, takenBytes, takenBefore }: Reader, minBytes: number): boolean {
  return looksBehind > 0 && looksBehind % LOOKS === 0 && takenBytes - takenBefore < minBytes;
}

/**
 * Node shows nowhere else what of the write under way the kernel has not taken: `writableLength` counts a write until it has been
 * taken whole, and one write may be an answer of megabytes. Node's own timeouts look at it too.
 */
function countTakenBytes(socket: Socket): number {
  const { _handle: handle } = socket as {
    _handle?: { readonly bytesWritten?: number; readonly writeQueueSize?: number } | null;
  };
  return (handle?.bytesWritten ?? 0) - (handle?.writeQueueSize ?? 0);
}

function endBeyond(readers: readonly Reader[], maxBytes: number): void {
  if (countUnread(readers) <= maxBytes) return;
  const byAddress = [...Map.groupBy(readers, ({ address }) => address).values()];
  const part = findEqualPart(byAddress.map(countUnread), maxBytes);
  for (const those of byAddress) {
    let unreadBytes = countUnread(those);
    if (unreadBytes <= part) continue;
    const behind = those.filter(({ looksBehind }) => looksBehind >= LOOKS_OF_GRACE);
    for (const reader of behind.toSorted((a, b) => countTaken(a) - countTaken(b))) {
      if (unreadBytes <= part) break;
      unreadBytes -= reader.unreadBytes;
      destroyInTurn(reader.socket);
    }
  }
}

const destroyInTurn = (socket: Socket): void => endInTurn(socket, () => forget(socket));

/**
 * The kernel would keep some megabytes of a connection that is only closed, for a minute or more and counted by nobody: of one that
 * is reset it keeps nothing. One that has been taken whole meanwhile may be shutting down, and Node.js cannot reset it any more.
 */
function forget(socket: Socket): void {
  if (socket.writableLength > 0) socket.resetAndDestroy();
  else socket.destroy();
}

const countTaken = ({ takenBytes, takenBefore }: Reader): number => takenBytes - takenBefore;

function countUnread(readers: readonly Reader[]): number {
  return readers.reduce((sum, { unreadBytes }) => sum + unreadBytes, 0);
}

/** What each may have where all may have `most`: who has less leaves the rest to the others. */
function findEqualPart(amounts: readonly number[], most: number): number {
  let left = most;
  let others = amounts.length;
  for (const amount of amounts.toSorted((a, b) => a - b)) {
    const part = left / others;
    if (amount > part) return part;
    left -= amount;
    others -= 1;
  }
  return Infinity;
}
