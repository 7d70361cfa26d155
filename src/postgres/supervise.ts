// Keeps one server running on a locked DATA_DIR.
//
//   ready --the process ends--> restarting --it answers again--> ready
//   restarting --no answer for 30 s--> failed (onFatal, once)
//   any --stop()--> stopped
import { setTimeout as sleep } from 'node:timers/promises';
import { waitForFormerServerToEnd } from './cluster.ts';
import type { Launcher } from './launcher.ts';
import type { EmbeddedLog } from './log.ts';
import { waitUntilDatabaseAnswers, createSocketConnection, startPostmaster } from './postmaster.ts';
import type { Postmaster } from './postmaster.ts';

export type EmbeddedState = 'ready' | 'restarting' | 'failed' | 'stopped';

export interface SupervisedServer {
  readonly state: () => EmbeddedState;
  stop(): Promise<void>;
}

export interface SuperviseOptions {
  readonly dataDir: string;
  readonly socketDirectory: string;
  readonly launcher: Launcher;
  readonly settings: Record<string, string>;
  readonly log: EmbeddedLog;
  readonly onFatal: (error: Error) => void;
  /** How long the database may be unavailable before onFatal is called. */
  readonly restartTimeoutMs: number;
}

/** Starts the server and restarts it whenever it ends. Rejects when the first start fails; `onFatal` hears of a later one. */
export async function superviseServer(options: SuperviseOptions): Promise<SupervisedServer> {
  const { log, onFatal, restartTimeoutMs } = options;
  let state: EmbeddedState = 'restarting';
  const stopping = new AbortController();
  const isStopping = (): boolean => stopping.signal.aborted;
  let current = await startServer(options, stopping.signal);
  state = 'ready';

  async function keepRunning(): Promise<void> {
    for (;;) {
      const last = await current.ended;
      if (isStopping()) return;
      state = 'restarting';
      log.error('the embedded database ended and is started again', { last });
      if (!(await restart()) || isStopping()) return;
      state = 'ready';
      log.info('the embedded database is back');
    }
  }

  async function restart(): Promise<boolean> {
    const deadline = performance.now() + restartTimeoutMs;
    for (let waitMs = 100; ; waitMs = Math.min(waitMs * 2, 5000)) {
      try {
        current = await startServer(options, stopping.signal);
        return true;
      } catch (cause) {
        if (isStopping()) return false;
        if (performance.now() + waitMs > deadline) {
          state = 'failed';
          onFatal(
            new Error(`The embedded database could not be started again within ${restartTimeoutMs} ms.`, {
              cause,
            }),
          );
          return false;
        }
        log.warn('the embedded database did not come back', { error: String(cause) });
      }
      await sleep(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (isStopping()) return false;
    }
  }

  const running = keepRunning();
  return {
    state: () => state,
    stop: async () => {
      stopping.abort();
      await current.stop();
      await running;
      // A restart may have been in progress: the server that it started is stopped too.
      await current.stop();
      state = 'stopped';
    },
  };
}

async function startServer(options: SuperviseOptions, abortSignal: AbortSignal): Promise<Postmaster> {
  const { dataDir, socketDirectory, launcher, settings, log, restartTimeoutMs } = options;
  await waitForFormerServerToEnd(dataDir, log, abortSignal);
  const postmaster = startPostmaster(dataDir, socketDirectory, launcher, settings, log);
  try {
    await waitUntilDatabaseAnswers(
      postmaster,
      createSocketConnection(socketDirectory),
      restartTimeoutMs,
      abortSignal,
    );
    return postmaster;
  } catch (error) {
    await postmaster.stop();
    throw error;
  }
}
