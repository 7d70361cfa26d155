import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { createSecureContext, TLSSocket, type SecureContextOptions } from 'node:tls';

/** A connection of a server of TLS that may write beside TLS, to the socket below. */
export interface RawConnection {
  readonly tls: TLSSocket;
  readonly socket: Socket;
  /** All that TLS has written. */
  readonly sent: () => Buffer;
}

export interface RawTlsServer {
  readonly port: number;
  close(): void;
}

/** A server on a free port of 127.0.0.1; connections fail without a word. */
export async function startRawTlsServer(
  options: SecureContextOptions,
  onConnection: (connection: RawConnection) => void,
): Promise<RawTlsServer> {
  const secureContext = createSecureContext(options);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    const writes: Buffer[] = [];
    const tls = new TLSSocket(rememberWrites(socket, writes), { isServer: true, secureContext });
    tls.on('error', () => undefined);
    onConnection({ tls, socket, sent: () => Buffer.concat(writes) });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { port, close };
}

/** The socket, whose writes are kept. */
function rememberWrites(socket: Socket, writes: Buffer[]): Duplex {
  const stream = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _encoding, callback) => {
      writes.push(chunk);
      socket.write(chunk, () => callback());
    },
  });
  socket.on('data', (chunk) => stream.push(chunk));
  socket.once('end', () => stream.push(null));
  return stream;
}
