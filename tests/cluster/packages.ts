// What the machine must have of Debian's packages.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGES: Readonly<Record<string, string>> = {
  '/usr/bin/patroni': 'patroni',
  '/usr/lib/python3/dist-packages/etcd3': 'python3-etcd3',
  '/usr/bin/etcd': 'etcd-server',
  '/usr/sbin/haproxy': 'haproxy',
  '/usr/bin/ip': 'iproute2',
  '/usr/bin/setpriv': 'util-linux',
};

const SERVERS = '/usr/lib/postgresql';

type IsThere = (path: string) => boolean;

/** What rolling restarts need, which have a database of their own. */
const FOR_RESTARTS: readonly string[] = ['haproxy', 'util-linux'];

/** Debian's packages that rolling restarts lack. */
export function listMissingForRestarts(isThere: IsThere = existsSync): string[] {
  return listAbsent(isThere).filter((name) => FOR_RESTARTS.includes(name));
}

function listAbsent(isThere: IsThere): string[] {
  return Object.entries(PACKAGES).flatMap(([path, name]) => (isThere(path) ? [] : [name]));
}

/** Debian's packages that are missing. */
export function listMissingPackages(
  isThere: IsThere = existsSync,
  versions = listServerVersions(),
): string[] {
  const missing = listAbsent(isThere);
  return versions.length === 0 ? ['postgresql', ...missing] : missing;
}

export const howToInstall = (missing: readonly string[]): string =>
  `Missing; as root: apt-get install --no-install-recommends ${missing.join(' ')}`;

/** The programs of the newest PostgreSQL. */
export function findServerPrograms(): string {
  return join(SERVERS, listServerVersions().at(-1) ?? '', 'bin');
}

function listServerVersions(): string[] {
  if (!existsSync(SERVERS)) return [];
  return readdirSync(SERVERS)
    .filter((version) => existsSync(join(SERVERS, version, 'bin/postgres')))
    .toSorted((a, b) => Number(a) - Number(b));
}
