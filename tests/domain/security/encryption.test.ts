import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { keyring, open, seal } from '../../../src/domain/security/encryption.ts';
import { Secret } from '../../../src/domain/security/secret.ts';

const older = randomBytes(32);
const newer = randomBytes(32);
const secret = new Secret('whsec_abc');

test('what was sealed opens, under the current key and under previous ones', () => {
  const sealed = seal(keyring(older), secret, 'webhook:1');
  expect(open(keyring(older), sealed, 'webhook:1').reveal()).toBe('whsec_abc');
  expect(open(keyring(newer, [older]), sealed, 'webhook:1').reveal()).toBe('whsec_abc');
  expect(seal(keyring(newer, [older]), secret, 'webhook:1').keyId).not.toBe(sealed.keyId);
});

test('the box does not show the text, and no two are alike', () => {
  const boxes = [1, 2].map(() => seal(keyring(newer), secret, 'webhook:1').box);
  expect(boxes[0]?.equals(boxes[1] ?? Buffer.of())).toBe(false);
  expect(boxes[0]?.includes('abc')).toBe(false);
});

test('a box does not open in another place, when altered, or without its key', () => {
  const sealed = seal(keyring(older), secret, 'webhook:1');
  const altered = Buffer.from(sealed.box);
  altered[altered.length - 1] = (altered.at(-1) ?? 0) ^ 1;
  expect(() => open(keyring(older), sealed, 'webhook:2')).toThrow();
  expect(() => open(keyring(older), { ...sealed, box: altered }, 'webhook:1')).toThrow();
  expect(() => open(keyring(older), { ...sealed, box: sealed.box.subarray(0, 20) }, 'webhook:1')).toThrow();
  expect(() => open(keyring(newer), sealed, 'webhook:1')).toThrow('ENCRYPTION_KEY_PREVIOUS');
});

test('a key has 32 bytes', () => {
  expect(() => keyring(Buffer.alloc(16))).toThrow('32 bytes');
});
