import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Contract } from './contract.ts';

/** A released version, as released/history.json keeps it. */
export interface Release {
  /** `info.version` of the document. */
  readonly version: string;
  /** The day, as 2026-11-23. */
  readonly released_on: string;
  /** The commit of the tree that it was made from. */
  readonly commit: string;
  readonly operations: number;
  readonly messages: number;
  /** SHA-256 of each file of migrations/ then: they never change again. */
  readonly migrations: Readonly<Record<string, string>>;
  readonly changes: readonly ReleasedChange[];
}

/** A finding as the changelog tells it. */
export interface ReleasedChange {
  readonly verdict: string;
  readonly rule: string;
  readonly place: string;
  readonly text: string;
  readonly operations: string;
}

/** The last released document with the versions up to it, the newest first. */
export interface Released {
  readonly contract: Contract;
  readonly history: readonly [Release, ...(readonly Release[])];
}

export const RELEASED_DOCUMENT = 'released/openapi.json';
export const RELEASED_SCHEMA = 'released/schema.sql';
export const RELEASE_HISTORY = 'released/history.json';

/** What was released last; undefined before the first release. */
export function readReleased(root: string): Released | undefined {
  if (!existsSync(join(root, RELEASE_HISTORY))) return undefined;
  const history = readJson(root, RELEASE_HISTORY) as Released['history'];
  return { contract: readJson(root, RELEASED_DOCUMENT) as Contract, history };
}

function readJson(root: string, file: string): unknown {
  return JSON.parse(readFileSync(join(root, file), 'utf8'));
}

/** SHA-256 of each numbered file of migrations/. */
export function hashMigrations(root: string): Readonly<Record<string, string>> {
  const files = globSync('migrations/[0-9]*.sql', { cwd: root }).toSorted();
  return Object.fromEntries(
    files.map((file) => [
      file,
      createHash('sha256')
        .update(readFileSync(join(root, file)))
        .digest('hex'),
    ]),
  );
}

/** Released migrations that are not there any more or have changed: databases that have run them do not run them again. */
export function listChangedMigrations(root: string, { migrations }: Release): readonly string[] {
  const present = hashMigrations(root);
  return Object.keys(migrations).filter((file) => present[file] !== migrations[file]);
}
