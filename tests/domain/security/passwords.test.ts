import { scryptSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { passwordHasher } from '../../../src/domain/security/passwords.ts';

test('a hash takes 32 MiB, fits its password alone, and is another one each time', async () => {
  const [hash, other] = [await passwordHasher.hash('a password'), await passwordHasher.hash('a password')];
  const [scheme, cost, blockSize] = hash.split('$');
  expect([scheme, 128 * Number(cost) * Number(blockSize)]).toEqual(['scrypt', 32 * 1024 * 1024]);
  expect(hash).not.toBe(other);
  expect(await passwordHasher.verify('a password', hash)).toBe(true);
  expect(await passwordHasher.verify('a Password', hash)).toBe(false);
});

test('a hash of another cost, of up to 64 MiB, is compared at that cost; one of another form fits nothing', async () => {
  const salt = Buffer.alloc(16, 1);
  const key = scryptSync('a password', salt, 32, { N: 65_536, r: 8, p: 1, maxmem: 96 * 1024 * 1024 });
  const hash = ['scrypt', 65_536, 8, 1, salt.toString('base64'), key.toString('base64')].join('$');
  expect(await passwordHasher.verify('a password', hash)).toBe(true);
  for (const form of ['', 'a password', hash.replace('scrypt', 'bcrypt'), 'scrypt$1024$8$1$'])
    expect(await passwordHasher.verify('a password', form)).toBe(false);
});
