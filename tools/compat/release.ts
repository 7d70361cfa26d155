// `make release VERSION=2.1`: keeps the document, the schema and the commit of the present tree in released/, where `make compat`
// finds what it compares with. It refuses a tree with changes, a version that is not the document's, and what `make compat`
// refuses.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toChanges } from './changelog.ts';
import { compareContracts } from './compare-contracts.ts';
import { listOperations, listMessages, readInfo } from './contract.ts';
import type { Contract } from './contract.ts';
import type { Finding } from './finding.ts';
import {
  hashMigrations,
  listChangedMigrations,
  readReleased,
  RELEASED_DOCUMENT,
  RELEASED_SCHEMA,
  RELEASE_HISTORY,
} from './releases.ts';
import type { Release, Released } from './releases.ts';
import { isLater, listObjections, parseVersion } from './versions.ts';

/** Before the first release. */
const NO_VERSION = '0.0';

/** What the first release is compared with: it adds all operations and messages, and keeps to the notice as others do. */
function withoutOperations(document: Contract): Contract {
  return { ...document, info: { version: NO_VERSION }, paths: {}, webhooks: {} };
}

/** Why the present tree cannot be released as a version. */
function listFaults(
  root: string,
  version: string,
  present: Contract,
  released: Released | undefined,
  findings: readonly Finding[],
): readonly string[] {
  const faults: string[] = [];
  const documented = String(readInfo(present, 'version'));
  if (documented !== version)
    faults.push(
      `The document has the version ${documented}: set info.version in openapi/openapi.yaml first.`,
    );
  if (runGit(root, 'status', '--porcelain') !== '') faults.push('The tree has changes: commit them first.');
  const [release] = released?.history ?? [];
  const last = release?.version ?? NO_VERSION;
  if (!isLater(parseVersion(version), parseVersion(last)))
    faults.push(`${version} does not come after ${last}.`);
  const changed = release === undefined ? [] : listChangedMigrations(root, release);
  faults.push(...changed.map((file) => `${file} was released and may not change.`));
  return [...faults, ...listObjections(findings, parseVersion(last), parseVersion(version))];
}

function runGit(root: string, ...words: readonly string[]): string {
  return execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim();
}

/**
 * Makes a release of the tree at `root`: writes released/ and returns what was released.
 * @throws Error that names every reason why it cannot be.
 */
export function makeRelease(root: string, version: string, today: Date): Release {
  const present = JSON.parse(readFileSync(join(root, 'generated/openapi.json'), 'utf8')) as Contract;
  const released = readReleased(root);
  const findings = compareContracts(released?.contract ?? withoutOperations(present), present, today);
  const faults = listFaults(root, version, present, released, findings);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  const release: Release = {
    version,
    released_on: today.toISOString().slice(0, 'yyyy-mm-dd'.length),
    commit: runGit(root, 'rev-parse', 'HEAD'),
    operations: listOperations(present).length,
    messages: listMessages(present).length,
    migrations: hashMigrations(root),
    changes: released === undefined ? [] : toChanges(findings),
  };
  mkdirSync(join(root, 'released'), { recursive: true });
  copyFileSync(join(root, 'generated/openapi.json'), join(root, RELEASED_DOCUMENT));
  copyFileSync(join(root, 'migrations/schema.sql'), join(root, RELEASED_SCHEMA));
  const history = [release, ...(released?.history ?? [])];
  writeFileSync(join(root, RELEASE_HISTORY), `${JSON.stringify(history, undefined, 2)}\n`);
  return release;
}

if (import.meta.main) {
  const version = process.argv[2] ?? '';
  try {
    const { commit, operations } = makeRelease(join(import.meta.dirname, '../..'), version, new Date());
    console.log(`Released ${version}: ${operations} operations of commit ${commit}.`);
    console.log('Now: `make generate`, rename "Pending" in CHANGELOG.md, commit, `git tag`.');
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
