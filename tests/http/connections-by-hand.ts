// Connections that are held and read as a test says, without sockets: in which order the system finds them readable is then its own.
import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import { shareReads } from '../../src/http/read-turns.ts';
import type { ReadLimits } from '../../src/http/read-turns.ts';

const ON_EXECUTE = 0;

class FakeParser {
  static readonly kOnExecute = ON_EXECUTE;
  [ON_EXECUTE]: (bytes: number) => void = () => undefined;
}

/** A connection as far as it is held and read. */
class FakeSocket extends EventEmitter {
  readonly parser = new FakeParser();
  readonly remoteAddress = '127.0.0.1';
  readonly isPaused = (): boolean => false;
}

/** Quiet connections that are read, each for so long, and turns of the loop that pass, when a test says so. */
export function serveByHand(
  count: number,
  limits: ReadLimits,
  readMs: number,
): {
  connections: FakeSocket[];
  clock: { nowMs: number; turn: number };
  read: (connections: readonly FakeSocket[]) => void;
} {
  const clock = { nowMs: 1_000, turn: 0 };
  const server = new EventEmitter();
  const loop = { monotonicMs: () => clock.nowMs, countTurns: () => clock.turn };
  shareReads(server as Server, () => 'address a', limits, loop);
  const connections = Array.from({ length: count }, () => new FakeSocket());
  for (const each of connections) server.emit('connection', each);
  const read = (those: readonly FakeSocket[]): void => {
    for (const { parser } of those) {
      clock.nowMs += readMs;
      parser[ON_EXECUTE](1);
    }
  };
  return { connections, clock, read };
}
