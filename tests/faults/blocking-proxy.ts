import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** Stands before a receiver and lets nothing through, not even the TLS handshake, until it is opened. */
export interface BlockingProxy {
  readonly port: number;
  /** Connections that wait. */
  readonly waiting: () => number;
  open(): void;
  close(): Promise<void>;
}

export async function startBlockingProxy(target: number): Promise<BlockingProxy> {
  const waiting = new Set<Socket>();
  let isOpen = false;
  const pass = (socket: Socket): void => {
    const onward = connect(target, '127.0.0.1');
    onward.on('error', () => socket.destroy());
    socket.on('close', () => onward.destroy());
    onward.on('close', () => socket.destroy());
    socket.pipe(onward).pipe(socket);
  };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    if (isOpen) pass(socket);
    else waiting.add(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    waiting: () => waiting.size,
    open: () => {
      isOpen = true;
      for (const socket of waiting) pass(socket);
      waiting.clear();
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
