import type { Contract } from './contract.ts';
import { readInfo } from './contract.ts';
import type { Finding } from './finding.ts';
import type { RuleId } from './rules.ts';
import { findNode, isRecord } from './schemas/place.ts';
import { isLater, parseVersion } from './versions.ts';
import type { Version } from './versions.ts';

/** What says since when it is there. */
const MARKED: readonly RuleId[] = [
  'operation',
  'webhook',
  'parameter',
  'request-property',
  'response-property',
];

/**
 * The findings, and behind those that break one for each operation, message, parameter or property that is new and does not say with
 * `x-since` that it came after the released version.
 */
export function markUnmarked(
  findings: readonly Finding[],
  old: Contract,
  next: Contract,
): readonly Finding[] {
  const released = parseVersion(readInfo(old, 'version'));
  const unmarked = findings.filter((finding) => {
    if (!MARKED.includes(finding.rule) || finding.verdict !== 'additive' || finding.old !== undefined)
      return false;
    // What both documents have is only used in one place more.
    if (findNode(old, finding.place) !== undefined) return false;
    return !isMarked(findNode(next, finding.place), released);
  });
  const [breaking, others] = [true, false].map((isBreaking) =>
    findings.filter(({ verdict }) => (verdict === 'breaking') === isBreaking),
  ) as [Finding[], Finding[]];
  const marks = unmarked.map((finding) => ({ ...finding, rule: 'since', verdict: 'unmarked' }) as const);
  return [...breaking, ...marks, ...others];
}

function isMarked(node: unknown, released: Version): boolean {
  if (!isRecord(node) || node['x-since'] === undefined) return false;
  return isLater(parseVersion(node['x-since']), released);
}
