import { DOCUMENT } from './finding.ts';
import type { Finding } from './finding.ts';
import type { RuleId } from './rules.ts';

/** `2.1`: a major version is a promise, a minor one adds to it. */
export interface Version {
  readonly major: number;
  readonly minor: number;
}

/** @throws Error for a text that is no version. */
export function parseVersion(text: unknown): Version {
  const parts = typeof text === 'string' ? /^(\d+)\.(\d+)$/.exec(text) : null;
  if (parts === null) throw new Error(`${String(text)} is no version; one looks like 2.1.`);
  return { major: Number(parts[1]), minor: Number(parts[2]) };
}

/** Whether one version comes after another. */
export function isLater(a: Version, b: Version): boolean {
  return a.major > b.major || (a.major === b.major && a.minor > b.minor);
}

/** What no version may: a major one does not shorten a notice either. */
const NEVER: readonly RuleId[] = ['operation-deprecation', 'operation-sunset', 'stability'];

/**
 * Why a document may not follow a released one; empty when it may. Within a major version nothing breaks and what is new says
 * `x-since`. A new major version has paths of its own, and those of the former ones stay as they are. A version never goes back.
 */
export function listObjections(
  findings: readonly Finding[],
  released: Version,
  version: Version,
): readonly string[] {
  if (isLater(released, version)) return ['The version is lower than the released one.'];
  if (version.major > released.major) return listObjectionsToMajor(findings, version);
  const count = (verdict: Finding['verdict']): number =>
    findings.filter((finding) => finding.verdict === verdict).length;
  const objections: string[] = [];
  if (count('breaking') > 0)
    objections.push(
      `${count('breaking')} breaking changes need a new major version (docs/reference/lifecycle.md), or are to be taken back.`,
    );
  if (count('unmarked') > 0)
    objections.push(
      `${count('unmarked')} additions do not say since when they are there: give each an \`x-since\` beyond ${released.major}.${released.minor}.`,
    );
  return objections;
}

function listObjectionsToMajor(findings: readonly Finding[], version: Version): readonly string[] {
  const objections: string[] = [];
  const breaking = findings.filter(({ verdict }) => verdict === 'breaking');
  const notices = breaking.filter(({ rule }) => NEVER.includes(rule));
  if (notices.length > 0)
    objections.push(
      `${notices.length} changes break what a major version keeps, too (docs/reference/lifecycle.md).`,
    );
  const former = breaking.filter(
    (finding) => !notices.includes(finding) && finding.operations.some((each) => isOfFormer(each, version)),
  );
  if (former.length > 0)
    objections.push(
      `${former.length} breaking changes concern paths of a former major version, which stay: give what changes paths of its own, /v${version.major}.${version.minor}/.`,
    );
  return objections;
}

/** Whether the path of an operation, `GET /api/v2.0/users`, names a former major version. What is said for all concerns it, too. */
function isOfFormer(title: string, { major }: Version): boolean {
  if (title === DOCUMENT.operation) return true;
  const named = /\/v(\d+)\.\d+\//.exec(title);
  return named !== null && Number(named[1]) < major;
}
