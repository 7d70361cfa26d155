// Bodies that do not end.
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Aim } from './attack.ts';
import { aborted, openSocket, statusesOf } from './wire.ts';

/** What is written at once. */
const WRITTEN_BYTES = 65_536;

/** Sends something and then one piece again and again, as fast as it is taken: a first read finds both. */
export function pourInto(socket: Socket, first: string, piece: string): void {
  const pieces = Buffer.from(piece.repeat(Math.floor(WRITTEN_BYTES / piece.length)));
  const write = (): void => {
    while (socket.writable && socket.write(pieces));
  };
  socket.on('drain', write);
  socket.cork();
  socket.write(first);
  write();
  socket.uncork();
}

/**
 * Connections that send a head and then one piece again and again, as fast as it is taken, whatever is answered. One that the
 * service ends is counted by what it answered and opened anew.
 */
export async function pour(
  aim: Aim,
  connections: number,
  headOf: (n: number) => string,
  piece: string,
): Promise<void> {
  const { signal, tally } = aim;
  const isOver = (): boolean => signal.aborted;
  let opened = 0;
  const worker = async (): Promise<void> => {
    while (!isOver() && opened < (aim.requests ?? Infinity)) {
      const socket = openSocket(aim);
      const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
      socket.on('data', (data) => {
        for (const status of statusesOf(data)) tally.count(status);
      });
      pourInto(socket, headOf(opened++), piece);
      await Promise.race([ended, aborted(signal)]);
      socket.destroy();
      await sleep(5);
    }
  };
  await Promise.all(Array.from({ length: aim.atOnce ?? connections }, worker));
}
