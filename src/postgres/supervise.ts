// Keeps one server running on a locked DATA_DIR.
//
//   ready --the process ends--> restarting --it answers again--> ready
//   restarting --nothing for 30 s--> failed (onFatal, once)
//   any --stop()--> stopped
import { setTimeout as sleep } from 'node:timers/promises';
import { awaitVacancy } from './cluster.ts';
import type { Launcher } from './launcher.ts';
import type { EmbeddedLog } from './log.ts';
import { awaitAnswers, connectionTo, startPostmaster } from './postmaster.ts';
import type { Postmaster } from './postmaster.ts';

export type EmbeddedState = 'ready' | 'restarting' | 'failed' | 'stopped';

export interface Supervision {
  readonly state: () => EmbeddedState;
  stop(): Promise<void>;
}

export interface Supervised {
  readonly dataDir: string;
  readonly socketDirectory: string;
  readonly launcher: Launcher;
  readonly settings: Record<string, string>;
  readonly log: EmbeddedLog;
  readonly onFatal: (error: Error) => void;
  /** How long the database may be away before onFatal. */
  readonly patienceMs: number;
}

export async function supervise(options: Supervised): Promise<Supervision> {
  const { log, onFatal, patienceMs } = options;
  let state: EmbeddedState = 'restarting';
  const stopping = new AbortController();
  const isStopping = (): boolean => stopping.signal.aborted;
  let current = await begin(options, stopping.signal);
  state = 'ready';

  async function keepRunning(): Promise<void> {
    for (;;) {
      const last = await current.ended;
      if (isStopping()) return;
      state = 'restarting';
      log.error('the embedded database ended and is started again', { last });
      if (!(await bringBack()) || isStopping()) return;
      state = 'ready';
      log.info('the embedded database is back');
    }
  }

  async function bringBack(): Promise<boolean> {
    const deadline = performance.now() + patienceMs;
    for (let waitMs = 100; ; waitMs = Math.min(waitMs * 2, 5000)) {
      try {
        current = await begin(options, stopping.signal);
        return true;
      } catch (cause) {
        if (isStopping()) return false;
        if (performance.now() + waitMs > deadline) {
          state = 'failed';
          onFatal(
            new Error(`The embedded database could not be started again within ${patienceMs} ms.`, { cause }),
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
      // A restart may have been under way: what it brought back goes as well.
      await current.stop();
      state = 'stopped';
    },
  };
}

async function begin(options: Supervised, cut: AbortSignal): Promise<Postmaster> {
  const { dataDir, socketDirectory, launcher, settings, log, patienceMs } = options;
  await awaitVacancy(dataDir, log, cut);
  const postmaster = startPostmaster(dataDir, socketDirectory, launcher, settings, log);
  try {
    await awaitAnswers(postmaster, connectionTo(socketDirectory), patienceMs, cut);
    return postmaster;
  } catch (error) {
    await postmaster.stop();
    throw error;
  }
}
