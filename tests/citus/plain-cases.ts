// Cases of the suite that are about what only plain PostgreSQL has here. They do not run on Citus.
interface PlainCase {
  readonly name: string;
  readonly reason: string;
}

export const PLAIN_CASES: readonly PlainCase[] = [
  {
    name: 'what the version before writes is mapped by triggers',
    reason: 'distribute.sql drops these triggers: no cluster has processes of a version before the tables of names',
  },
];

/** A pattern of names for the test runner that fits all others. */
export function toOthersPattern(cases: readonly PlainCase[]): string {
  const names = cases.map(({ name }) => RegExp.escape(name));
  return `^(?!.*(?:${names.join('|')}))`;
}
