import { startService } from '../compose/service.ts';
import type { Service, ServeRole } from '../compose/service.ts';
import type { FirstCredentials } from '../accounts/bootstrap.ts';
import type { CommandContext } from './context.ts';

/** How long a stop may take before the process ends all the same. */
const STOP_MS = 9_500;

/** Runs until SIGTERM or SIGINT; a second signal ends at once. */
export async function serveCommand({ settings, log }: CommandContext, role: ServeRole): Promise<number> {
  const ended = Promise.withResolvers<number>();
  const stopped = new Promise<string>((resolve) => {
    process.once('SIGTERM', () => resolve('SIGTERM'));
    process.once('SIGINT', () => resolve('SIGINT'));
  });
  const onFatal = (error: Error): void => {
    log.error('The service cannot go on.', { error });
    ended.resolve(1);
  };
  const service = await startService({ settings, role, log, onFatal });
  if (service.firstCredentials !== undefined)
    printFirstCredentials(service.baseUrl, service.firstCredentials);
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

/** Shown once: neither the password nor the secret can be read out again. */
function printFirstCredentials(baseUrl: string, first: FirstCredentials): void {
  console.log(`
First start: an organization, its admin and an application were created. These credentials are shown only now.

  Organization   ${first.orgId}
  Portal login   ${first.username}
  Password       ${first.password.reveal()}   (to be changed at the first login)
  Client id      ${first.clientId}
  Client secret  ${first.clientSecret.reveal()}

Get a token:

  curl -sS -u '${first.clientId}:${first.clientSecret.reveal()}' -H 'Content-Type: application/json' \\
    -d '{"grant_type": "client_credentials"}' ${baseUrl}/oauth2/token/

`);
}
