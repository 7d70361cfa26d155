// The ways in which attacks use connections: many requests at once, answers that are not read, bodies that do not end.
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Aim } from './attack.ts';

/**
 * Connections that an attack has from one address: an address may have 128, of which the other partner, who may be at the same
 * one, needs 32, and those that are being closed count too.
 */
export const OF_AN_ADDRESS = 80;

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** Requests over as many kept connections as are under way at once, each sent when the one before is answered. */
export async function flood(aim: Aim, atOnce: number, make: (n: number) => Sent): Promise<void> {
  const { target, from, signal, tally } = aim;
  const connections = aim.atOnce ?? atOnce;
  const pool = openPool(target.port, from, connections);
  const isOver = (): boolean => signal.aborted;
  let made = 0;
  const worker = async (): Promise<void> => {
    while (!isOver() && made < (aim.requests ?? Infinity)) {
      const { headers = {}, body = null, ...line } = make(made++);
      try {
        const answer = await pool.request({ ...line, headers, body, signal });
        for await (const chunk of answer.body) tally.bytesReceived += (chunk as Buffer).length;
        tally.count(answer.statusCode);
      } catch (error) {
        if (isOver()) break;
        tally.count(errorCode(error));
        // A refused connection costs nobody anything: without a pause the attacker would only burn its own core.
        await sleep(5);
      }
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  await pool.destroy();
}

/**
 * Lists gone through page by page, each by one of the connections: the next page is the one to which the answer's `Link` leads,
 * and the first one again behind the last.
 */
export async function turnPages(
  aim: Aim,
  atOnce: number,
  headers: Readonly<Record<string, string>>,
  lists: readonly string[],
): Promise<void> {
  const { target, from, signal, tally } = aim;
  const connections = aim.atOnce ?? atOnce;
  const pool = openPool(target.port, from, connections);
  const isOver = (): boolean => signal.aborted;
  let asked = 0;
  const worker = async (_: unknown, n: number): Promise<void> => {
    const first = lists[n % lists.length] ?? '';
    for (let path = first; !isOver() && asked < (aim.requests ?? Infinity);) {
      asked += 1;
      try {
        const answer = await pool.request({ method: 'GET', path, headers, signal });
        for await (const chunk of answer.body) tally.bytesReceived += (chunk as Buffer).length;
        tally.count(answer.statusCode);
        path = findNextPage(answer.headers['link']) ?? first;
      } catch (error) {
        if (isOver()) break;
        tally.count(errorCode(error));
        await sleep(5);
      }
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  await pool.destroy();
}

/** The path and query of the next page (RFC 8288); undefined on the last one. */
function findNextPage(link: string | readonly string[] | undefined): string | undefined {
  const address = /<([^>]+)>; rel="next"/.exec(String(link))?.[1];
  if (address === undefined) return undefined;
  const { pathname, search } = new URL(address);
  return pathname + search;
}

/**
 * Connections that send `bytes` and then nothing. Opened `perSecond` (Infinity: all at once), `count` of them; one that the
 * service ends is counted by the status that it was told, and opened anew.
 */
export async function hold(aim: Aim, count: number, perSecond: number, bytes: string): Promise<void> {
  const { signal, tally } = aim;
  const wanted = aim.requests ?? count;
  const open = new Set<Socket>();
  const pause = Math.max(5, 1000 / perSecond);
  const batch = Math.max(1, Math.round((perSecond * pause) / 1000));
  while (!signal.aborted) {
    for (let i = 0; i < batch && open.size < wanted; i++) {
      const socket = openSocket(aim);
      open.add(socket);
      socket.once('connect', () => tally.count('opened'));
      socket.once('data', (data) => tally.count(statusOf(data)));
      socket.once('close', () => open.delete(socket));
      socket.write(bytes);
    }
    if (perSecond === Infinity && open.size >= wanted) break;
    await sleep(pause);
  }
  if (!signal.aborted) await aborted(signal);
  for (const socket of open) socket.destroy();
}

/**
 * Connections that send the same request `depth` times in one write, and take of the answers what `bytesPerSecond` lets
 * them: Infinity reads everything and sends anew once all is answered, 0 never reads. One that the service ends is `cut off` when it
 * has got one answer at most, and `ended` otherwise.
 */
export async function pipeline(
  aim: Aim,
  connections: number,
  depth: number,
  request: string,
  bytesPerSecond: number,
): Promise<void> {
  const { signal, tally } = aim;
  const isOver = (): boolean => signal.aborted;
  const worker = async (): Promise<void> => {
    while (!isOver()) {
      const socket = openSocket(aim);
      const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
      let answers = 0;
      const readers = trickle(socket, bytesPerSecond, (data) => {
        tally.bytesReceived += data.length;
        for (const status of statusesOf(data)) tally.count(status);
        answers += statusesOf(data).length;
      });
      const write = (): void => void socket.write(request.repeat(depth));
      write();
      if (bytesPerSecond === Infinity) repeatWhenAnswered(socket, depth, write);
      await Promise.race([ended, aborted(signal)]);
      clearInterval(readers);
      tally.count(isOver() ? 'held' : answers > 1 ? 'ended' : 'cut off');
      socket.destroy();
      await sleep(5);
    }
  };
  await Promise.all(Array.from({ length: aim.atOnce ?? connections }, worker));
}

/** Connections of one request each, as fast as they can be made. */
export async function churn(aim: Aim, atOnce: number, request: string): Promise<void> {
  const { signal, tally } = aim;
  const isOver = (): boolean => signal.aborted;
  let made = 0;
  const worker = async (): Promise<void> => {
    while (!isOver() && made < (aim.requests ?? Infinity)) {
      made += 1;
      const socket = openSocket(aim);
      const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
      socket.once('data', (data) => {
        tally.count(statusOf(data));
        socket.destroy();
      });
      socket.write(request);
      await Promise.race([ended, aborted(signal)]);
      socket.destroy();
    }
  };
  await Promise.all(Array.from({ length: aim.atOnce ?? atOnce }, worker));
}

/** Kept connections that all send one request in the same moment, every `pauseMs`; one that the service ends is opened anew. */
export async function volley(aim: Aim, connections: number, pauseMs: number, request: string): Promise<void> {
  const { signal, tally } = aim;
  const wanted = aim.atOnce ?? connections;
  const open = new Set<Socket>();
  while (!signal.aborted) {
    while (open.size < wanted) {
      const socket = openSocket(aim);
      open.add(socket);
      socket.on('data', (data) => {
        tally.bytesReceived += data.length;
        for (const status of statusesOf(data)) tally.count(status);
      });
      socket.once('close', () => open.delete(socket));
    }
    for (const socket of open) socket.write(request);
    tally.count('volley');
    await Promise.race([sleep(pauseMs), aborted(signal)]);
  }
  for (const socket of open) socket.destroy();
}

/** A request as text, for connections that are written to directly. */
export function requestText({ method, path, headers = {}, body = '' }: Sent): string {
  const lines = Object.entries({ host: 'localhost', ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body.toString()}`;
}

export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

function openPool(port: number, localAddress: string, connections: number): Pool {
  return new Pool(`http://127.0.0.1:${port}`, {
    connections,
    localAddress,
    headersTimeout: 60_000,
    bodyTimeout: 60_000,
  });
}

/** Connections of this process by the address that they come from. */
const OPEN = new Map<string, number>();

/** Beyond what an attack has from its own address, it comes from further ones. */
export function openSocket({ target, from, tally }: Aim): Socket {
  let localAddress = from;
  for (let further = 1; (OPEN.get(localAddress) ?? 0) >= OF_AN_ADDRESS; further++)
    localAddress = `127.0.1.${further}`;
  OPEN.set(localAddress, (OPEN.get(localAddress) ?? 0) + 1);
  const socket = connect({ host: '127.0.0.1', port: target.port, localAddress });
  socket.on('error', (error) => tally.count(errorCode(error)));
  socket.once('close', () => OPEN.set(localAddress, (OPEN.get(localAddress) ?? 0) - 1));
  return socket;
}

/** Reads this many bytes a second, in ten helpings. */
function trickle(
  socket: Socket,
  bytesPerSecond: number,
  take: (data: Buffer) => void,
): NodeJS.Timeout | undefined {
  if (bytesPerSecond === Infinity) {
    socket.on('data', take);
    return undefined;
  }
  socket.pause();
  if (bytesPerSecond === 0) return undefined;
  socket.on('readable', () => undefined);
  return setInterval(() => {
    const data = socket.read(Math.min(socket.readableLength, bytesPerSecond / 10)) as Buffer | null;
    if (data !== null) take(data);
  }, 100);
}

function repeatWhenAnswered(socket: Socket, depth: number, write: () => void): void {
  let answers = 0;
  socket.on('data', (data) => {
    answers += statusesOf(data).length;
    if (answers < depth) return;
    answers -= depth;
    write();
  });
}

function statusOf(data: Buffer): string {
  return statusesOf(data)[0] ?? 'bytes';
}

export function statusesOf(data: Buffer): string[] {
  return [...data.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status = '']) => status);
}

function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return 'error';
  const { code, cause } = error as Error & { code?: string };
  return code ?? (cause instanceof Error ? errorCode(cause) : error.name);
}
