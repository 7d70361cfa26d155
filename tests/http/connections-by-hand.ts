// Connections that are held and read as a test says, without sockets: in which order the system finds them readable is then its own.
import { EventEmitter } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import type { QuotaSubject } from '../../src/domain/security/quota-subjects.ts';
import { shareReads } from '../../src/http/read-turns.ts';
import type { ReadLimits } from '../../src/http/read-turns.ts';

const ON_EXECUTE = 0;

class FakeParser {
  static readonly kOnExecute = ON_EXECUTE;
  [ON_EXECUTE]: (bytes: number) => void = () => undefined;
}

/** A connection as far as it is held and read. */
export class FakeSocket extends EventEmitter {
  readonly parser = new FakeParser();
  readonly remoteAddress: string;
  readonly destroyed = false;
  readonly isPaused = (): boolean => false;
  /** Whether the system is told not to read it. */
  isHeld = false;

  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
    this.on('pause', () => (this.isHeld = true)).on('resume', () => (this.isHeld = false));
  }
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
  /** Opens a connection from an address. */
  open: (address: string) => FakeSocket;
  /** Begins a request of a caller on a connection. */
  request: (socket: FakeSocket, caller: string) => void;
} {
  const clock = { nowMs: 1_000, turn: 0 };
  const server = new EventEmitter();
  const loop = { monotonicMs: () => clock.nowMs, countTurns: () => clock.turn };
  const findCaller = ({ headers }: IncomingMessage): QuotaSubject => headers['x-caller'] as QuotaSubject;
  shareReads(server as Server, findCaller, limits, loop);
  const open = (address: string): FakeSocket => {
    const socket = new FakeSocket(address);
    server.emit('connection', socket);
    return socket;
  };
  const request = (socket: FakeSocket, caller: string): void =>
    void server.emit('request', { socket, headers: { 'x-caller': caller } });
  const connections = Array.from({ length: count }, () => open('127.0.0.1'));
  const read = (those: readonly FakeSocket[]): void => {
    for (const { parser } of those) {
      clock.nowMs += readMs;
      parser[ON_EXECUTE](1);
    }
  };
  return { connections, clock, read, open, request };
}
