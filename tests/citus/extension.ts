// Citus as the machine has it, or as a folder with its sources builds it.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

const SERVERS = '/usr/lib/postgresql';

/** The programs of the newest PostgreSQL that has Citus; undefined when none has. */
export function findCitusPrograms(
  list: (folder: string) => readonly string[] = listFolder,
  isThere: (path: string) => boolean = existsSync,
): string | undefined {
  const version = list(SERVERS)
    .toSorted((a, b) => Number(b) - Number(a))
    .find((each) => isThere(join(SERVERS, each, 'lib/citus.so')));
  return version === undefined ? undefined : join(SERVERS, version, 'bin');
}

/** Builds and installs Citus by the script `build` of a folder, which says what it does. */
export function buildCitus(folder: string): void {
  const script = join(resolve(folder), 'build');
  if (!existsSync(script)) throw new Error(`${folder} has no script named build.`);
  const { status } = spawnSync(script, { stdio: 'inherit' });
  if (status !== 0) throw new Error(`${script} has failed.`);
}

export const HOW_TO_GET_CITUS = `Citus is not installed for any PostgreSQL in ${SERVERS}. Either install it, as root:
  the package postgresql-15-citus-13.2 of Citus' own repository (https://docs.citusdata.com, "Installation", Debian), or
  make citus-test CITUS=FOLDER, where FOLDER has the sources of Citus and an executable script named build that installs it.
It is not part of this repository: its licence is AGPL-3.0.`;

const listFolder = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);
