import type { Socket } from 'node:net';
import type { QuotaSubject } from '../domain/security/quota-subjects.ts';
import { CallerTurns } from './caller-turns.ts';

export interface ReadConnection {
  readonly socket: Socket;
  readonly openedMs: number;
  readonly address: QuotaSubject;
  /** When it was read last. */
  readMs: number;
  /** Whose last request it was; the connection's address before there is one. */
  caller: QuotaSubject;
  /** Among which it is held, and as whose. */
  held?: { readonly among: HeldConnections; readonly as: QuotaSubject } | undefined;
  /** The turn of the loop in which it was let go; undefined when it has been read since. */
  letGoInTurn?: number | undefined;
}

/** Connections of which some are held. */
export class HeldConnections {
  readonly free: Set<ReadConnection>;
  readonly held = new CallerTurns<ReadConnection>({ maxOfCaller: Infinity, maxOfParty: Infinity });

  /** `free`: where those go that are let go. */
  constructor(free = new Set<ReadConnection>()) {
    this.free = free;
  }

  /** Lets so many go, by turns of their callers; of partners alone where strangers are to wait. */
  letGo(count: number, turn: number, areOfPartners: boolean): void {
    for (let left = count; left > 0; left--) {
      const [connection] = (areOfPartners ? this.held.nextOfFew(Infinity) : this.held.next()) ?? [];
      if (connection?.held === undefined) return;
      this.held.remove(connection.held.as, connection);
      connection.held = undefined;
      connection.letGoInTurn = turn;
      this.free.add(connection);
      if (!connection.socket.isPaused()) connection.socket.emit('resume');
    }
  }
}
