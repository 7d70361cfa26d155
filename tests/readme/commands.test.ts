// Every command block of the README is executed as it stands, from the project's folder, beside a running service.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { encryptionKey, fixedCredentials, requestToken, run, until } from '../process/partner.ts';
import { testDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { INHERITED_ENV, startService } from '../support/service.ts';
import type { ServiceProcess } from '../support/service.ts';
import { codeBlocks, readme, root } from './document.ts';

/**
 * Commands that would start this test again, install, take the place of the running service or rewrite files. Other tests
 * do what they do; here make only says what it would run.
 */
const shownOnly = [
  'make run',
  'make test',
  'make demo',
  'make generate',
  'make check',
  'make test ARGS=tests/operations',
  'make test-browser',
];

/** Commands that run until they are told to stop. */
const lasting = {
  './bin/partner serve --role api': /listening on http:\/\/localhost:\d+\n$/,
  './bin/partner serve --role worker': /listening on http:\/\/localhost:\d+\n$/,
  './bin/partner listen --forward-to http://localhost:3000/hooks':
    /^Signing secret +whsec_\S+\nConnected: .*\n$/,
};

/** The id of a key that nobody has any more. */
const LOST_KEY = '0123456789abcdef';
const fixed = { ...fixedCredentials(), email: 'admin@example.com' };
let database: TestDatabase;
let service: ServiceProcess;
let given: Record<string, string>;
let env: Record<string, string>;

beforeAll(async () => {
  database = await testDatabase();
  given = { DATABASE_URL: database.url, ENCRYPTION_KEY: encryptionKey() };
  service = await startService({ env: { ...given, ...fixed.env, BOOTSTRAP_ADMIN_EMAIL: fixed.email } });
  const token = await requestToken(service.baseUrl, fixed);
  await database.pool.query('insert into encryption_keys (id, first_used_at) values ($1, now())', [LOST_KEY]);
  env = {
    ...given,
    BASE_URL: service.baseUrl,
    ORG_ID: fixed.orgId,
    CLIENT_ID: fixed.clientId,
    CLIENT_SECRET: fixed.clientSecret,
    KEY_ID: LOST_KEY,
    TOKEN: token.body.access_token,
  };
});
afterAll(async () => {
  await service.remove();
  await database.close();
});

const blocks = codeBlocks(readme);

test('the README has blocks of shell only, and the lists here name none that it lacks', () => {
  expect(blocks.map(({ language }) => language)).toEqual(blocks.map(() => 'sh'));
  const lines = blocks.flatMap(({ text }) => text.trim().split('\n'));
  expect([...shownOnly, ...Object.keys(lasting)].filter((command) => !lines.includes(command))).toEqual([]);
});

test.each(blocks.map(({ section, text }) => [section, text.trim()] as const))(
  '%s: %s',
  async (section, text) => {
    const lines = text.split('\n');
    if (lines.every((line) => shownOnly.includes(line))) {
      for (const line of lines) {
        const shown = await sh(line.replace('make ', 'make -n '));
        expect(shown).toMatchObject({ code: 0, output: expect.stringMatching(/\S/), log: '' });
      }
    } else if (text in lasting) {
      await startAndStop(text, lasting[text as keyof typeof lasting]);
    } else {
      const { code, output, log } = await sh(text);
      expect([code, log, output.trim()]).toEqual([0, '', expect.stringMatching(expectedOf(section))]);
    }
  },
);

function expectedOf(section: string): RegExp {
  if (section === 'First calls') return /"email":"admin@example.com"|"job_id":"[0-9a-f-]{36}"/;
  if (section === 'Command line')
    return /client_secret +\w{128}\n[^]*username +admin@example\.com\npassword +\S+|webhooks +0 of 100\n[^]*webhooks +0 of 500 \(set/;
  if (section === 'Run it in production') return /^[A-Za-z0-9+/]{43}=$/;
  if (section === 'Change the encryption key')
    return /^Webhook secrets: 0 re-encrypted, 0 encrypted under |^Given up: 0123456789abcdef\./;
  return /never/;
}

function sh(text: string) {
  return run('sh', ['-euc', `cd '${root}'\n${text}`], env);
}

async function startAndStop(text: string, says: RegExp): Promise<void> {
  const child = spawn('sh', ['-euc', `cd '${root}'\nexec ${text}`], {
    env: { ...INHERITED_ENV, ...given, ...(text.includes('listen') ? env : {}), PORT: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = once(child, 'exit');
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (more: string) => (output += more));
  await until(
    () => output,
    (printed) => says.test(printed) || child.exitCode !== null,
  );
  child.kill();
  expect(await exited).toEqual([0, null]);
  expect(output).toMatch(says);
}
