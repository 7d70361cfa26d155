import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { prepareCompileCache } from '../../src/cli/compile-cache.ts';

let parent: string;
let folder: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'partner-cache-'));
  folder = join(parent, '.cache/partner');
});
afterEach(() => rmSync(parent, { recursive: true }));

const permissions = (): number => statSync(folder).mode & 0o777;

test('nobody else can write what the next start runs', () => {
  expect(prepareCompileCache(folder)).toBe(folder);
  expect(permissions()).toBe(0o700);
  chmodSync(folder, 0o777);
  expect(prepareCompileCache(folder)).toBe(folder);
  expect(permissions()).toBe(0o700);
});

test('a folder of another user is left alone', () => {
  prepareCompileCache(folder);
  expect(prepareCompileCache(folder, statSync(folder).uid + 1)).toBeUndefined();
});

test('a link is not followed', () => {
  mkdirSync(join(parent, '.cache'));
  symlinkSync(parent, folder);
  expect(prepareCompileCache(folder)).toBeUndefined();
});

test('where no folder can be made, nothing is kept', () => {
  writeFileSync(join(parent, '.cache'), '');
  expect(prepareCompileCache(folder)).toBeUndefined();
});
