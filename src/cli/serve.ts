import { putHelpersBehind } from '../compose/helper-threads.ts';
import { startService } from '../compose/service.ts';
import type { Service, ServeRole } from '../compose/service.ts';
import type { Log } from '../log/log.ts';
import type { CommandContext } from './context.ts';
import { showFirstCredentials } from './first-credentials.ts';
import { endDespiteOutputs, endForCertain, surviveLostOutput } from './outputs.ts';

/** How long a stop may take, after the delay of the settings, before the process ends all the same. */
const STOP_MS = 9_500;

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

export interface ServeOptions {
  readonly role: ServeRole;
  readonly printCredentials?: boolean;
}

/** Runs until SIGTERM, SIGINT or SIGHUP, also while it starts; a second signal but SIGHUP ends at once. */
export async function serveCommand(
  { settings, log }: CommandContext,
  { role, printCredentials: mayPrint = false }: ServeOptions,
): Promise<number> {
  surviveLostOutput(log);
  putHelpersBehind();
  const ended = Promise.withResolvers<number>();
  const stopping = stopBySignal(settings.stopDelaySeconds * 1_000 + STOP_MS, log);
  const onFatal = (error: Error): void => {
    log.error('The service cannot go on.', { error });
    ended.resolve(1);
  };
  const outlet = { settings, isTerminal: process.stdout.isTTY, mayPrint };
  const service = await startService({
    settings,
    role,
    log,
    onFatal,
    onFirstCredentials: (first, baseUrl) => showFirstCredentials(outlet, first, baseUrl),
    signal: stopping,
  }).catch((error: unknown) => {
    if (error === stopping.reason) return undefined;
    endForCertain(1);
    throw error;
  });
  if (service === undefined) ended.resolve(0);
  else {
    announce(service, role);
    whenAborted(stopping, () => {
      service.stop().then(() => ended.resolve(0), onFatal);
    });
  }
  const code = await ended.promise;
  // A fatal end leaves connections behind that would keep the process alive.
  if (code !== 0) process.exit(code);
  endDespiteOutputs(code);
  return code;
}

/** Aborted by the first of the signals; the process has ended `withinMs` after it, whatever hangs. */
function stopBySignal(withinMs: number, log: Log): AbortSignal {
  const stopping = new AbortController();
  // A terminal that is closed may send SIGHUP twice, and systemd sends it right behind SIGTERM: nobody is impatient.
  const onSecond = (signal: NodeJS.Signals): void => {
    if (signal !== 'SIGHUP') process.exit(130);
  };
  const stop = (signal: NodeJS.Signals): void => {
    log.info('Stopping.', { signal });
    for (const each of SIGNALS) process.removeListener(each, stop).on(each, onSecond);
    setTimeout(() => giveUp(withinMs, log), withinMs).unref();
    stopping.abort();
  };
  for (const each of SIGNALS) process.on(each, stop);
  return stopping.signal;
}

function whenAborted(signal: AbortSignal, act: () => void): void {
  if (signal.aborted) act();
  else signal.addEventListener('abort', act, { once: true });
}

function announce({ baseUrl }: Service, role: ServeRole): void {
  if (role !== 'worker') {
    console.log(`Reference: ${baseUrl}/docs`);
    console.log(`Portal:    ${baseUrl}/accounts/login/`);
  }
  console.log(`Partner service (${role}) listening on ${baseUrl}`);
}

/** Says what the process still had, since whoever reads the log sees nothing else of what hung. */
function giveUp(withinMs: number, log: Log): never {
  log.error('The stop took too long: what was under way is cut off.', {
    withinMs,
    resources: process.getActiveResourcesInfo(),
  });
  process.exit(1);
}
