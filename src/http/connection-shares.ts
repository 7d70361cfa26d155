import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { toCountedAddress } from '../domain/security/quota-subjects.ts';
import { AddressConnections } from './address-connections.ts';
import type { AddressLimits, OpenConnection } from './address-connections.ts';
import { ONLY_ENDS } from './client-error.ts';

export interface ConnectionLimits extends AddressLimits {
  readonly maxConnections: number;
  /** While fewer are left, a connection that waits makes room for each that is opened: for its refusal, or for a request. */
  readonly spareConnections: number;
}

/**
 * Divides the connections of a server among addresses (IPv6: networks of /64), so that whoever holds many without asking for
 * anything, or for what is refused, loses his own: of an address at its limit, and of the address that has most of these where the
 * server is nearly full, one makes room for the next. That is, in this order, the one
 *
 * 1. that has only been ending for the longest, such as what brought no HTTP and has not closed its side since;
 * 2. whose refusal has been held back the longest: it is answered, and ends;
 * 3. that has waited the longest for a whole header (not of an exempt address);
 * 4. whose body has been open the longest (where the server is nearly full, and not of an exempt address).
 */
export function shareConnections(
  server: Server,
  isExempt: (address: string) => boolean,
  limits: ConnectionLimits,
): void {
  server.maxConnections = limits.maxConnections;
  const addresses = new Map<string, AddressConnections>();
  const bySocket = new WeakMap<Socket, { address: AddressConnections; connection: OpenConnection }>();
  let total = 0;

  server.on('connection', (socket: Socket) => {
    total += 1;
    socket.once('close', () => (total -= 1));
    if (total > limits.maxConnections - limits.spareConnections) {
      findMostEndable(addresses.values())?.endFirst({ alsoOpenBodies: true });
    }
    if (socket.remoteAddress === undefined) return;
    const isProxy = isExempt(socket.remoteAddress);
    const name = isProxy ? socket.remoteAddress : toCountedAddress(socket.remoteAddress);
    const address = addresses.get(name) ?? new AddressConnections(isProxy, limits);
    if (!address.makeRoom()) {
      socket.destroy();
      return;
    }
    addresses.set(name, address);
    const connection: OpenConnection = { socket, openedAt: performance.now(), requests: 0 };
    bySocket.set(socket, { address, connection });
    address.add(connection);
    socket.once('close', () => {
      address.remove(connection);
      if (address.isEmpty && addresses.get(name) === address) addresses.delete(name);
    });
    socket.once(ONLY_ENDS, () => address.beginEnd(connection));
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const known = bySocket.get(request.socket);
    known?.address.beginRequest(known.connection, request, response);
  });
}

/** The address that has most that may make room, open bodies included; undefined where all are at work. */
function findMostEndable(addresses: Iterable<AddressConnections>): AddressConnections | undefined {
  let [most, mostCount]: [AddressConnections | undefined, number] = [undefined, 0];
  for (const address of addresses) {
    // Only of those that have more with them: to look at all bodies for each connection would take as long as an attack likes.
    if (address.endable > mostCount) address.forgetWholeBodies();
    if (address.endable > mostCount) [most, mostCount] = [address, address.endable];
  }
  return most;
}
