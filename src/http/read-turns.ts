import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { addressSubject } from '../domain/security/quota-subjects.ts';
import type { QuotaSubject } from '../domain/security/quota-subjects.ts';
import { PROCESS_CLOCK } from '../loops/loop-clock.ts';
import type { LoopClock } from '../loops/loop-clock.ts';
import { CallerTurns } from './caller-turns.ts';
import { watchReads } from './stop-connection.ts';

export interface ReadLimits {
  /** How long one turn of the event loop reads connections, from the end of its first read, in milliseconds. */
  readonly turnMs: number;
  /** How many it reads in any case, if they take no longer than that. */
  readonly few: number;
  readonly fewMs: number;
  /** Connections that are let go in one turn of those that are held. */
  readonly letGoOfTurn: number;
  /** How long a connection is never held after its opening: the loop accepts one in a turn, and its request may have come with it. */
  readonly newMs: number;
}

export const READ_LIMITS: ReadLimits = { turnMs: 1, few: 4, fewMs: 2, letGoOfTurn: 16, newMs: 10 };

interface ReadConnection {
  readonly socket: Socket;
  readonly openedMs: number;
  /** Whose last request it was; the connection's address before there is one. */
  caller: QuotaSubject;
  /** The caller as which it is held. */
  heldAs?: QuotaSubject | undefined;
}

/**
 * Bounds how long one turn of the event loop reads connections. libuv reads all that are readable in one turn, however many those are
 * and whatever Node.js does with each read: 500 bodies in small chunks took 140 ms in which nobody else was served. Behind its time
 * all other connections are held, so that the turn ends; the next ones let some of them go, and callers take turns (CallerTurns).
 */
export function shareReads(
  server: Server,
  findCaller: (request: IncomingMessage) => QuotaSubject,
  limits: ReadLimits = READ_LIMITS,
  clock: LoopClock = PROCESS_CLOCK,
): void {
  const turns = new ReadTurns(limits, clock);
  const bySocket = new WeakMap<Socket, ReadConnection>();
  server.on('connection', (socket: Socket) => {
    const connection: ReadConnection = {
      socket,
      openedMs: clock.monotonicMs(),
      caller: addressSubject(socket.remoteAddress ?? ''),
    };
    bySocket.set(socket, connection);
    turns.add(connection);
    socket.once('close', () => turns.remove(connection));
    watchReads(socket, () => turns.endRead(connection));
  });
  server.on('request', (request: IncomingMessage) => {
    const connection = bySocket.get(request.socket);
    if (connection !== undefined) connection.caller = findCaller(request);
  });
}

class ReadTurns {
  readonly #limits: ReadLimits;
  readonly #clock: LoopClock;
  /** All that are not held. */
  readonly #free = new Set<ReadConnection>();
  readonly #held = new CallerTurns<ReadConnection>({ maxOfCaller: Infinity, maxOfParty: Infinity });
  #isLettingGo = false;
  #turn = -1;
  #turnBeganMs = -Infinity;
  #readsOfTurn = 0;

  constructor(limits: ReadLimits, clock: LoopClock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  add(connection: ReadConnection): void {
    this.#free.add(connection);
  }

  /** When it is closed. */
  remove(connection: ReadConnection): void {
    this.#free.delete(connection);
    if (connection.heldAs !== undefined) this.#held.remove(connection.heldAs, connection);
  }

  endRead(connection: ReadConnection): void {
    const { few, fewMs, turnMs } = this.#limits;
    const nowMs = this.#clock.monotonicMs();
    this.#readsOfTurn += 1;
    if (nowMs - this.#turnBeganMs < (this.#readsOfTurn < few ? fewMs : turnMs)) return;
    const turn = this.#clock.countTurns();
    if (turn === this.#turn) {
      this.#holdOthers(connection, nowMs - this.#limits.newMs);
      return;
    }
    this.#turn = turn;
    this.#turnBeganMs = nowMs;
    this.#readsOfTurn = 1;
  }

  /** libuv passes by what is not to be read any more, though it has found it readable. */
  #holdOthers(read: ReadConnection, openedBeforeMs: number): void {
    for (const connection of this.#free) {
      const { socket, caller } = connection;
      // Whoever has paused it lets it go.
      if (connection === read || connection.openedMs > openedBeforeMs || socket.isPaused()) continue;
      this.#free.delete(connection);
      this.#held.add(caller, connection);
      connection.heldAs = caller;
      // Node.js stops reading, and the stream does not know of it.
      socket.emit('pause');
    }
    if (this.#isLettingGo || this.#held.isEmpty) return;
    this.#isLettingGo = true;
    setImmediate(this.#letGo);
  }

  readonly #letGo = (): void => {
    for (let count = 0; count < this.#limits.letGoOfTurn; count++) {
      const [connection] = this.#held.next() ?? [];
      if (connection === undefined) break;
      const { socket, caller } = connection;
      this.#held.remove(connection.heldAs ?? caller, connection);
      connection.heldAs = undefined;
      this.#free.add(connection);
      if (!socket.isPaused()) socket.emit('resume');
    }
    this.#isLettingGo = !this.#held.isEmpty;
    if (this.#isLettingGo) setImmediate(this.#letGo);
  };
}
