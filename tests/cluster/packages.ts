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

/** Debian's packages that are missing. */
export function listMissingPackages(
  isThere: (path: string) => boolean = existsSync,
  versions = listServerVersions(),
): string[] {
  const missing = Object.entries(PACKAGES).flatMap(([path, name]) => (isThere(path) ? [] : [name]));
  return versions.length === 0 ? ['postgresql', ...missing] : missing;
}

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
