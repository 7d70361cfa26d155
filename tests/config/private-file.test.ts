import fs, { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPrivateFile, writePrivateFile } from '../../src/config/private-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'partner-private-file-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const read = () =>
  readdirSync(folder).map((name) => {
    const path = join(folder, name);
    return [name, readFileSync(path, 'utf8'), statSync(path).mode & 0o777];
  });

test('a file that another process has created meanwhile stays, and no draft is left', () => {
  createPrivateFile(join(folder, 'key'), 'first');
  createPrivateFile(join(folder, 'key'), 'second');
  expect(read()).toEqual([['key', 'first', 0o600]]);
});

test('a file that is written is the new one', () => {
  writePrivateFile(join(folder, 'key'), 'first');
  writePrivateFile(join(folder, 'key'), 'second');
  expect(read()).toEqual([['key', 'second', 0o600]]);
});

test('a file that cannot be created leaves nothing', () => {
  createPrivateFile(join(folder, 'key'), 'first');
  expect(() => createPrivateFile(join(folder, 'key', 'below'), 'second')).toThrow('key');
  expect(read()).toEqual([['key', 'first', 0o600]]);
});

test.each(['EPERM', 'ENOTSUP'])(
  'where a file system has no links (%s), a file is created once all the same',
  (code) => {
    const linked = vi.spyOn(fs, 'linkSync').mockImplementation(() => {
      throw Object.assign(new Error('There are no links here.'), { code });
    });
    syncBuiltinESMExports();
    try {
      createPrivateFile(join(folder, 'key'), 'first');
      createPrivateFile(join(folder, 'key'), 'second');
    } finally {
      linked.mockRestore();
      syncBuiltinESMExports();
    }
    expect(read()).toEqual([['key', 'first', 0o600]]);
  },
);
