import { isIPv4, isIPv6 } from 'node:net';

/** An IP address or the base of a network as a number of 32 or 128 bits. */
interface Address {
  readonly family: 4 | 6;
  readonly value: bigint;
}

interface Network extends Address {
  readonly prefix: number;
}

export type AddressDecision =
  { readonly allowed: true } | { readonly allowed: false; readonly reason: string };

/**
 * What is never called, with the reason shown. Sources: the IANA special-purpose registries for IPv4
 * and IPv6 and their multicast registries. Only 2000::/3 is global unicast, so the rest is refused whole.
 */
const forbidden: readonly (readonly [network: string, reason: string])[] = [
  ['0.0.0.0/8', 'the unspecified network'],
  ['10.0.0.0/8', 'a private network'],
  ['100.64.0.0/10', 'a carrier-grade NAT network'],
  ['127.0.0.0/8', 'a loopback address'],
  ['169.254.0.0/16', 'a link-local address'],
  ['172.16.0.0/12', 'a private network'],
  ['192.0.0.0/24', 'a network for protocol assignments'],
  ['192.0.2.0/24', 'a documentation network'],
  ['192.88.99.0/24', 'a 6to4 relay address'],
  ['192.168.0.0/16', 'a private network'],
  ['198.18.0.0/15', 'a benchmarking network'],
  ['198.51.100.0/24', 'a documentation network'],
  ['203.0.113.0/24', 'a documentation network'],
  ['224.0.0.0/4', 'a multicast address'],
  ['240.0.0.0/4', 'a reserved network'],
  ['::1/128', 'a loopback address'],
  ['::/8', 'a reserved network'],
  ['64:ff9b:1::/48', 'a local NAT64 network'],
  ['100::/64', 'a discard-only network'],
  ['2001::/23', 'a network for protocol assignments'],
  ['2001:db8::/32', 'a documentation network'],
  ['2002::/16', 'a 6to4 address'],
  ['3fff::/20', 'a documentation network'],
  ['5f00::/16', 'a segment routing network'],
  ['fc00::/7', 'a private network'],
  ['fe80::/10', 'a link-local address'],
  ['fec0::/10', 'a site-local address'],
  ['ff00::/8', 'a multicast address'],
  ['::/3', 'not a global unicast address'],
  ['4000::/2', 'not a global unicast address'],
  ['8000::/1', 'not a global unicast address'],
];

/** Cloud metadata services: an allowed network lets them through only when it names exactly this address. */
const metadata: readonly string[] = [
  '169.254.169.254',
  '169.254.170.2',
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
  'fd00:ec2::254',
  'fd20:ce::254',
];

const forbiddenNetworks = forbidden.map(([text, reason]) => ({ network: parseNetwork(text), reason }));
const metadataAddresses = metadata.map((text) => parseNetwork(`${text}/${text.includes(':') ? 128 : 32}`));

/** A CIDR block; without a prefix it is one address; bits below the prefix do not count. Throws on anything else. */
function parseNetwork(text: string): Network {
  const [base = '', prefixText, ...rest] = text.trim().split('/');
  const address = parseAddress(base);
  const bits = address?.family === 4 ? 32 : 128;
  const prefix = prefixText === undefined ? bits : /^\d{1,3}$/.test(prefixText) ? Number(prefixText) : NaN;
  if (address === undefined || rest.length > 0 || !(prefix <= bits)) {
    throw new Error(`${text} is not a network such as 10.0.0.0/8 or fd00::/8.`);
  }
  return { ...address, prefix };
}

/**
 * Whether a delivery may connect to this IP address. `allowed` are the CIDR blocks of
 * WEBHOOK_ALLOWED_NETWORKS, the only way past the table. IPv4-mapped, IPv4-compatible and NAT64 forms get
 * the verdict of the IPv4 address within; ISATAP and zone ids are refused.
 */
export function checkDestinationAddress(ip: string, allowed: readonly string[] = []): AddressDecision {
  const allowedNetworks = allowed.map(parseNetwork);
  const written = parseAddress(ip);
  if (written === undefined) return { allowed: false, reason: `${ip} is not an IP address.` };
  const address = embeddedIPv4(written) ?? written;
  const exact = allowedNetworks.some((network) => shift(network) === 0n && contains(network, address));
  if (exact) return { allowed: true };
  if (metadataAddresses.some((network) => contains(network, address))) {
    return { allowed: false, reason: `${ip} is a cloud metadata address.` };
  }
  if (allowedNetworks.some((network) => contains(network, address))) return { allowed: true };
  if (isIsatap(address)) return { allowed: false, reason: `${ip} is an ISATAP address.` };
  const found = forbiddenNetworks.find(({ network }) => contains(network, address));
  return found === undefined ? { allowed: true } : { allowed: false, reason: `${ip} is ${found.reason}.` };
}

function contains(network: Network, address: Address): boolean {
  const below = shift(network);
  return network.family === address.family && network.value >> below === address.value >> below;
}

/** How many bits of an address lie below the network's prefix. */
function shift(network: Network): bigint {
  return BigInt((network.family === 4 ? 32 : 128) - network.prefix);
}

/** The IPv4 address within ::ffff:a.b.c.d, ::a.b.c.d (save :: and ::1) and 64:ff9b::a.b.c.d. */
function embeddedIPv4({ family, value }: Address): Address | undefined {
  if (family === 4) return undefined;
  const upper = value >> 32n;
  const isEmbedded = upper === 0xffffn || upper === 0x64_ff9bn << 64n || (upper === 0n && value > 1n);
  return isEmbedded ? { family: 4, value: value & 0xffff_ffffn } : undefined;
}

/** RFC 5214: an interface identifier 0000:5efe or 0200:5efe before an IPv4 address. */
function isIsatap({ family, value }: Address): boolean {
  const identifier = (value >> 32n) & 0xffff_ffffn;
  return family === 6 && (identifier & ~0x0200_0000n) === 0x5efen;
}

function parseAddress(text: string): Address | undefined {
  if (isIPv4(text)) return { family: 4, value: join(text.split('.').map(Number), 8n) };
  if (!isIPv6(text) || text.includes('%')) return undefined;
  const [head = '', tail] = text.split('::');
  const left = ipv6Groups(head);
  const right = tail === undefined ? [] : ipv6Groups(tail);
  const zeros = Array<number>(8 - left.length - right.length).fill(0);
  return { family: 6, value: join([...left, ...zeros, ...right], 16n) };
}

/** The 16-bit groups of one side of a `::`; a dotted IPv4 tail makes two. */
function ipv6Groups(side: string): number[] {
  if (side === '') return [];
  return side.split(':').flatMap((group) => {
    if (!group.includes('.')) return [parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}

function join(parts: readonly number[], bits: bigint): bigint {
  return parts.reduce((value, part) => (value << bits) | BigInt(part), 0n);
}
