import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A CIDR block: its base address and the length of its prefix in bits. */
type Network = readonly [base: Address, prefixLength: number];

export type AddressDecision =
  { readonly allowed: true } | { readonly allowed: false; readonly reason: string };

/**
 * Networks that are never called, with the reason shown. Sources: the IANA special-purpose address registries for IPv4
 * and IPv6 (RFC 6890) and the multicast registries. Only 2000::/3 is global unicast, so all else of IPv6 is refused.
 * ipaddr.js has a table of its own (`range()`), which lacks several of these entries and knows no reasons.
 */
const FORBIDDEN_NETWORKS = (
  [
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
  ] as const
).map(([text, reason]) => ({ network: parseNetwork(text), reason }));

/** Cloud metadata services: an allowed network includes one only when it names exactly this address. */
const METADATA_ADDRESSES = [
  '169.254.169.254',
  '169.254.170.2',
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
  'fd00:ec2::254',
  'fd20:ce::254',
].map(parseNetwork);

/**
 * Whether a delivery may connect to an IP address; if not, the reason is a sentence. `allowed` are the CIDR blocks of
 * WEBHOOK_ALLOWED_NETWORKS, the only exceptions to the table; throws when one is none. An IPv4 address inside an IPv6
 * one (IPv4-mapped, IPv4-compatible, NAT64) is decided as that IPv4 address; ISATAP addresses and zone ids are refused.
 */
export function checkDestinationAddress(ip: string, allowed: readonly string[] = []): AddressDecision {
  const allowedNetworks = allowed.map(parseNetwork);
  const written = parseAddress(ip);
  if (written === undefined) return { allowed: false, reason: `${ip} is not an IP address.` };
  const address = embeddedIPv4(written) ?? written;
  const matching = allowedNetworks.filter((network) => contains(network, address));
  if (matching.some(([base, prefixLength]) => prefixLength === bitsOf(base))) return { allowed: true };
  if (METADATA_ADDRESSES.some((network) => contains(network, address))) {
    return { allowed: false, reason: `${ip} is a cloud metadata address.` };
  }
  if (matching.length > 0) return { allowed: true };
  if (isIsatap(address)) return { allowed: false, reason: `${ip} is an ISATAP address.` };
  const found = FORBIDDEN_NETWORKS.find(({ network }) => contains(network, address));
  return found === undefined ? { allowed: true } : { allowed: false, reason: `${ip} is ${found.reason}.` };
}

/** Whether a text is a CIDR block with a prefix length, such as `10.0.0.0/8`; bits behind the prefix may be set. */
export function isCidrBlock(text: string): boolean {
  return text.includes('/') && tryParseNetwork(text) !== undefined;
}

/** A CIDR block; without a prefix length it is one address. Throws on anything else. */
function parseNetwork(text: string): Network {
  const network = tryParseNetwork(text.trim());
  if (network === undefined) throw new Error(`${text} is not a network such as 10.0.0.0/8 or fd00::/8.`);
  return network;
}

function tryParseNetwork(text: string): Network | undefined {
  const [base = '', prefix, ...rest] = text.split('/');
  const address = parseAddress(base);
  if (address === undefined || rest.length > 0) return undefined;
  if (prefix === undefined) return [address, bitsOf(address)];
  const isLength = /^\d{1,3}$/.test(prefix) && Number(prefix) <= bitsOf(address);
  return isLength ? [address, Number(prefix)] : undefined;
}

/**
 * ipaddr.js also reads octal, hexadecimal and short forms and zone ids, which would be ambiguous here. It takes `::a.b.c.d`
 * for an IPv4-mapped address (`::ffff:a.b.c.d`), so that decimal groups are written in hexadecimal before.
 */
function parseAddress(text: string): Address | undefined {
  if (isIP(text) === 0 || text.includes('%')) return undefined;
  return ipaddr.parse(text.includes(':') ? text.replace(/[\d.]+$/, toHexGroups) : text);
}

/** The last 32 bits of an IPv6 address: `1.2.3.4` as `102:304`; what is no IPv4 address stays. */
function toHexGroups(tail: string): string {
  if (isIP(tail) !== 4) return tail;
  const [a = 0, b = 0, c = 0, d = 0] = tail.split('.').map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}

function bitsOf(address: Address): 32 | 128 {
  return address.kind() === 'ipv4' ? 32 : 128;
}

function contains([base, prefixLength]: Network, address: Address): boolean {
  return base.kind() === address.kind() && address.match(base, prefixLength);
}

/**
 * The IPv4 address within ::ffff:a.b.c.d (RFC 4291, 2.5.5.2), ::a.b.c.d except :: and ::1 (2.5.5.1), and
 * 64:ff9b::a.b.c.d (RFC 6052, 2.1).
 */
function embeddedIPv4(address: Address): ipaddr.IPv4 | undefined {
  if (!('parts' in address)) return undefined;
  const [high = 0, low = 0] = address.parts.slice(6);
  const upper = address.parts.slice(0, 6).join();
  const isCompatible = upper === '0,0,0,0,0,0' && (high > 0 || low > 1);
  const isMapped = upper === '0,0,0,0,0,65535';
  const isNat64 = upper === [0x64, 0xff9b, 0, 0, 0, 0].join();
  return isCompatible || isMapped || isNat64
    ? new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff])
    : undefined;
}

/** RFC 5214, 6.1: an interface identifier 0000:5efe or 0200:5efe before an IPv4 address. */
function isIsatap(address: Address): boolean {
  if (!('parts' in address)) return false;
  const [high = 0, low = 0] = address.parts.slice(4);
  return (high & ~0x0200) === 0 && low === 0x5efe;
}
