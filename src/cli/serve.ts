import { startService } from '../compose/service.ts';
import type { Service, ServeRole } from '../compose/service.ts';
import type { CommandContext } from './context.ts';
import { showFirstCredentials } from './first-credentials.ts';

/** How long a stop may take before the process ends all the same. */
const STOP_MS = 9_500;

export interface ServeOptions {
  readonly role: ServeRole;
  readonly printCredentials?: boolean;
}

/** Runs until SIGTERM or SIGINT; a second signal ends at once. */
export async function serveCommand(
  { settings, log }: CommandContext,
  { role, printCredentials: mayPrint = false }: ServeOptions,
): Promise<number> {
  const ended = Promise.withResolvers<number>();
  const stopped = new Promise<string>((resolve) => {
    process.once('SIGTERM', () => resolve('SIGTERM'));
    process.once('SIGINT', () => resolve('SIGINT'));
  });
  const onFatal = (error: Error): void => {
    log.error('The service cannot go on.', { error });
    ended.resolve(1);
  };
  const print = (text: string): void => console.log(text);
  const outlet = { settings, isTerminal: process.stdout.isTTY, mayPrint, print };
  const service = await startService({
    settings,
    role,
    log,
    onFatal,
    onFirstCredentials: (first, baseUrl) => showFirstCredentials(outlet, first, baseUrl),
  });
  announce(service, role);
  void stopped
    .then(async (signal) => {
      log.info('Stopping.', { signal });
      for (const again of ['SIGTERM', 'SIGINT'] as const) process.once(again, () => process.exit(130));
      setTimeout(() => process.exit(1), STOP_MS).unref();
      await service.stop();
      ended.resolve(0);
    })
    .catch(onFatal);
  const code = await ended.promise;
  // A fatal end leaves connections behind that would keep the process alive.
  if (code !== 0) process.exit(code);
  return code;
}

function announce({ baseUrl }: Service, role: ServeRole): void {
  if (role !== 'worker') {
    console.log(`Reference: ${baseUrl}/docs`);
    console.log(`Portal:    ${baseUrl}/accounts/login/`);
  }
  console.log(`Partner service (${role}) listening on ${baseUrl}`);
}
