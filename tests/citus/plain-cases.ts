// What of the suite is about plain PostgreSQL alone. It does not run on Citus.
interface PlainFile {
  readonly file: string;
  readonly reason: string;
}

interface PlainCase {
  readonly name: string;
  readonly reason: string;
}

export const PLAIN_FILES: readonly PlainFile[] = [
  {
    file: 'tests/queries/plans.test.ts',
    reason: "reads the plans of one server's planner; those of Citus say which shards are asked",
  },
  {
    file: 'tests/queries/fleets/due-lists.test.ts',
    reason: 'counts the pages that such plans read',
  },
  {
    file: 'tests/queries/request-statements.test.ts',
    reason: 'reads such plans too; on Citus fan-outs.ts sees itself what is sent to several shards',
  },
];

export const PLAIN_CASES: readonly PlainCase[] = [
  {
    name: 'a page reads as many rows as it may have prices, by the primary key',
    reason:
      'reads such a plan; of a shard whose statistics are a moment old it was another one in one of three runs',
  },
  {
    name: 'are those of the schema, to a tenth',
    reason: 'measures the tables of one server, from which the estimate of disks is made',
  },
  {
    name: 'what the version before writes is mapped by triggers',
    reason:
      'distribute.sql drops these triggers: no cluster has processes of a version before the tables of names',
  },
  {
    name: 'transactions of the version before, which lock the organization itself, wait too',
    reason:
      'functions.sql does not lock the row of an organization, which all nodes share; no cluster has such processes',
  },
  {
    name: 'organizations whose messages are all young are not looked into',
    reason: 'functions.sql names all organizations: a look for those with old messages would ask all shards',
  },
  {
    name: 'the oldest go first, whosever they are',
    reason:
      'functions.sql takes the oldest of one shard, and the shards in an order of chance, so that none is last for ever',
  },
];

/** Arguments of the test runner that leave these out. */
export function leaveOutPlain(): string[] {
  const names = PLAIN_CASES.map(({ name }) => name.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`));
  return ['-t', `^(?!.*(?:${names.join('|')}))`, ...PLAIN_FILES.flatMap(({ file }) => ['--exclude', file])];
}

export function describePlain(): string {
  const lines = [
    ...PLAIN_FILES.map(({ file, reason }) => `${file} (${reason})`),
    ...PLAIN_CASES.map(({ name, reason }) => `"${name}" (${reason})`),
  ];
  return `Not run on Citus:\n  ${lines.join('\n  ')}`;
}
