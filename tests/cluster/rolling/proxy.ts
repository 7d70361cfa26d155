// HAProxy before the API processes, set up by the file of deploy/haproxy.
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../faults/environment.ts';
import { findFreePort } from '../../faults/restarts.ts';
import { endProgram, startProgram, tailOf } from '../processes.ts';

const CONFIGURATION = join(import.meta.dirname, '../../../deploy/haproxy/api.cfg');
const STOP_MS = 5_000;
const NOTICE_MS = 30_000;

export class ApiProxy {
  readonly baseUrl: string;
  readonly #statsUrl: string;
  readonly #folder: string;
  readonly #process: ChildProcess;

  private constructor(baseUrl: string, statsUrl: string, folder: string, process: ChildProcess) {
    this.baseUrl = baseUrl;
    this.#statsUrl = statsUrl;
    this.#folder = folder;
    this.#process = process;
  }

  /** Before two processes, by their addresses such as 127.0.0.1:8080. */
  static async start([API1, API2]: readonly [string, string]): Promise<ApiProxy> {
    const folder = mkdtempSync(join(tmpdir(), 'partner-proxy-'));
    const [port, statsPort] = [await findFreePort(), await findFreePort()];
    const statistics = join(folder, 'statistics.cfg');
    const lines = [
      'mode http',
      `bind 127.0.0.1:${statsPort}`,
      'timeout client 5s',
      'stats enable',
      'stats uri /',
    ];
    writeFileSync(statistics, `frontend statistics\n${lines.map((line) => `  ${line}\n`).join('')}`);
    const command = ['setpriv', '--pdeathsig=KILL', '--', '/usr/sbin/haproxy', '-db', '-f', CONFIGURATION];
    const process = startProgram({
      command: [...command, '-f', statistics],
      env: { LISTEN: `127.0.0.1:${port}`, API1, API2 },
      logFile: join(folder, 'haproxy.log'),
    });
    return new ApiProxy(`http://127.0.0.1:${port}`, `http://127.0.0.1:${statsPort}/;csv`, folder, process);
  }

  /** Resolves when it leads requests to all of its processes. */
  waitUntilWhole(): Promise<void> {
    return this.#waitUntilAll('UP');
  }

  /** Resolves when none of its processes has answered its checks. */
  waitUntilAllAreDown(): Promise<void> {
    return this.#waitUntilAll('DOWN');
  }

  async #waitUntilAll(wanted: 'UP' | 'DOWN'): Promise<void> {
    await until(
      `HAProxy finds all processes ${wanted}`,
      () => this.#listStates(),
      (states) => states.length === 2 && states.every((state) => state === wanted),
      NOTICE_MS,
    ).catch((error: unknown) => {
      throw new Error(`HAProxy says:\n${tailOf(join(this.#folder, 'haproxy.log'))}`, { cause: error });
    });
  }

  async close(): Promise<void> {
    await endProgram(this.#process, 'SIGTERM', STOP_MS);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Of each process; none while HAProxy does not answer. */
  async #listStates(): Promise<string[]> {
    const text = await fetch(this.#statsUrl).then(
      (answer) => answer.text(),
      () => '',
    );
    const [head = [], ...rows] = text.split('\n').map((line) => line.split(','));
    const [name, state] = [head.indexOf('svname'), head.indexOf('status')];
    return rows.filter((row) => /^api\d$/.test(row[name] ?? '')).map((row) => row[state] ?? '');
  }
}
