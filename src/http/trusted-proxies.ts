import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Whether an address is within these CIDR blocks; a text that is no address is not. */
export function createMembership(blocks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const block of blocks) {
    const [base = '', prefix = ''] = block.split('/');
    list.addSubnet(base, Number(prefix), isIPv6(base) ? 'ipv6' : 'ipv4');
  }
  return (address) => isIP(address) !== 0 && list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

/**
 * Addresses at the end of `X-Forwarded-For` that are looked at, 1 to 5 µs each: a header has room for 1,400, and real ones have passed a
 * handful of proxies.
 */
const MAX_HOPS = 32;

const UNKNOWN = 'unknown';

/** Finds the address of a request's client; once a request, however often it is asked. */
export type FindAddress = (request: IncomingMessage) => string;

/**
 * The one finder of addresses that all counts and turns share: the address of the connection, or, while that is one of
 * `trustedProxies` (CIDR blocks), the last of `X-Forwarded-For` that is none. Empty items are passed over (RFC 9110, 5.6.1). Of more than
 * 32 items the last 32 are looked at: where all are trusted, the first of these is the client's.
 * An address is `203.0.113.7`, or `2001:db8::1` in its shortest form; IPv4 mapped into IPv6 is IPv4, and a port behind an address
 * (`203.0.113.7:4711`, `[2001:db8::1]:4711`) is not part of it. What is no address is `unknown`, and ends the search.
 */
export function createAddressFinder(trustedProxies: readonly string[]): FindAddress {
  const isTrusted = createMembership(trustedProxies);
  const found = new WeakMap<IncomingMessage, string>();
  return (request) => {
    let address = found.get(request);
    if (address === undefined) found.set(request, (address = findAddress(request, isTrusted)));
    return address;
  };
}

function findAddress({ socket, headers }: IncomingMessage, isTrusted: (address: string) => boolean): string {
  let address = toAddress(socket.remoteAddress ?? '');
  const forwarded = headers['x-forwarded-for'];
  if (forwarded === undefined || !isTrusted(address)) return address;
  let rest = String(forwarded);
  for (let hop = 0; hop < MAX_HOPS && rest !== ''; hop += 1) {
    const comma = rest.lastIndexOf(',');
    const item = rest.slice(comma + 1).trim();
    rest = rest.slice(0, Math.max(comma, 0));
    if (item === '') continue;
    address = toAddress(item);
    if (!isTrusted(address)) break;
  }
  return address;
}

function toAddress(text: string): string {
  if (isIPv4(text)) return text;
  const [, inBrackets, beforePort] = /^(?:\[([^\]]*)\](?::\d+)?|([^:]*):\d+)$/.exec(text) ?? [];
  // A zone (`fe80::1%eth0`) is the name of a card of this machine.
  const [bare = ''] = (inBrackets ?? beforePort ?? text).split('%', 1);
  return isIP(bare) === 0 ? UNKNOWN : ipaddr.process(bare).toString();
}
