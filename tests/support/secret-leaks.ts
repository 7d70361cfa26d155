// Whatever a test does with the service, nothing that it writes by itself may hold a secret: log, metrics, answers, tables.
import type { Registry } from 'prom-client';
import { redact } from '../../src/log/log.ts';
import type { Fields, Log } from '../../src/log/log.ts';
import type { TestDatabase } from './database.ts';

/** How secrets look. Nothing else that the service writes looks like them. */
const looks: Readonly<Record<string, RegExp>> = {
  'a signing secret': /whsec_[A-Za-z0-9+/]{8,}/,
  'an access token': /pat_[A-Za-z0-9_-]{43}/,
  'a key of 32 bytes': /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{43}=(?![A-Za-z0-9+/=])/,
  'a client secret': /(?<![A-Za-z0-9])[A-Za-z0-9]{128}(?![A-Za-z0-9])/,
  'a signature': /v1[=,][A-Za-z0-9+/]{43,64}/,
  'the secret of a link': /[?&]secret=[A-Za-z0-9._-]{8,}/,
  credentials: /\b(?:Basic|Bearer) +(?!realm=)[A-Za-z0-9+/=._~-]{16,}/,
};

/** The kinds of secrets in a text, and the names of those of the given values that it holds. */
export function findSecrets(text: string, values: Readonly<Record<string, string>> = {}): string[] {
  return [
    ...Object.entries(looks).flatMap(([kind, look]) => (look.test(text) ? [kind] : [])),
    ...Object.entries(values).flatMap(([name, value]) => (text.includes(value) ? [name] : [])),
  ];
}

/** Throws when a text that the service wrote holds a secret. */
export function expectNoSecretIn(
  place: string,
  text: string,
  values: Readonly<Record<string, string>> = {},
): void {
  const leaks = findSecrets(text, values);
  if (leaks.length > 0) throw new Error(`${place} holds ${leaks.join(', ')}.`);
}

/** A log whose lines are as the real one's, kept for a look at them. */
export class RecordingLog implements Log {
  #text = '';
  readonly error = (message: string, fields?: Fields): void => this.#add('error', message, fields);
  readonly warn = (message: string, fields?: Fields): void => this.#add('warn', message, fields);
  readonly info = (message: string, fields?: Fields): void => this.#add('info', message, fields);
  readonly debug = (message: string, fields?: Fields): void => this.#add('debug', message, fields);

  get text(): string {
    return this.#text;
  }

  #add(level: string, message: string, fields: Fields = {}): void {
    this.#text += `${JSON.stringify(redact({ level, message, ...fields }))}\n`;
  }
}

/** Looks through what a service in this process has written. */
export async function expectNoSecretWritten(
  log: RecordingLog,
  registry: Registry,
  database: TestDatabase,
): Promise<void> {
  expectNoSecretIn('The log', log.text);
  expectNoSecretIn('/metrics', await registry.metrics());
  const { rows } = await database.pool.query<{ name: string }>(
    "select format('%I', tablename) as name from pg_tables where schemaname = 'public'",
  );
  for (const { name } of rows) {
    // As text, and as bytes, which are shown in hexadecimal digits.
    const found = await database.pool.query(
      `select 1 from ${name} row where row::text ~ 'whsec_[A-Za-z0-9+/]{8}|pat_[A-Za-z0-9_-]{43}|77687365635f' limit 1`,
    );
    if (found.rowCount !== 0) throw new Error(`The table ${name} holds a secret that is not encrypted.`);
  }
  await expectNothingPersonalLogged(database);
}

/** Nobody may be found by what is kept of requests: neither by address nor by name, nor where they live. */
async function expectNothingPersonalLogged({ pool }: TestDatabase): Promise<void> {
  const { rows } = await pool.query<{ row: string }>(`
    select logged::text as row from logged_requests logged
    where concat_ws(' ', path, body, errors) ~* '@|%40|"?(latitude|longitude)"?[:=] *"?-?[0-9]'
      or exists (
        select from users u where u.org_id = logged.org_id
          and concat_ws(' ', path, body, errors) like any (
            select '%' || part || '%' from unnest(array[u.first_name, u.last_name, u.street_and_number, u.external_user_id]) part
            where length(part) >= 5 and part !~ '^[a-z_]+$'))
    limit 1`);
  if (rows[0] !== undefined) throw new Error(`The request log holds what is personal: ${rows[0].row}`);
}
