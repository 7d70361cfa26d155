import type { Finding, Verdict } from './finding.ts';

const LABELS: Readonly<Record<Verdict, string>> = {
  breaking: 'BREAKING',
  unmarked: 'UNMARKED',
  beta: 'BETA',
  additive: 'additive',
};

/** Longer values are cut in lines for people. */
const MOST_CHARACTERS = 120;
const MOST_OPERATIONS = 3;

/** A finding in lines: verdict and rule, place, what changed, for whom. */
export function formatFinding(finding: Finding): string {
  const { verdict, rule, place } = finding;
  return [
    `${LABELS[verdict]} ${rule} at ${place}`,
    describeChange(finding),
    describeOperations(finding),
  ].join('\n    ');
}

/** `deprecated_field: added`, or `"a" -> "b"`. */
export function describeChange({ name, old, new: now }: Finding): string {
  const subject = name === undefined ? '' : `${name}: `;
  if (old === undefined && now !== undefined)
    return `${subject}added${isPlain(now, name) ? '' : ` ${show(now)}`}`;
  if (now === undefined && old !== undefined)
    return `${subject}removed${isPlain(old, name) ? '' : ` ${show(old)}`}`;
  return `${subject}${show(old)} -> ${show(now)}`;
}

function isPlain(value: unknown, name: string | undefined): boolean {
  return value === name || typeof value === 'object';
}

function show(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}

/** The first operations that are concerned, and how many more. */
export function describeOperations({ operations }: Finding): string {
  const rest = operations.length - MOST_OPERATIONS;
  const named = operations.slice(0, MOST_OPERATIONS).join(', ');
  return rest > 0 ? `${named} and ${rest} more` : named;
}

/** `2 breaking, 0 unmarked, 0 beta, 14 additive`. */
export function countFindings(findings: readonly Finding[]): string {
  const verdicts = Object.keys(LABELS) as Verdict[];
  return verdicts
    .map((verdict) => `${findings.filter((finding) => finding.verdict === verdict).length} ${verdict}`)
    .join(', ');
}
