import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { linkPackages } from '../../bench/link-packages.ts';
import { ROOT } from '../../bench/version.ts';
import { partner, run } from './partner.ts';

test('help names every command', async () => {
  const { code, output } = await partner(['--help']);
  expect(code).toBe(0);
  for (const command of ['serve', 'migrate', 'org', 'user', 'application', 'signup', 'keys', 'listen'])
    expect(output).toContain(`  ${command} `);
  const serve = await partner(['serve', '--help']);
  expect([serve.code, serve.output]).toEqual([0, expect.stringContaining('"all", "api", "worker"')]);
});

const PARTNER_ID = 'dddddddd-0000-4000-8000-000000000000';

test.each([
  ['an unknown command', ['frobnicate'], /unknown command 'frobnicate'/],
  ['no command', [], /Usage: partner/],
  ['an unknown option', ['serve', '--fast'], /unknown option '--fast'/],
  ['an unknown role', ['serve', '--role', 'everything'], /Allowed choices are all, api, worker/],
  ['a missing option', ['org', 'create', '--name', 'A'], /--admin-email/],
  [
    'an empty name',
    ['org', 'create', '--name', ' ', '--admin-email', 'a@example.com'],
    /1 to 255 characters/,
  ],
  [
    'a name of two lines',
    ['org', 'create', '--name', 'A\nB', '--admin-email', 'a@example.com'],
    /none of them a line break/,
  ],
  ['a wrong email', ['org', 'create', '--name', 'A', '--admin-email', 'nobody'], /Give an email address/],
  ['a limit of no page', ['signup', 'list', '--limit', '0'], /Give 1 to 1000/],
  ['a cursor of no page', ['signup', 'list', '--after', 'x'], /Give the cursor/],
  [
    'a wrong quota',
    ['org', 'quota', PARTNER_ID, 'fleets=many'],
    /Give fleets a whole number of 12 digits at most, or "default"/,
  ],
  [
    'a quota of too many digits',
    ['org', 'quota', PARTNER_ID, 'users=1000000000000'],
    /Give users a whole number of 12 digits at most/,
  ],
  ['a quota that is given twice', ['org', 'quota', PARTNER_ID, 'users=3', 'users=4'], /Give users once/],
  ['a quota without a value', ['org', 'quota', PARTNER_ID, 'users'], /NAME=NUMBER or NAME=default/],
  ['a quota nobody knows', ['org', 'quota', PARTNER_ID, 'cars=1'], /fleets, households/],
  ['a wrong id', ['user', 'password', '--org', '7', 'a@example.com'], /Give a UUID/],
])('%s ends with 2 and the usage', async (_, args, message) => {
  const { code, output, log } = await partner(args);
  expect([code, output]).toEqual([2, '']);
  expect(log).toMatch(message);
  expect(log).toContain('Usage: partner');
  expect(log).not.toMatch(/default: [[{]/);
});

test('wrong settings are reported all at once, without the secrets among them', async () => {
  const wrong = {
    PORT: '80800',
    BASE_URL: 'ftp://example.com/api',
    TRUSTED_PROXIES: '10.0.0.0/8, nonsense',
    DATABASE_URL: 'mysql://root:hunter22@db/partner',
    ENCRYPTION_KEY: 'short-key-value',
    ENCRYPTION_KEY_PREVIOUS: 'older-key-value',
    BOOTSTRAP_ORG_ID: 'seven',
    BOOTSTRAP_ADMIN_EMAIL: 'nobody',
    BOOTSTRAP_ADMIN_PASSWORD: 'pass123',
    BOOTSTRAP_CLIENT_ID: 'with space',
    BOOTSTRAP_CLIENT_SECRET: 'too-short-secret',
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/33',
    LOG_LEVEL: 'loud',
    RATE_LIMITS: 'default=0/60,unheard=1/1',
    QUOTAS: 'fleets=-1,unheard=1',
    SIMULATOR_FAULTS: 'maybe',
  };
  const { code, output, log } = await partner(['serve'], wrong);
  expect([code, output]).toEqual([2, '']);
  const [first, ...mistakes] = log.trimEnd().split('\n');
  expect(first).toBe('These settings are wrong:');
  expect(new Set(mistakes.map((line) => line.split(' ')[0]))).toEqual(new Set(Object.keys(wrong)));
  expect(mistakes.filter((line) => line.startsWith('RATE_LIMITS'))).toHaveLength(2);
  expect(mistakes.filter((line) => line.startsWith('QUOTAS'))).toHaveLength(2);
  expect(log).toContain('PORT must be a whole number from 0 to 65535 (it is "80800").');
  for (const hidden of ['hunter22', 'short-key-value', 'older-key-value', 'pass123', 'too-short-secret']) {
    expect(log).not.toContain(hidden);
  }
});

test('a given database needs a given encryption key', async () => {
  const { code, log } = await partner(['serve'], { DATABASE_URL: 'postgres://db.example.com/partner' });
  expect([code, log]).toEqual([
    2,
    'These settings are wrong:\nENCRYPTION_KEY must be set when DATABASE_URL is set (openssl rand -base64 32).\n',
  ]);
});

const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';

test.each([
  ['is not there', '/nonexistent/authority.pem', undefined, /cannot be read\. \(ENOENT/],
  ['never ends', '/dev/zero', undefined, /cannot be read\. \(It is no regular file/],
  ['holds none', 'authority.pem', 'not PEM\n', /holds no certificate in PEM/],
  [
    'holds a damaged one',
    'authority.pem',
    broken,
    /^partner: Certificate 1 of WEBHOOK_CA_FILE .* is damaged/,
  ],
])('a certificate file that %s is named', async (_, name, text, reason) => {
  const folder = mkdtempSync(join(tmpdir(), 'partner-authority-'));
  const WEBHOOK_CA_FILE = join(name.startsWith('/') ? '/' : folder, name);
  if (text !== undefined) writeFileSync(WEBHOOK_CA_FILE, text);
  const { code, log } = await partner(['serve'], { WEBHOOK_CA_FILE, PORT: '0', DATA_DIR: folder });
  rmSync(folder, { recursive: true });
  expect([code, log]).toEqual([1, expect.stringMatching(reason)]);
  expect(log).toContain(WEBHOOK_CA_FILE);
});

test('a host that is no address of this machine is named', async () => {
  const { code, log } = await partner(['serve'], { HOST: '192.0.2.1', PORT: '0' });
  expect([code, log]).toEqual([
    1,
    expect.stringMatching(/^partner: HOST 192\.0\.2\.1 is no address of this machine \(EADDRNOTAVAIL\)/),
  ]);
});

test('what was compiled is kept for the next start', async () => {
  // A tree of its own, since this one's is in use.
  const tree = mkdtempSync(join(tmpdir(), 'partner-compiled-'));
  try {
    for (const name of ['src', 'generated', 'package.json'])
      cpSync(join(ROOT, name), join(tree, name), { recursive: true });
    linkPackages(tree);
    const main = [join(tree, 'src/main.ts'), '--help'];
    // The tests have a cache of their own, which would be used in its place.
    expect((await run(process.execPath, main, { NODE_COMPILE_CACHE: '' })).code).toBe(0);
    expect(readdirSync(join(tree, 'node_modules/.cache/partner'))).not.toEqual([]);
  } finally {
    rmSync(tree, { recursive: true });
  }
});
