import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** A reader that takes nothing of its answer for this long is ended. */
export const READER_LIMIT_MS = 10_000;
const LOOKS = 10;

interface Progress {
  /** Bytes that are left, as at the last look at which they differed. */
  readonly left: string;
  /** How often they have been the same since. */
  readonly looks: number;
}

/**
 * Destroys connections whose client takes nothing of what is ready for it for `limitMs`, whatever the answer is; one that
 * reads slowly is left alone. Ends with the server.
 */
export function endSlowReaders(server: Server, limitMs: number): void {
  const sockets = new Map<Socket, Progress | undefined>();
  server.on('connection', (socket) => {
    sockets.set(socket, undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  const timer = setInterval(() => {
    for (const [socket, before] of sockets) {
      const now = look(socket, before);
      if (now?.looks === LOOKS) socket.destroy();
      else if (now !== before) sockets.set(socket, now);
    }
  }, limitMs / LOOKS);
  timer.unref();
  server.once('close', () => clearInterval(timer));
}

function look(socket: Socket, before: Progress | undefined): Progress | undefined {
  if (socket.writableLength === 0) return undefined;
  const left = `${socket.bytesWritten} ${socket.writableLength} ${bytesInKernelQueue(socket)}`;
  return { left, looks: before?.left === left ? before.looks + 1 : 0 };
}

/**
 * What of the write under way the kernel has not taken. Node shows it nowhere else: `writableLength` counts a write until
 * it has been taken whole, and one write may be an answer of megabytes. Node's own timeouts look at it too.
 */
function bytesInKernelQueue(socket: Socket): number {
  const { _handle: handle } = socket as { _handle?: { writeQueueSize?: number } | null };
  return handle?.writeQueueSize ?? 0;
}
