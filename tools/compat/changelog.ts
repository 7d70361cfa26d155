import type { Contract } from './contract.ts';
import { readInfo } from './contract.ts';
import { compareContracts } from './compare-contracts.ts';
import type { Finding } from './finding.ts';
import type { Release, Released, ReleasedChange } from './releases.ts';
import { describeChange, describeOperations } from './report.ts';

const HEADINGS: Readonly<Record<string, string>> = {
  breaking: 'Breaking',
  beta: 'Breaking, in parts that were marked beta',
  additive: 'Compatible',
};

/** Findings as the changelog keeps them. */
export function toChanges(findings: readonly Finding[]): readonly ReleasedChange[] {
  return findings
    .filter(({ verdict }) => verdict in HEADINGS)
    .map((finding) => ({
      verdict: finding.verdict,
      rule: finding.rule,
      place: finding.place,
      text: describeChange(finding),
      operations: describeOperations(finding),
    }));
}

/**
 * The changelog of the API as a page of the reference in Markdown: what the present document changes, when it changes something, and what each released
 * version changed.
 */
export function renderChangelog(released: Released | undefined, present: Contract): string {
  const sections = (released?.history ?? []).map((release) =>
    renderSection(`${release.version} (${release.released_on})`, release.changes, release),
  );
  if (released !== undefined) {
    // Nothing of the page may depend on the day on which it is made: what is past its sunset is told when it is removed.
    const changes = toChanges(compareContracts(released.contract, present, new Date(0)));
    if (changes.length > 0) sections.unshift(renderSection(describeVersion(released, present), changes));
  }
  return [
    '# API changelog',
    '',
    'What changed for clients of the API, from the documents of the released versions. What may change and how long a version',
    'lives: [lifecycle of the API](/docs/guide/lifecycle).',
    '',
    ...sections,
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
}

function describeVersion({ history }: Released, present: Contract): string {
  const version = String(readInfo(present, 'version'));
  return version === history[0].version ? `After ${version} (not released)` : `${version} (not released)`;
}

function renderSection(title: string, changes: readonly ReleasedChange[], release?: Release): string {
  const lines = [`## ${title}`, ''];
  if (release !== undefined && changes.length === 0)
    lines.push(`${release.operations} operations and ${release.messages} messages.`, '');
  for (const [verdict, heading] of Object.entries(HEADINGS)) {
    const listed = changes.filter((change) => change.verdict === verdict);
    if (listed.length === 0) continue;
    lines.push(`### ${heading}`, '', ...listed.map(renderChange), '');
  }
  return lines.join('\n');
}

function renderChange({ rule, text, operations, place }: ReleasedChange): string {
  return `- ${toWords(rule)}: ${toCode(text)}. ${toCode(operations)} (${toCode(place)})`;
}

/** Text of the document as Markdown that shows it as it is. */
function toCode(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

/** `response-property`: Response property. */
function toWords(rule: string): string {
  const words = rule.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
