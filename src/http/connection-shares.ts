import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { toCountedAddress } from '../domain/security/quota-subjects.ts';
import { ONLY_ENDS } from './client-error.ts';
import { HELD_BACK, LET_GO } from './held-back.ts';
import { hasBody } from './open-bodies.ts';

export interface ConnectionLimits {
  readonly maxConnections: number;
  /** While fewer are left, a connection that waits makes room for each that is opened: for its refusal, or for a request. */
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
  /** A trusted proxy: it has as many as the server, and those that wait for a request are left alone. */
  readonly isExempt: boolean;
  size: number;
  /** Those that have sent no whole header since their opening, or since their last answer. */
  readonly waiting: Set<OpenConnection>;
  /** Those that have never sent one. */
  readonly silent: Set<OpenConnection>;
  /** Those whose refusals are held back, with what has them sent at once, and those that only end, with what cuts them off. */
  readonly heldBack: Map<OpenConnection, () => void>;
  /** Those with a request whose body had not come whole when it was looked at last. */
  readonly openBodies: Map<OpenConnection, IncomingMessage>;
}

/**
 * Divides the connections of a server among addresses (IPv6: networks of /64), so that whoever holds many without asking for
 * anything, or for what is refused, loses his own: of an address at its limit, and of the address that has most of these where the
 * server is nearly full, one makes room for the next. The first is the one whose refusal has been held back the longest: it is
 * answered and ended, or that brought what is no HTTP and has not closed its side since; then the one that has waited the longest
 * for a whole header; where the server is nearly full also the one whose body has been open the longest. Exempt addresses lose only
 * the first of these.
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
    address.heldBack.delete(connection);
    address.openBodies.delete(connection);
    if (address.size === 0) addresses.delete(address.name);
  };
  const end = (connection: OpenConnection): void => {
    const answerNow = connection.address.heldBack.get(connection);
    forget(connection);
    if (answerNow === undefined) connection.socket.destroy();
    else answerNow();
  };

  server.on('connection', (socket: Socket) => {
    total += 1;
    socket.once('close', () => (total -= 1));
    if (total > limits.maxConnections - limits.spareConnections) {
      const first = findFirstOfMost(addresses);
      if (first !== undefined) end(first);
    }
    if (socket.remoteAddress === undefined) return;
    const isProxy = isExempt(socket.remoteAddress);
    const name = isProxy ? socket.remoteAddress : toCountedAddress(socket.remoteAddress);
    const known = addresses.get(name);
    if (known !== undefined && !makeRoom(known, limits, end)) {
      socket.destroy();
      return;
    }
    const address = addresses.get(name) ?? createAddress(name, isProxy);
    addresses.set(name, address);
    const connection: OpenConnection = { socket, address, openedAt: performance.now(), requests: 0 };
    bySocket.set(socket, connection);
    address.size += 1;
    address.waiting.add(connection);
    address.silent.add(connection);
    socket.once('close', () => forget(connection));
    socket.once(ONLY_ENDS, () => {
      if (bySocket.has(socket)) beginEnd(connection);
    });
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const connection = bySocket.get(socket);
    if (connection !== undefined) beginRequest(connection, request, response, () => bySocket.has(socket));
  });
}

/** Its client may take as long as it likes to close its side: what others of its address keep does not make room for that. */
function beginEnd(connection: OpenConnection): void {
  const { heldBack, silent, waiting } = connection.address;
  silent.delete(connection);
  waiting.delete(connection);
  heldBack.set(connection, () => connection.socket.destroy());
}

/** `isCounted` tells whether the connection is still one of its address: one that has made room is not. */
function beginRequest(
  connection: OpenConnection,
  request: IncomingMessage,
  response: ServerResponse,
  isCounted: () => boolean,
): void {
  const { heldBack, openBodies, silent, waiting } = connection.address;
  silent.delete(connection);
  waiting.delete(connection);
  connection.requests += 1;
  if (hasBody(request)) openBodies.set(connection, request);
  response.once('close', () => {
    connection.requests -= 1;
    if (openBodies.get(connection) === request) openBodies.delete(connection);
    if (connection.requests === 0 && isCounted()) waiting.add(connection);
  });
  response.on(HELD_BACK, (letGo: () => void) => {
    const answerNow = (): void => {
      response.setHeader('Connection', 'close');
      letGo();
    };
    if (isCounted()) heldBack.set(connection, answerNow);
    else answerNow();
  });
  response.on(LET_GO, () => heldBack.delete(connection));
}

function createAddress(name: string, isExempt: boolean): AddressConnections {
  return {
    name,
    isExempt,
    size: 0,
    waiting: new Set(),
    silent: new Set(),
    heldBack: new Map(),
    openBodies: new Map(),
  };
}

/** Ends what stands in the way of one more connection of an address; false where all that it may have are at work. */
function makeRoom(
  address: AddressConnections,
  limits: ConnectionLimits,
  end: (connection: OpenConnection) => void,
): boolean {
  if (address.isExempt) return true;
  const { size, silent } = address;
  const newest = performance.now() - limits.silentMs;
  let isFull = size >= limits.maxConnectionsOfAddress;
  for (const connection of silent) {
    if (silent.size < limits.maxSilentOfAddress || connection.openedAt > newest) break;
    end(connection);
    isFull = false;
  }
  if (!isFull) return true;
  const first = findFirstToEnd(address);
  if (first === undefined) return false;
  end(first);
  return true;
}

function findFirstToEnd({ heldBack, isExempt, waiting }: AddressConnections): OpenConnection | undefined {
  const [longest] = heldBack.size > 0 || isExempt ? heldBack.keys() : waiting;
  return longest;
}

/** The first to end of the address that has most of them, open bodies included; undefined where all are at work. */
function findFirstOfMost(addresses: ReadonlyMap<string, AddressConnections>): OpenConnection | undefined {
  const most = findMostEndable(addresses.values());
  if (most === undefined) return undefined;
  const [openLongest] = most.openBodies.keys();
  return findFirstToEnd(most) ?? openLongest;
}

function findMostEndable(addresses: Iterable<AddressConnections>): AddressConnections | undefined {
  let [most, mostCount]: [AddressConnections | undefined, number] = [undefined, 0];
  for (const address of addresses) {
    // Only of those that have more with them: to look at all bodies for each connection would take as long as an attack likes.
    if (countEndable(address) > mostCount) forgetWholeBodies(address);
    const count = countEndable(address);
    if (count > mostCount) [most, mostCount] = [address, count];
  }
  return most;
}

function countEndable({ heldBack, isExempt, openBodies, waiting }: AddressConnections): number {
  return heldBack.size + (isExempt ? 0 : waiting.size + openBodies.size);
}

/** Whose body has come whole is at work. */
function forgetWholeBodies({ openBodies }: AddressConnections): void {
  for (const [connection, request] of openBodies) if (request.complete) openBodies.delete(connection);
}
