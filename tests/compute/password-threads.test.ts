import { afterEach, expect, test } from 'vitest';
import { PasswordThreads } from '../../src/compute/password-threads.ts';
import { passwordHasher } from '../../src/domain/security/passwords.ts';

let threads: PasswordThreads;
afterEach(() => threads.stop());

test('hashes of threads and of commands are the same', async () => {
  threads = new PasswordThreads();
  const { hasher } = threads;
  const hash = await hasher.hash('a password');
  expect(await passwordHasher.verify('a password', hash)).toBe(true);
  expect(await hasher.verify('a password', await passwordHasher.hash('a password'))).toBe(true);
  expect(await hasher.verify('a guess', hash)).toBe(false);
});

test('a password that the computation refuses is an error, and the next one is hashed', async () => {
  threads = new PasswordThreads();
  const tooCostly = 'scrypt$1048576$8$1$AAAA$AAAA';
  await expect(threads.hasher.verify('a password', tooCostly)).rejects.toThrow(/memory limit/i);
  expect(await threads.hasher.hash('a password')).toMatch(/^scrypt\$/);
});

test('threads that were stopped hash nothing', async () => {
  threads = new PasswordThreads();
  await threads.stop();
  await expect(threads.hasher.hash('a password')).rejects.toThrow('The threads were stopped.');
});
