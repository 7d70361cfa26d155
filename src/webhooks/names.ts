import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import type { Lookup, ResolvedAddress } from './destination.ts';

/** One question to one server, and how often it is asked: within the deadline of a delivery. */
const answerMs = 1_500;
const tries = 2;
/** How long the answer for one family waits for the other's (RFC 8305, 3, has 50 ms; AAAA is often slower). */
const otherFamilyMs = 250;
/** /etc/hosts and /etc/resolv.conf are read again after this. */
const settingsMs = 10_000;

const localhost: readonly ResolvedAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

export interface NameOptions {
  /** Instead of those of /etc/resolv.conf: `address:port`. */
  readonly servers?: readonly string[];
  readonly hostsFile?: string;
}

/**
 * Asks name servers over sockets of its own (c-ares). `dns.lookup` would occupy one of libuv's four threads for
 * as long as a name is slow, and four slow names would hold up every other delivery; here any number of
 * questions wait at once. The price: of the system's sources only the hosts file is read, and names are taken
 * as they stand, without search domains.
 */
export function nameLookup({ servers, hostsFile = '/etc/hosts' }: NameOptions = {}): Lookup {
  const resolver = kept(() => {
    const made = new Resolver({ timeout: answerMs, tries });
    if (servers !== undefined) made.setServers(servers);
    return made;
  });
  const hosts = kept(() => readHosts(hostsFile));
  return async (host) => {
    const name = host.toLowerCase().replace(/\.$/, '');
    const known = (await hosts()).get(name);
    if (known !== undefined) return known;
    // RFC 6761, 6.3: these are never asked about.
    if (name === 'localhost' || name.endsWith('.localhost')) return localhost;
    return ask(resolver(), name);
  };
}

function kept<T>(make: () => T): () => T {
  let value: { readonly made: T; readonly at: number } | undefined;
  return () => {
    if (value === undefined || performance.now() - value.at > settingsMs)
      value = { made: make(), at: performance.now() };
    return value.made;
  };
}

/** All addresses of both families; one family alone when the other fails or is late. */
async function ask(resolver: Resolver, name: string): Promise<readonly ResolvedAddress[]> {
  const found: ResolvedAddress[] = [];
  const errors: unknown[] = [];
  const enough = Promise.withResolvers<undefined>();
  let timer: NodeJS.Timeout | undefined;
  const question = async (family: 4 | 6, answer: Promise<string[]>): Promise<void> => {
    try {
      for (const address of await answer) found.push({ address, family });
      timer ??= setTimeout(() => enough.resolve(undefined), otherFamilyMs);
    } catch (error) {
      errors.push(error);
    }
  };
  const both = Promise.all([question(4, resolver.resolve4(name)), question(6, resolver.resolve6(name))]);
  await Promise.race([both, enough.promise]);
  clearTimeout(timer);
  // A name with neither is more than one without AAAA: the first complaint that is not "no such record" tells why.
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
