import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** What a subject of a rate limit is: each kind is kept apart from the others. */
export const SUBJECT_KINDS = ['partner', 'token', 'session', 'address', 'client', 'account'] as const;
export type SubjectKind = (typeof SUBJECT_KINDS)[number];

/** Who is counted: the kind, a space, and which one, such as `address 203.0.113.7`. */
export type QuotaSubject = `${SubjectKind} ${string}`;

export function kindOf(subject: QuotaSubject): SubjectKind {
  return subject.slice(0, subject.indexOf(' ')) as SubjectKind;
}

/** Bits of an IPv6 address that one caller cannot change: a network has 2^64 addresses (RFC 4291, 2.5.4). */
const IPV6_PREFIX_BITS = 64;
const BYTES_OF_PREFIX = IPV6_PREFIX_BITS / 8;

/**
 * A caller's address as it is counted: an IPv4 address as it is, also one mapped into IPv6 (`::ffff:192.0.2.1`); an IPv6
 * address by its /64, such as `2001:db8:0:1::/64`. Texts that are no address are counted together.
 */
export function toCountedAddress(address: string | undefined): string {
  const text = address?.split('%')[0] ?? '';
  if (isIP(text) === 0) return 'unknown';
  const parsed = ipaddr.process(text);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const prefix = parsed.toByteArray().fill(0, BYTES_OF_PREFIX);
  return `${ipaddr.fromByteArray(prefix).toString()}/${IPV6_PREFIX_BITS}`;
}

/** The subject of a caller who is known by its address alone. */
export function addressSubject(address: string | undefined): QuotaSubject {
  return `address ${toCountedAddress(address)}`;
}
