import { expect, test } from 'vitest';
import { addressSubject, toCountedAddress } from '../../../src/domain/security/quota-subjects.ts';

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::ffff:cb00:7107', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
  ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
  ['fe80::1%eth0', 'fe80::/64'],
  ['::1', '::/64'],
  ['', 'unknown'],
  ['unix:', 'unknown'],
  ['203.0.113.7:443', 'unknown'],
  [undefined, 'unknown'],
])('the caller %s is counted as %s', (address, counted) => {
  expect(toCountedAddress(address)).toBe(counted);
  expect(addressSubject(address)).toBe(`address ${counted}`);
});
