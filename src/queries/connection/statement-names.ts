// The names under which pg prepares statements, once on each connection.
import { hash } from 'node:crypto';
import type pg from 'pg';

/** A statement that each connection prepares when it first runs it. */
interface NamedStatement {
  readonly text: string;
  /** How often the schema has made its plans useless. */
  readonly generation: number;
  readonly name: string;
  /** How its columns are read, where not as all others. */
  readonly types: pg.CustomTypesConfig | undefined;
}

const statements = new Map<string, NamedStatement>();

/**
 * From now on every connection runs a statement of this text as a prepared one. There must be no more texts than the program
 * has statements: a connection keeps what it has prepared until it ends.
 */
export function nameStatement(text: string, types?: pg.CustomTypesConfig): void {
  setName({ text, types, generation: 0 });
}

/** Prepares the statement anew on every connection. `usedName` has turned out useless; that of a newer one stays. */
export function renameStatement(text: string, usedName: string): void {
  const statement = statements.get(text);
  if (statement?.name === usedName) setName({ ...statement, generation: statement.generation + 1 });
}

/** The name of a prepared statement; undefined for any other text. */
export function findStatementName(text: string): string | undefined {
  return statements.get(text)?.name;
}

/** What pg is to be given for a statement: its name too where it is a prepared one. */
export function toNamedQuery(text: string, values: unknown): pg.QueryConfig | undefined {
  const statement = statements.get(text);
  if (statement === undefined) return undefined;
  const { name, types } = statement;
  return { name, text, values: values as unknown[], ...(types === undefined ? {} : { types }) };
}

/** The digest of its text makes a name unique and the same in every process. */
function setName(statement: Omit<NamedStatement, 'name'>): void {
  const { text, types, generation } = statement;
  const digest = hash('sha256', `${text} ${types === undefined ? '' : 'own types'}`).slice(0, 16);
  statements.set(text, { ...statement, name: `partner_${digest}_${generation}` });
}
