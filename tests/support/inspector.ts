import { once } from 'node:events';
import type { ServiceProcess } from './service.ts';

/** The setting under which a service opens its inspector. */
export const INSPECTOR_ENV = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

/** Spaces of V8's heap without code, and what lies outside of the heap. */
const BYTES_IN_USE = `process.getBuiltinModule('v8').getHeapSpaceStatistics()
  .filter(({ space_name: name }) => !/^(code|trusted)_/.test(name))
  .reduce((sum, { space_used_size: bytes }) => sum + bytes, process.memoryUsage().external)`;

/** Looks into a service that was started with `inspected`. */
export class Inspector {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (result: unknown) => void>();
  #calls = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const { id, result } = JSON.parse(String(data)) as { id?: number; result?: unknown };
      if (id !== undefined) this.#waiting.get(id)?.(result);
    });
  }

  static async open(service: ServiceProcess): Promise<Inspector> {
    const address = /Debugger listening on (ws:\S+)/.exec(service.log())?.[1];
    if (address === undefined) throw new Error(`No inspector:\n${service.log()}`);
    const socket = new WebSocket(address);
    await once(socket, 'open');
    return new Inspector(socket);
  }

  /**
   * Bytes on the heap and outside of it (array buffers among them) that are in use once everything else is collected. Compiled code is
   * left out: it grows for thousands of calls, as functions are compiled anew, whatever is kept of each.
   */
  async bytesInUse(): Promise<number> {
    // What finalizers let go in one collection goes in the next.
    for (let i = 0; i < 3; i++) await this.#call('HeapProfiler.collectGarbage');
    return this.evaluate(BYTES_IN_USE);
  }

  /** Processor time that all threads of the process have used so far, in milliseconds. */
  async processorMs(): Promise<number> {
    return this.evaluate('(({ user, system }) => (user + system) / 1000)(process.cpuUsage())');
  }

  /** The value of an expression inside the service; a promise is waited for. */
  async evaluate<T>(expression: string): Promise<T> {
    const answer = await this.#call('Runtime.evaluate', {
      expression,
      returnByValue: true,
      awaitPromise: true,
    });
    return (answer as { result: { value: T } }).result.value;
  }

  close(): void {
    this.#socket.close();
  }

  #call(method: string, params: object = {}): Promise<unknown> {
    const id = ++this.#calls;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }
}
