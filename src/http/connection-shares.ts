import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { toCountedAddress } from '../domain/security/quota-subjects.ts';

export interface ConnectionLimits {
  readonly maxConnections: number;
  /** While fewer are left, a connection that waits for a request makes room for each that is opened. */
  readonly spareConnections: number;
  /** Of one address that is no trusted proxy. */
  readonly maxConnectionsOfAddress: number;
  /** Of these, those that have never sent a whole header and were opened more than `silentMs` ago. */
  readonly maxSilentOfAddress: number;
  /** A burst of connections may have sent its headers, and the service not read them yet. */
  readonly silentMs: number;
}

interface OpenConnection {
  readonly socket: Socket;
  readonly address: AddressConnections;
  readonly openedAt: number;
  /** Requests that are not answered yet. */
  requests: number;
}

/** The connections of one address; those that were added first have waited the longest. */
interface AddressConnections {
  readonly name: string;
  size: number;
  /** Those that have sent no whole header since their opening, or since their last answer. */
  readonly waiting: Set<OpenConnection>;
  /** Those that have never sent one. */
  readonly silent: Set<OpenConnection>;
}

/**
 * Divides the connections of a server among addresses (IPv6: networks of /64), so that whoever holds many without asking for
 * anything loses his own: of an address at its limit, and of the address that has most where the server is nearly full, the
 * one that has waited the longest for a whole header makes room for the next. Connections of exempt addresses are not ended.
 */
export function shareConnections(
  server: Server,
  isExempt: (address: string) => boolean,
  limits: ConnectionLimits,
): void {
  server.maxConnections = limits.maxConnections;
  const addresses = new Map<string, AddressConnections>();
  const bySocket = new WeakMap<Socket, OpenConnection>();
  let total = 0;
  const forget = (connection: OpenConnection): void => {
    const { address, socket } = connection;
    if (!bySocket.delete(socket)) return;
    address.size -= 1;
    address.waiting.delete(connection);
    address.silent.delete(connection);
    if (address.size === 0) addresses.delete(address.name);
  };
  const end = (connection: OpenConnection): void => {
    forget(connection);
    connection.socket.destroy();
  };

  server.on('connection', (socket: Socket) => {
    total += 1;
    socket.once('close', () => (total -= 1));
    if (total > limits.maxConnections - limits.spareConnections) {
      const [longest] = findMostWaiting(addresses.values());
      if (longest !== undefined) end(longest);
    }
    if (socket.remoteAddress === undefined || isExempt(socket.remoteAddress)) return;
    const name = toCountedAddress(socket.remoteAddress);
    const known = addresses.get(name);
    if (known !== undefined && !makeRoom(known, limits, end)) {
      socket.destroy();
      return;
    }
    const address = addresses.get(name) ?? { name, size: 0, waiting: new Set(), silent: new Set() };
    addresses.set(name, address);
    const connection: OpenConnection = { socket, address, openedAt: performance.now(), requests: 0 };
    bySocket.set(socket, connection);
    address.size += 1;
    address.waiting.add(connection);
    address.silent.add(connection);
    socket.once('close', () => forget(connection));
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const connection = bySocket.get(socket);
    if (connection === undefined) return;
    const { silent, waiting } = connection.address;
    silent.delete(connection);
    waiting.delete(connection);
    connection.requests += 1;
    response.once('close', () => {
      connection.requests -= 1;
      if (connection.requests === 0 && bySocket.has(socket)) waiting.add(connection);
    });
  });
}

/** Ends what stands in the way of one more connection of an address; false where all that it may have are at work. */
function makeRoom(
  { size, silent, waiting }: AddressConnections,
  limits: ConnectionLimits,
  end: (connection: OpenConnection) => void,
): boolean {
  const newest = performance.now() - limits.silentMs;
  let isFull = size >= limits.maxConnectionsOfAddress;
  for (const connection of silent) {
    if (silent.size < limits.maxSilentOfAddress || connection.openedAt > newest) break;
    end(connection);
    isFull = false;
  }
  if (!isFull) return true;
  const [longest] = waiting;
  if (longest === undefined) return false;
  end(longest);
  return true;
}

function findMostWaiting(addresses: Iterable<AddressConnections>): ReadonlySet<OpenConnection> {
  let most: ReadonlySet<OpenConnection> = new Set();
  for (const { waiting } of addresses) if (waiting.size > most.size) most = waiting;
  return most;
}
