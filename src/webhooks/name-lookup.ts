import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import type { HostLookup, ResolvedAddress } from './destination.ts';

/** The timeout of one query to one name server, and how often it is sent: within the deadline of a delivery. */
const QUERY_TIMEOUT_MS = 1_500;
const QUERY_TRIES = 2;
/** How long the addresses of one family wait for those of the other (RFC 8305, 3, has 50 ms; AAAA is often slower). */
const OTHER_FAMILY_MS = 250;
/** /etc/hosts and /etc/resolv.conf are read again after this time. */
const CONFIGURATION_MS = 10_000;

const LOCALHOST: readonly ResolvedAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

export interface HostLookupOptions {
  /** Instead of those of /etc/resolv.conf: `address:port`. */
  readonly servers?: readonly string[];
  readonly hostsFile?: string;
}

/**
 * Makes a lookup that queries name servers directly (c-ares). `dns.lookup` would occupy one of libuv's four threads for
 * as long as a name server does not answer, and four slow names would delay every other delivery; here any number of
 * queries wait at once. The price: of the system's sources only the hosts file is read, and search domains are not used.
 */
export function createHostLookup({ servers, hostsFile = '/etc/hosts' }: HostLookupOptions = {}): HostLookup {
  const resolver = cached(() => {
    const made = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES });
    if (servers !== undefined) made.setServers(servers);
    return made;
  });
  const hosts = cached(() => readHosts(hostsFile));
  return async (host) => {
    const name = host.toLowerCase().replace(/\.$/, '');
    const known = (await hosts()).get(name);
    if (known !== undefined) return known;
    // RFC 6761, 6.3: these are never asked about.
    if (name === 'localhost' || name.endsWith('.localhost')) return LOCALHOST;
    return queryBothFamilies(resolver(), name);
  };
}

function cached<T>(make: () => T): () => T {
  let value: { readonly made: T; readonly at: number } | undefined;
  return () => {
    if (value === undefined || performance.now() - value.at > CONFIGURATION_MS)
      value = { made: make(), at: performance.now() };
    return value.made;
  };
}

/** All addresses of both families; one family alone when the other fails or is late. */
async function queryBothFamilies(resolver: Resolver, name: string): Promise<readonly ResolvedAddress[]> {
  const found: ResolvedAddress[] = [];
  const errors: unknown[] = [];
  const otherIsLate = Promise.withResolvers<undefined>();
  let timer: NodeJS.Timeout | undefined;
  const query = async (family: 4 | 6, answer: Promise<string[]>): Promise<void> => {
    try {
      for (const address of await answer) found.push({ address, family });
      timer ??= setTimeout(() => otherIsLate.resolve(undefined), OTHER_FAMILY_MS);
    } catch (error) {
      errors.push(error);
    }
  };
  const both = Promise.all([query(4, resolver.resolve4(name)), query(6, resolver.resolve6(name))]);
  await Promise.race([both, otherIsLate.promise]);
  clearTimeout(timer);
  // With no address at all, an error other than "no record of this type" is the more informative one.
  if (found.length === 0) throw errors.find((error) => !isNoData(error)) ?? errors[0];
  return [...found];
}

function isNoData(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENODATA';
}

async function readHosts(file: string): Promise<ReadonlyMap<string, readonly ResolvedAddress[]>> {
  const hosts = new Map<string, ResolvedAddress[]>();
  const text = await readFile(file, 'utf8').catch(() => '');
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    const family = isIP(address);
    if (family === 0) continue;
    for (const name of names) {
      const key = name.toLowerCase();
      hosts.set(key, [...(hosts.get(key) ?? []), { address, family }]);
    }
  }
  return hosts;
}
