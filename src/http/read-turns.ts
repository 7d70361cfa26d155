import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { addressSubject } from '../domain/security/quota-subjects.ts';
import type { QuotaSubject } from '../domain/security/quota-subjects.ts';
import { PROCESS_CLOCK } from '../loops/loop-clock.ts';
import type { LoopClock } from '../loops/loop-clock.ts';
import { HeldConnections } from './held-connections.ts';
import type { ReadConnection } from './held-connections.ts';
import { OpeningBursts } from './opening-bursts.ts';
import type { BurstLimits } from './opening-bursts.ts';
import { PartnerAddresses } from './partner-addresses.ts';
import { watchReads } from './stop-connection.ts';

export interface ReadLimits {
  /** How long one turn of the event loop reads connections, in milliseconds from the end of one of its first reads. */
  readonly turnMs: number;
  /** And how long where so many of them had been quiet. */
  readonly volleyMs: number;
  readonly volley: number;
  /** Quiet is a connection that was not read for so long, or never. */
  readonly quietMs: number;
  /**
   * How long none is held after its opening, but as it is opened: the loop accepts one in a turn, and its request may have come with it.
   */
  readonly newMs: number;
  /** Connections that are let go in a turn, of quiet and of other ones each; twice as many whenever nothing had come on the last ones. */
  readonly letGoOfTurn: number;
  readonly maxLetGoOfTurn: number;
  /** How long no others are held, for each that was: to hold one and to let it go takes some 0.01 ms. */
  readonly restMs: number;
  /** While many connections are opened at once those are held that strangers open, so many at most. */
  readonly bursts: BurstLimits;
  readonly maxOpened: number;
}

export const READ_LIMITS: ReadLimits = {
  turnMs: 8,
  volleyMs: 1,
  volley: 8,
  quietMs: 500,
  newMs: 10,
  letGoOfTurn: 8,
  maxLetGoOfTurn: 128,
  restMs: 0.16,
  bursts: { turns: 8, burstMs: 250, restMs: 1_000 },
  maxOpened: 512,
};

/** For each that was held as it was opened, on which something has come, so many quiet ones are let go, on which mostly nothing has. */
const QUIET_OF_OPENED = 8;

