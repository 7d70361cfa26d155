// `make compat`: compares the document with that of the last release by what they mean for a client, prints every finding and
// exits 1 when a change breaks a client without a new major version. With two files, OLD and NEW (JSON or YAML), it compares
// these; `--json` prints findings as JSON, `--rules` the rules.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { compareContracts } from './compare-contracts.ts';
import { readInfo } from './contract.ts';
import type { Contract } from './contract.ts';
import { listChangedMigrations, readReleased } from './releases.ts';
import { countFindings, formatFinding } from './report.ts';
import { RULES } from './rules.ts';
import { listObjections, parseVersion } from './versions.ts';

const ROOT = join(import.meta.dirname, '../..');

const { values, positionals } = parseArgs({
  options: { json: { type: 'boolean', default: false }, rules: { type: 'boolean', default: false } },
  allowPositionals: true,
});

function readContract(file: string): Contract {
  const text = readFileSync(file, 'utf8');
  // JSON is read by its own parser, which is a hundred times as fast.
  return (file.endsWith('.json') ? JSON.parse(text) : parse(text)) as Contract;
}

function compareAndReport(old: Contract, next: Contract, faults: readonly string[]): void {
  const findings = compareContracts(old, next, new Date());
  const [released, version] = [old, next].map((each) => parseVersion(readInfo(each, 'version')));
  if (released === undefined || version === undefined) return;
  if (values.json) console.log(JSON.stringify(findings, undefined, 2));
  else for (const finding of findings) console.log(`${formatFinding(finding)}\n`);
  const objections = [...faults, ...listObjections(findings, released, version)];
  const versions = `${String(readInfo(old, 'version'))} -> ${String(readInfo(next, 'version'))}`;
  console.error(`${versions}: ${countFindings(findings)}.`);
  for (const objection of objections) console.error(objection);
  if (objections.length > 0) process.exitCode = 1;
}

function compareWithRelease(): void {
  const released = readReleased(ROOT);
  if (released === undefined) {
    console.error(
      'Nothing is released: there is nothing to keep to. `make release` makes the first release.',
    );
    return;
  }
  const changed = listChangedMigrations(ROOT, released.history[0]);
  const faults = changed.map((file) => `${file} was released and may not change: write a new migration.`);
  compareAndReport(released.contract, readContract(join(ROOT, 'generated/openapi.json')), faults);
}

const [old, next] = positionals;
if (values.rules) {
  for (const [id, rule] of Object.entries(RULES))
    console.log(`${id}\n    breaking: ${rule.breaking}\n    additive: ${rule.additive}`);
} else if (old !== undefined && next !== undefined) {
  compareAndReport(readContract(old), readContract(next), []);
} else if (positionals.length === 0) {
  compareWithRelease();
} else {
  console.error('Usage: node tools/compat/main.ts [--json] [--rules] [OLD NEW]');
  process.exitCode = 2;
}
