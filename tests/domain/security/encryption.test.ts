import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createKeyring, decrypt, encrypt } from '../../../src/domain/security/encryption.ts';
import { Secret } from '../../../src/domain/security/secret.ts';

const older = randomBytes(32);
const newer = randomBytes(32);
const secret = new Secret('whsec_abc');

test('what was encrypted can be decrypted, under the current key and under previous ones', () => {
  const encrypted = encrypt(createKeyring(older), secret, 'webhook:1');
  expect(decrypt(createKeyring(older), encrypted, 'webhook:1').reveal()).toBe('whsec_abc');
  expect(decrypt(createKeyring(newer, [older]), encrypted, 'webhook:1').reveal()).toBe('whsec_abc');
  expect(encrypt(createKeyring(newer, [older]), secret, 'webhook:1').keyId).not.toBe(encrypted.keyId);
});

test('the box does not show the text, and no two are alike', () => {
  const boxes = [1, 2].map(() => encrypt(createKeyring(newer), secret, 'webhook:1').bytes);
  expect(boxes[0]?.equals(boxes[1] ?? Buffer.of())).toBe(false);
  expect(boxes[0]?.includes('abc')).toBe(false);
});

test('a box does not open in another place, when altered, or without its key', () => {
  const encrypted = encrypt(createKeyring(older), secret, 'webhook:1');
  const altered = Buffer.from(encrypted.bytes);
  altered[altered.length - 1] = (altered.at(-1) ?? 0) ^ 1;
  expect(() => decrypt(createKeyring(older), encrypted, 'webhook:2')).toThrow();
  expect(() => decrypt(createKeyring(older), { ...encrypted, bytes: altered }, 'webhook:1')).toThrow();
  expect(() =>
    decrypt(createKeyring(older), { ...encrypted, bytes: encrypted.bytes.subarray(0, 20) }, 'webhook:1'),
  ).toThrow();
  expect(() => decrypt(createKeyring(newer), encrypted, 'webhook:1')).toThrow('ENCRYPTION_KEY_PREVIOUS');
});

test('a key has 32 bytes', () => {
  expect(() => createKeyring(Buffer.alloc(16))).toThrow('32 bytes');
});
