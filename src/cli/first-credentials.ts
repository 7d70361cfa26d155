import { resolve } from 'node:path';
import type { FirstCredentials } from '../accounts/bootstrap.ts';
import { writePrivateFile } from '../config/private-file.ts';
import type { Settings } from '../config/settings.ts';
import { printForCertain } from './outputs.ts';

/** In DATA_DIR. */
const FILE = 'first-credentials';

interface Outlet {
  readonly settings: Pick<Settings, 'databaseUrl' | 'dataDir'>;
  readonly isTerminal: boolean;
  /** `--print-credentials` */
  readonly mayPrint: boolean;
}

/**
 * Shows what the first start has made, once. Output that is no terminal goes to a log that many read: there, and with a
 * database server of one's own, the credentials go to a file that only its owner can read, and the output names it.
 * @throws Error when the output does not take them, or the file cannot be written, with the cure.
 */
export function showFirstCredentials(
  { settings, isTerminal, mayPrint }: Outlet,
  first: FirstCredentials,
  baseUrl: string,
): void {
  const text = describeFirstCredentials(first, baseUrl);
  if (settings.databaseUrl === undefined || isTerminal || mayPrint) {
    printForCertain(text);
    return;
  }
  const path = resolve(settings.dataDir, FILE);
  writeCredentials(path, text);
  console.log(
    `First start: the credentials of the first organization are in ${path}. Keep them, and remove the file.`,
  );
}

function writeCredentials(path: string, text: string): void {
  try {
    writePrivateFile(path, text);
  } catch (cause) {
    throw new Error(
      `The first credentials cannot be written to ${path}, and nothing was made. ` +
        'Let DATA_DIR name a folder that can be written to, or start once with --print-credentials.',
      { cause },
    );
  }
}

function describeFirstCredentials(first: FirstCredentials, baseUrl: string): string {
  return `
First start: an organization, its admin and an application were created. These credentials are shown only now.

  Organization   ${first.orgId}
  Portal login   ${first.username}
  Password       ${first.password.reveal()}   (to be changed at the first login)
  Client id      ${first.clientId}
  Client secret  ${first.clientSecret.reveal()}

Get a token:

  curl -sS -u '${first.clientId}:${first.clientSecret.reveal()}' -H 'Content-Type: application/json' \\
    -d '{"grant_type": "client_credentials"}' ${baseUrl}/oauth2/token/

`;
}
