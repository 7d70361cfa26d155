// What a migration may do while the service is at work, on tables of any size, beside processes of the version before.

/** Since then the rules hold; what is older was released before them. */
export const LAST_WITHOUT_RULES = '0021-session-tokens.sql';

interface Rule {
  readonly pattern: RegExp;
  readonly fault: string;
}

/** Statements on tables that are there before the file. */
const FORBIDDEN: readonly Rule[] = [
  {
    pattern: /^(update|delete from|truncate)\b/,
    fault: 'changes rows: that is done in batches, by src/maintenance',
  },
  { pattern: /^(lock|cluster|vacuum|reindex)\b/, fault: 'locks a table for as long as it takes' },
  { pattern: /^alter table .*\balter (column )?\w+ (set data )?type\b/, fault: 'writes the table anew' },
  {
    pattern: /^alter table .*\bset not null\b/,
    fault: 'reads the whole table: add a check that is not valid first',
  },
  {
    pattern: /^alter table .*\badd column [^,]*\b(generated|unique|primary|references|check)\b/,
    fault: 'adds a column that is checked or computed for each row',
  },
  {
    pattern: /^alter table .*\badd column (?![^,]*\bdefault\b)[^,]*\bnot null\b/,
    fault: 'adds a column that processes of the version before do not fill',
  },
  { pattern: /^alter table .*\brename\b/, fault: 'renames what processes of the version before use' },
];
const CONSTRAINT = /^alter table .*\badd constraint\b/;
const REMOVAL = /^(drop table\b|alter table .*\bdrop column\b)/;
const INDEX = /^create (unique )?index (concurrently )?\w+ on (\w+)/;
const TABLE =
  /^(?:alter table(?: if exists)?(?: only)?|update(?: only)?|delete from(?: only)?|truncate(?: table)?|lock(?: table)?|drop table(?: if exists)?|cluster|vacuum(?: full)?|reindex table) (\w+)/;

/** What is wrong with a migration; `released` are the versions that were released before it. */
export function listMigrationFaults(sql: string, released: readonly string[]): string[] {
  const statements = splitStatements(sql);
  const made = new Set(statements.map((each) => /^create (?:unlogged )?table (\w+)/.exec(each)?.[1]));
  const onOthers = statements.filter((each) => !made.has(TABLE.exec(each)?.[1]));
  const faults = onOthers.flatMap((each) =>
    FORBIDDEN.filter(({ pattern }) => pattern.test(each)).map(({ fault }) => fault),
  );
  if (onOthers.some((each) => CONSTRAINT.test(each) && !/\bnot valid\b|\busing index\b/.test(each)))
    faults.push(
      'adds a constraint that is checked for each row: say not valid, and validate it in a later file',
    );
  if (onOthers.some((each) => REMOVAL.test(each)) && !namesRelease(sql, released))
    faults.push(
      'removes what processes of the version before use: say -- unused since VERSION, which was released',
    );
  const altered = new Set(
    onOthers.map((each) => (/^alter table/.test(each) ? TABLE.exec(each)?.[1] : undefined)),
  );
  altered.delete(undefined);
  if (altered.size > 1) faults.push('alters several tables, each of which waits while the others are locked');
  return [...faults, ...listIndexFaults(statements, made)];
}

function listIndexFaults(statements: readonly string[], made: ReadonlySet<string | undefined>): string[] {
  const indexes = statements.map((each) => INDEX.exec(each)).filter((found) => found !== null);
  const onOthers = indexes.filter(([, , , table]) => !made.has(table));
  if (onOthers.some(([, , concurrently]) => concurrently === undefined))
    return ['builds an index while nobody can write: say concurrently'];
  return indexes.some(([, , concurrently]) => concurrently !== undefined) && statements.length > 1
    ? ['does more than to build an index concurrently, which is in no transaction: give it a file of its own']
    : [];
}

function namesRelease(sql: string, released: readonly string[]): boolean {
  const version = /^-- unused since (\S+)/m.exec(sql)?.[1];
  return version !== undefined && released.includes(version);
}

/** In lower case, without comments, bodies of functions and line ends. */
function splitStatements(sql: string): string[] {
  return sql
    .replaceAll(/\$(\w*)\$[^]*?\$\1\$/g, '')
    .replaceAll(/--.*$/gm, '')
    .toLowerCase()
    .split(';')
    .map((each) => each.replaceAll(/\s+/g, ' ').trim())
    .filter((each) => each !== '');
}
