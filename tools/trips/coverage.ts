import { once } from 'node:events';

interface FunctionCoverage {
  readonly functionName: string;
  readonly ranges: readonly { readonly count: number }[];
}

interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly FunctionCoverage[];
}

/** The functions that a running Node process has called between two moments, by V8's precise coverage. */
export class CalledFunctions {
  readonly #socket: WebSocket;
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  /** Connects to the inspector of a process at its `ws://` address and begins to count calls. */
  static async connect(inspectorUrl: string): Promise<CalledFunctions> {
    const socket = new WebSocket(inspectorUrl);
    await once(socket, 'open');
    const coverage = new CalledFunctions(socket);
    await coverage.#send('Profiler.enable');
    await coverage.#send('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    return coverage;
  }

  /** What was called since the last look: source file (as a path) to its functions and their calls. Counts start anew. */
  async take(): Promise<Map<string, Map<string, number>>> {
    const { result } = (await this.#send('Profiler.takePreciseCoverage')) as { result: ScriptCoverage[] };
    const called = result
      .filter(({ url }) => url.startsWith('file://'))
      .map(({ url, functions }): [string, Map<string, number>] => [
        new URL(url).pathname,
        new Map(
          functions
            .map(({ functionName, ranges }): [string, number] => [functionName, ranges[0]?.count ?? 0])
            .filter(([, count]) => count > 0),
        ),
      ])
      .filter(([, functions]) => functions.size > 0);
    return new Map(called);
  }

  close(): void {
    this.#socket.close();
  }

  async #send(method: string, params: object = {}): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    const answered = new Promise((resolve, reject) => {
      const read = ({ data }: MessageEvent): void => {
        const message = JSON.parse(String(data)) as { id?: number; result?: unknown; error?: unknown };
        if (message.id !== id) return;
        this.#socket.removeEventListener('message', read);
        if (message.error === undefined) resolve(message.result);
        else reject(new Error(`${method}: ${JSON.stringify(message.error)}`));
      };
      this.#socket.addEventListener('message', read);
    });
    this.#socket.send(JSON.stringify({ id, method, params }));
    return answered;
  }
}
