import { connect, createServer } from 'node:net';
import type { AddressInfo, NetConnectOpts, Socket } from 'node:net';
import type pg from 'pg';

/** Stands before PostgreSQL: passes bytes on, passes others on, or takes them and lets nobody see that they are lost. */
export interface SwallowingProxy {
  readonly port: number;
  /** Bytes that are lost. */
  readonly lost: () => number;
  /** From now on every byte is lost, on open and on new connections; or only what the server answers. */
  swallow(what?: 'everything' | 'answers'): void;
  /** From now on these bytes come in place of each answer of the server. */
  damage(answer: Buffer): void;
  /** Breaks the open connections. */
  cut(): void;
  /** From now on bytes are passed on again; what was lost stays lost. */
  pass(): void;
  close(): Promise<void>;
}

/** A proxy before the server of `connection`, on a port of its own. */
export async function startSwallowingProxy(connection: pg.ClientConfig): Promise<SwallowingProxy> {
  const target = targetOf(connection);
  const sockets = new Set<Socket>();
  let swallowed: 'nothing' | 'everything' | 'answers' = 'nothing';
  let damaged: Buffer | undefined;
  let lost = 0;
  const forward = (from: Socket, to: Socket, isAnswer: boolean): void => {
    const isSwallowing = (): boolean => swallowed === 'everything' || (swallowed === 'answers' && isAnswer);
    from.on('data', (bytes) => {
      if (isSwallowing()) lost += bytes.length;
      else to.write(isAnswer && damaged !== undefined ? damaged : bytes);
    });
    // A server that hangs does not answer the end of a connection either.
    from.on('end', () => {
      if (!isSwallowing()) to.end();
    });
    from.on('error', () => from.destroy());
    from.on('close', () => {
      if (!isSwallowing()) to.destroy();
    });
  };
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const onward = connect({ ...target, allowHalfOpen: true });
    sockets.add(socket).add(onward);
    socket.on('close', () => sockets.delete(socket));
    onward.on('close', () => sockets.delete(onward));
    forward(socket, onward, false);
    forward(onward, socket, true);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    lost: () => lost,
    swallow: (what = 'everything') => (swallowed = what),
    damage: (answer) => (damaged = answer),
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
    pass: () => {
      swallowed = 'nothing';
      damaged = undefined;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The same database through a proxy. */
export function throughProxy(connection: pg.ClientConfig, proxy: SwallowingProxy): pg.ClientConfig {
  const { connectionString, ...rest } = connection;
  if (connectionString === undefined) return { ...rest, host: '127.0.0.1', port: proxy.port };
  const url = new URL(connectionString);
  url.host = `127.0.0.1:${proxy.port}`;
  // A unix socket stands in the query, and would count.
  for (const name of ['host', 'port']) url.searchParams.delete(name);
  return { connectionString: url.href };
}

function targetOf({ connectionString, host, port }: pg.ClientConfig): NetConnectOpts {
  const url = connectionString === undefined ? undefined : new URL(connectionString);
  const given = (name: 'host' | 'port', part: string | undefined): string | undefined =>
    url?.searchParams.get(name) ?? part;
  const name = given('host', url?.hostname) ?? host ?? 'localhost';
  const number = Number(given('port', url?.port) ?? port ?? 5432);
  return name.startsWith('/')
    ? { path: `${name}/.s.PGSQL.${number}` }
    : { host: name, port: number === 0 ? 5432 : number };
}