/**
 * Bounds how long one turn of the event loop reads connections. libuv reads all that are readable in one turn, however many those are
 * and whatever Node.js does with each read: 500 bodies in small chunks took 140 ms in which nobody else was served. But it passes by
 * what is not to be read any more. So behind its time a turn holds others, and the next ones let some of them go, by turns of their
 * callers (CallerTurns): the quiet ones where many that had been quiet come at once, and all of them behind a longer time. It also accepts
 * one connection in a turn, so that who opens one behind 500 others waits for what these have sent: where many are opened at once, those
 * of addresses from which no partner has one are held as they are opened, and let go in their turn behind that.
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
    const address = addressSubject(socket.remoteAddress ?? '');
    const openedMs = clock.monotonicMs();
    const connection: ReadConnection = { socket, openedMs, address, readMs: -Infinity, caller: address };
    bySocket.set(socket, connection);
    turns.add(connection);
    socket.once('close', () => {
      bySocket.delete(socket);
      turns.remove(connection);
    });
    const endRead = (): void => turns.endRead(connection);
    watchReads(socket, endRead);
    // Its end is read as well, by the client or by the system.
    socket.once('end', endRead).once('error', endRead);
  });
  server.on('request', (request: IncomingMessage) => {
    const connection = bySocket.get(request.socket);
    if (connection !== undefined) turns.setCaller(connection, findCaller(request));
  });
}

class ReadTurns {
  readonly #limits: ReadLimits;
  readonly #clock: LoopClock;
  /** Those that are not quiet, the free ones in the order of their last reads. */
  readonly #active = new HeldConnections();
  readonly #quiet = new HeldConnections();
  /** Those that were held as they were opened; the free ones are quiet. */
  readonly #opened = new HeldConnections(this.#quiet.free);
  readonly #groups = [this.#active, this.#quiet, this.#opened];
  readonly #bursts: OpeningBursts;
  readonly #partnerAddresses = new PartnerAddresses();
  #turn = -1;
  #turnBeganMs = -Infinity;
  #quietReadsOfTurn = 0;
  #mayHoldAtMs = -Infinity;
  #isLettingGo = false;
  #letGoNext = 0;

  constructor(limits: ReadLimits, clock: LoopClock) {
    this.#limits = limits;
    this.#clock = clock;
    this.#bursts = new OpeningBursts(limits.bursts);
  }

  add(connection: ReadConnection): void {
    const { openedMs, address, socket } = connection;
    const turn = this.#clock.countTurns();
    this.#quiet.free.add(connection);
    this.#bursts.noteOpening(turn, openedMs);
    if (!this.#bursts.isOn(turn, openedMs) || this.#partnerAddresses.has(address)) return;
    if (this.#opened.held.size >= this.#limits.maxOpened) return;
    // Node.js begins to read it in the next tick.
    process.nextTick(() => {
      if (socket.destroyed) return;
      this.#hold(connection, this.#opened);
      this.#beginLettingGo();
    });
  }

  /** Whose last request it is. */
  setCaller(connection: ReadConnection, caller: QuotaSubject): void {
    this.#partnerAddresses.change(connection.address, connection.caller, caller);
    connection.caller = caller;
  }

  /** When it is closed. */
  remove(connection: ReadConnection): void {
    this.#active.free.delete(connection);
    this.#quiet.free.delete(connection);
    connection.held?.among.held.remove(connection.held.as, connection);
    this.#partnerAddresses.change(connection.address, connection.caller, undefined);
  }

  endRead(connection: ReadConnection): void {
    const nowMs = this.#clock.monotonicMs();
    const quietReads = connection.readMs < nowMs - this.#limits.quietMs ? 1 : 0;
    this.#quietReadsOfTurn += quietReads;
    this.#noteRead(connection, nowMs);
    // The turn is asked for only when its time may be over: that costs twice as much as the clock.
    if (nowMs - this.#turnBeganMs < this.#limits.volleyMs) return;
    const turn = this.#clock.countTurns();
    if (turn === this.#turn) {
      this.#holdBeyond(nowMs);
      return;
    }
    this.#turn = turn;
    this.#turnBeganMs = nowMs;
    this.#quietReadsOfTurn = quietReads;
  }

  #noteRead(connection: ReadConnection, nowMs: number): void {
    connection.readMs = nowMs;
    if (connection.letGoInTurn !== undefined) {
      connection.letGoInTurn = undefined;
      this.#letGoNext = this.#limits.letGoOfTurn;
    }
    // Whoever has paused one that is held has let it go.
    if (connection.held !== undefined) return;
    this.#quiet.free.delete(connection);
    this.#active.free.delete(connection);
    this.#active.free.add(connection);
  }

  #holdBeyond(nowMs: number): void {
    const { turnMs, volley, newMs, restMs } = this.#limits;
    const isOver = nowMs - this.#turnBeganMs >= turnMs;
    // One may be read at any time.
    const isVolley = this.#quietReadsOfTurn >= (isOver ? 2 : volley);
    if (nowMs < this.#mayHoldAtMs || !(isOver || isVolley)) return;
    this.#findQuiet(nowMs);
    let seen = 0;
    if (isVolley) {
      for (const connection of this.#quiet.free) {
        seen += 1;
        if (connection.openedMs <= nowMs - newMs) this.#hold(connection, this.#quiet);
      }
    }
    if (isOver) {
      for (const connection of this.#active.free) {
        seen += 1;
        if (connection.readMs < this.#turnBeganMs) this.#hold(connection, this.#active);
      }
    }
    this.#mayHoldAtMs = nowMs + seen * restMs;
    this.#beginLettingGo();
  }

  /** Those that have become quiet since the last time. */
  #findQuiet(nowMs: number): void {
    for (const connection of this.#active.free) {
      if (connection.readMs >= nowMs - this.#limits.quietMs) return;
      this.#active.free.delete(connection);
      this.#quiet.free.add(connection);
    }
  }

  #hold(connection: ReadConnection, among: HeldConnections): void {
    const { socket, caller, letGoInTurn = -Infinity } = connection;
    // Others that have come before it must not have it held again: it is read in this turn. Whoever has paused it lets it go.
    if (letGoInTurn >= this.#turn - 1 || socket.isPaused()) return;
    among.free.delete(connection);
    among.held.add(caller, connection);
    connection.held = { among, as: caller };
    // Node.js stops reading, and the stream does not know of it.
    socket.emit('pause');
  }

  #beginLettingGo(): void {
    this.#letGoNext = this.#limits.letGoOfTurn;
    if (this.#isLettingGo) return;
    this.#isLettingGo = true;
    setImmediate(this.#letGo);
  }

  readonly #letGo = (): void => {
    const turn = this.#clock.countTurns();
    const count = this.#letGoNext;
    const isBurst = this.#bursts.isOn(turn, this.#clock.monotonicMs());
    if (!isBurst) this.#letGoNext = Math.min(2 * count, this.#limits.maxLetGoOfTurn);
    for (const group of [this.#active, this.#quiet]) group.letGo(count, turn, isBurst);
    this.#opened.letGo(Math.ceil(count / QUIET_OF_OPENED), turn, isBurst);
    this.#isLettingGo = this.#groups.some(({ held }) => !held.isEmpty);
    if (this.#isLettingGo) setImmediate(this.#letGo);
  };
}
