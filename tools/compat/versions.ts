import type { Finding } from './finding.ts';

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

/**
 * Why a document may not follow a released one; empty when it may. Within a major version nothing breaks and what is new says
 * `x-since`; a version never goes back.
 */
export function listObjections(
  findings: readonly Finding[],
  released: Version,
  version: Version,
): readonly string[] {
  if (isLater(released, version)) return ['The version is lower than the released one.'];
  if (version.major > released.major) return [];
  const count = (verdict: Finding['verdict']): number =>
    findings.filter((finding) => finding.verdict === verdict).length;
  const objections: string[] = [];
  if (count('breaking') > 0)
    objections.push(
      `${count('breaking')} breaking changes need a new major version (docs/lifecycle.md), or are to be taken back.`,
    );
  if (count('unmarked') > 0)
    objections.push(
      `${count('unmarked')} additions do not say since when they are there: give each an \`x-since\` beyond ${released.major}.${released.minor}.`,
    );
  return objections;
}
