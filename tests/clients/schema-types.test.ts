import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findSchemaTypes } from './schema-types.ts';

test.each([
  ['interface User { name: string; tags: unknown[] }', ['User'], ['User']],
  ['type User = { name: string };\ntype Other = any;', ['User'], []],
  ['interface components { schemas: { User: { data?: any }; Role: "a" | "b" } }', ['Role', 'User'], ['User']],
  ['namespace Schemas { export type Role = string & unknown }\nenum User { A = "a" }', ['Role', 'User'], []],
  ['type User = string & { data: unknown };', ['User'], ['User']],
  ['const User: unknown = undefined;', [], []],
])('%s', (text, found, loose) => {
  const folder = mkdtempSync(join(tmpdir(), 'partner-types-'));
  try {
    writeFileSync(join(folder, 'types.ts'), text);
    const types = findSchemaTypes(folder, new Set(['User', 'Role']));
    expect([[...types.found].sort(), [...types.loose]]).toEqual([found, loose]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
