import { BlockList } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { checkDestinationAddress, isCidrBlock } from '../../../src/domain/security/addresses.ts';

const isAllowed = (ip: string, allowed: readonly string[] = []): boolean =>
  checkDestinationAddress(ip, allowed).allowed;
const octets = fc.tuple(...Array.from({ length: 4 }, () => fc.integer({ min: 0, max: 255 })));
const ipv4 = octets.map((parts) => parts.join('.'));
/** Half of them from the special networks, where the verdicts differ. */
const interestingIpv4 = fc.oneof(
  ipv4,
  fc
    .tuple(
      fc.constantFrom('0', '10', '100.64', '127', '169.254', '172.16', '192.168', '198.18', '224', '255'),
      octets,
    )
    .map(([start, tail]) => [...start.split('.'), ...tail].slice(0, 4).join('.')),
);
const hex = ([a = 0, b = 0, c = 0, d = 0]: readonly number[]): string =>
  `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;

test.each([
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '10.255.255.255',
  '100.64.0.1',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.0.1',
  '169.254.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.8',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.7',
  '203.0.113.7',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '169.254.169.254',
  '169.254.170.2',
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
  '::',
  '::1',
  '::0.0.0.0',
  '::0.0.0.1',
  '::7f00:1',
  '::a9fe:a9fe',
  '::ffff:127.0.0.1',
  '::ffff:a9fe:a9fe',
  '64:ff9b::7f00:1',
  '64:ff9b::10.0.0.1',
  '64:ff9b:1::808:808',
  '100::1',
  '2001::1',
  '2001:1ff::1',
  '2001:db8::1',
  '2002:808:808::1',
  '3fff::1',
  '5f00::1',
  'fc00::1',
  'fd12::1',
  'fd00:ec2::254',
  'fd20:ce::254',
  'fe80::1',
  'febf::1',
  'fec0::1',
  'ff02::1',
  '4000::1',
  'a000::1',
  '2a00::5efe:7f00:1',
  '2a00::200:5efe:808:808',
  'fe80::1%eth0',
  '2a00::1%1',
  '::ffff:0:127.0.0.1',
  'localhost',
  '',
  '127.1',
])('%s is never called', (ip) => {
  expect(checkDestinationAddress(ip)).toEqual({ allowed: false, reason: expect.stringContaining(ip) });
});

test.each([
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.1',
  '192.167.255.255',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '::ffff:8.8.8.8',
  '::8.8.8.8',
  '64:ff9b::808:808',
  '2001:4860:4860::8888',
  '2606:4700::1111',
  '2a00::1',
  '2001:200::1',
  '2003::1',
  '3ffe::1',
])('%s may be called', (ip) => {
  expect(checkDestinationAddress(ip)).toEqual({ allowed: true });
});

describe('an IPv4 address inside an IPv6 address', () => {
  const forms: [string, (parts: readonly number[]) => string][] = [
    ['mapped', (parts) => `::ffff:${parts.join('.')}`],
    ['mapped, in groups', (parts) => `::FFFF:${hex(parts)}`],
    ['mapped, written out', (parts) => `0:0:0:0:0:ffff:${hex(parts)}`],
    ['compatible', (parts) => `::${parts.join('.')}`],
    ['compatible, in groups', (parts) => `::${hex(parts)}`],
    ['NAT64', (parts) => `64:ff9b::${hex(parts)}`],
    ['NAT64, dotted', (parts) => `64:ff9b:0:0:0:0:${parts.join('.')}`],
  ];
  test.each(forms)('%s: gets the verdict of the IPv4 address', (_name, write) => {
    fc.assert(
      fc.property(
        interestingIpv4,
        fc.constantFrom([], ['127.0.0.0/8'], ['10.0.0.0/8', '172.16.0.0/12']),
        (ip, allowed) => {
          expect(isAllowed(write(ip.split('.').map(Number)), allowed)).toBe(isAllowed(ip, allowed));
        },
      ),
    );
  });
});

describe('network membership is that of node:net', () => {
  /** A prefix, and one of the last two bits that it counts or the first two that it does not. */
  const border = (bits: number) =>
    fc
      .tuple(fc.nat(bits), fc.integer({ min: -2, max: 1 }))
      .map(([prefix, offset]) => ({ prefix, bit: Math.min(bits - 1, Math.max(0, prefix + offset)) }));
  /** The base of a network beside an address: they differ in that bit, counted from the first. */
  const differing = (parts: readonly number[], bit: number, width: number): number[] =>
    parts.map((part, i) =>
      i === Math.floor(bit / width) ? part ^ (1 << (width - 1 - (bit % width))) : part,
    );
  const verdicts = new Set<boolean>();
  const compare = (ip: string, base: string, prefix: number, family: 'ipv4' | 'ipv6'): void => {
    const list = new BlockList();
    list.addSubnet(base, prefix, family);
    fc.pre(!isAllowed(ip) && isAllowed(ip, ['0.0.0.0/0', '::/0']));
    const isInside = list.check(ip, family);
    verdicts.add(isInside);
    expect(isAllowed(ip, [`${base}/${prefix}`])).toBe(isInside);
  };
  beforeEach(() => verdicts.clear());
  afterEach(() => expect(verdicts).toEqual(new Set([true, false])));

  test('for IPv6', () => {
    const groups = fc.array(fc.integer({ min: 1, max: 0xffff }), { minLength: 8, maxLength: 8 });
    const write = (parts: readonly number[]): string => parts.map((part) => part.toString(16)).join(':');
    fc.assert(
      fc.property(groups, border(128), (parts, { prefix, bit }) =>
        compare(write(parts), write(differing(parts, bit, 16)), prefix, 'ipv6'),
      ),
    );
  });

  test('for IPv4', () => {
    fc.assert(
      fc.property(interestingIpv4, border(32), (ip, { prefix, bit }) =>
        compare(ip, differing(ip.split('.').map(Number), bit, 8).join('.'), prefix, 'ipv4'),
      ),
    );
  });
});

test('loopback and unspecified addresses of IPv6 stay such when their end is written in decimal', () => {
  for (const ip of ['::0.0.0.1', '::0.0.0.0']) {
    expect(isAllowed(ip, ['0.0.0.0/0'])).toBe(false);
    expect(isAllowed(ip, ['::/0'])).toBe(true);
  }
});

test('an allowed network lets through what it contains and nothing else', () => {
  expect(isAllowed('127.0.0.1', ['127.0.0.0/8'])).toBe(true);
  expect(isAllowed('127.0.0.1', ['10.0.0.0/8', '::1/128'])).toBe(false);
  expect(isAllowed('::1', ['::1/128'])).toBe(true);
  expect(isAllowed('10.1.2.3', ['10.1.2.9/16'])).toBe(true);
});

test.each(['169.254.169.254', '100.100.100.200', '192.0.0.192', '168.63.129.16', 'fd00:ec2::254'])(
  'the metadata address %s needs an entry of its own',
  (ip) => {
    expect(isAllowed(ip, ['0.0.0.0/0', '::/0', '169.254.169.254/31'])).toBe(false);
    expect(isAllowed(ip, [`${ip}/${ip.includes(':') ? 128 : 32}`])).toBe(true);
    expect(isAllowed(ip, [ip])).toBe(true);
  },
);

test.each(['10.0.0.0/33', 'fd00::/129', '10.0.0/8', 'private', '10.0.0.0/8/8', '10.0.0.0/x', ''])(
  '%s is not a network',
  (text) => {
    expect(() => checkDestinationAddress('10.0.0.1', [text])).toThrow('is not a network');
  },
);

test.each([
  ['10.0.0.1/32', true],
  ['10.0.0.1/33', false],
  ['fd00::1/128', true],
  ['fd00::1/129', false],
  ['0.0.0.0/0', true],
  ['10.0.0.1', false],
  ['10.0.0.1/8/8', false],
])('%s is a block of addresses: %s', (text, isBlock) => {
  expect(isCidrBlock(text)).toBe(isBlock);
});
