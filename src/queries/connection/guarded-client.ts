import type { Duplex } from 'node:stream';
import pg from 'pg';

/** What pg does with the stream of a connection, its own or that of TLS. */
interface Attaching {
  attachListeners(stream: Duplex): void;
}

/**
 * A client that takes bytes which are no messages of PostgreSQL for the end of its connection: pg throws where it reads them, and nobody
 * there could catch it. What waits for an answer rejects as it does when a connection is gone.
 */
export class GuardedClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const connection = this.connection as unknown as Attaching;
    const attach = connection.attachListeners.bind(connection);
    const attachGuarded = (stream: Duplex): void => {
      guard(stream);
      attach(stream);
    };
    connection.attachListeners = attachGuarded;
  }
}

function guard(stream: Duplex): void {
  const emit = stream.emit.bind(stream);
  const emitGuarded = (event: string, ...given: unknown[]): boolean => {
    if (event !== 'data') return emit(event, ...given);
    try {
      return emit(event, ...given);
    } catch (cause) {
      stream.destroy(new Error('Connection terminated: the server sent what cannot be read.', { cause }));
      return true;
    }
  };
  stream.emit = emitGuarded;
}
