import { expect, test } from 'vitest';
import { DEFAULT_QUOTAS, UNLIMITED } from '../../src/domain/api/quotas.ts';
import { DEFAULT_RATE_LIMITS } from '../../src/config/rate-limits.ts';
import { readSettings, SettingsError } from '../../src/config/settings.ts';

function mistakesOf(environment: Readonly<Record<string, string>>): string[] {
  try {
    readSettings(environment);
  } catch (error) {
    if (error instanceof SettingsError) return error.message.split('\n').toSorted();
    throw error;
  }
  return [];
}

test.each([
  'https://api.example.com#',
  'https://api.example.com?',
  'https:api.example.com',
  'https://:password@api.example.com',
  'https://api.example.com//',
  'https://api.example.com\\',
  'https://[::1',
])('BASE_URL is refused where links would not begin with it: %s', (BASE_URL) => {
  expect(mistakesOf({ BASE_URL })).toEqual([expect.stringMatching(/^BASE_URL must /)]);
});

test('every mistake is told at once, with its variable, its rule and the value', () => {
  const policies =
    'default, partner, token, token_address, login, login_address, login_account, signup, preview, webhook_test, broadcast';
  expect(
    mistakesOf({
      PORT: '80800',
      BASE_URL: 'https://partner.example/path',
      TRUSTED_PROXIES: '10.0.0.0, ::1/129,1.2.3.4/32',
      CORS_ALLOWED_ORIGINS:
        'https://app.example.com, https://app.example.com/, *, ftp://a.example, https://App.example, https://*.example.com',
      DATABASE_URL: 'postgres://localhost/partner',
      ENCRYPTION_KEY: '  ',
      LOG_LEVEL: 'loud',
      RATE_LIMITS: 'other=1/2,token=0/1',
    }),
  ).toEqual([
    'BASE_URL must be an http or https address without path, query or fragment (it is "https://partner.example/path").',
    ...[
      '*',
      'ftp://a.example',
      'https://*.example.com',
      'https://App.example',
      'https://app.example.com/',
    ].map(
      (origin) =>
        `CORS_ALLOWED_ORIGINS must be a comma list of origins such as https://app.example.com, without a path or a slash behind (it is "${origin}").`,
    ),
    'ENCRYPTION_KEY must be set when DATABASE_URL is set (openssl rand -base64 32).',
    'LOG_LEVEL must be one of error, warn, info, debug (it is "loud").',
    'PORT must be a whole number from 0 to 65535 (it is "80800").',
    `RATE_LIMITS must be off, or policy=quota/seconds with the policies ${policies} (it is "other=1/2").`,
    'RATE_LIMITS must give token quota/seconds, whole numbers from 1 on of 9 and 6 digits at most (it is "token=0/1").',
    'TRUSTED_PROXIES must be a comma list of CIDR blocks such as 10.0.0.0/8 (it is "10.0.0.0").',
    'TRUSTED_PROXIES must be a comma list of CIDR blocks such as 10.0.0.0/8 (it is "::1/129").',
  ]);
});

test('no value of a secret is shown', () => {
  expect(
    mistakesOf({
      DATABASE_URL: 'mysql://user:hidden@localhost',
      ENCRYPTION_KEY: 'hidden',
      BOOTSTRAP_ADMIN_PASSWORD: 'hidden',
      BOOTSTRAP_CLIENT_SECRET: 'hidden',
    }).filter((mistake) => mistake.includes('hidden')),
  ).toEqual([]);
});

test('blanks are cut, an empty variable is unset, and lists are split', () => {
  const settings = readSettings({
    HOST: ' ',
    PORT: ' 80 ',
    TRUSTED_PROXIES: '10.0.0.0/8, ::1/128',
    RATE_LIMITS: 'token=5/10',
    BOOTSTRAP_ORG_ID: 'ABCDEF00-0000-4000-8000-000000000000',
  });
  expect(settings).toMatchObject({
    host: '127.0.0.1',
    port: 80,
    trustedProxies: ['10.0.0.0/8', '::1/128'],
    rateLimits: { ...DEFAULT_RATE_LIMITS, token: { quota: 5, windowSeconds: 10 } },
    bootstrap: { orgId: 'abcdef00-0000-4000-8000-000000000000' },
  });
  expect(readSettings({ RATE_LIMITS: ' off ' }).rateLimits).toBeUndefined();
});

test.each(['0.0.0.0/0', '::/0', '10.0.0.0/0', '10.0.0.0/00'])(
  'nobody trusts all addresses as proxies, as %s would, while deliveries may reach any',
  (block) => {
    expect(mistakesOf({ TRUSTED_PROXIES: `10.0.0.0/8,${block}` })).toEqual([
      `TRUSTED_PROXIES must not trust every address: name the networks of your proxies, with a prefix from /1 on (it is "${block}").`,
    ]);
    expect(readSettings({ WEBHOOK_ALLOWED_NETWORKS: block }).webhookAllowedNetworks).toEqual([block]);
  },
);

test('metrics cannot share the port, unless any free one is meant', () => {
  expect(mistakesOf({ METRICS_PORT: '8080', LOG_LEVEL: 'loud' })).toEqual([
    expect.stringMatching(/^LOG_LEVEL /),
    'METRICS_PORT must be another port than PORT (it is "8080").',
  ]);
  expect(mistakesOf({ PORT: '0', METRICS_PORT: '0' })).toEqual([]);
});

test('of two limits for one policy none is taken silently', () => {
  expect(mistakesOf({ RATE_LIMITS: 'login=1/60,login=2/60' })).toEqual([
    'RATE_LIMITS must name login once (it is "login=2/60").',
  ]);
  expect(mistakesOf({ RATE_LIMITS: 'login=1/0,token=1/60/1' })).toEqual([
    expect.stringContaining('must give login quota/seconds'),
    expect.stringContaining('must give token quota/seconds'),
  ]);
});

test('limits are off by the whole word alone', () => {
  expect(mistakesOf({ RATE_LIMITS: 'off,' })).toEqual([expect.stringContaining('(it is "off")')]);
});

test('a missing key is no second mistake of a wrong address', () => {
  expect(mistakesOf({ DATABASE_URL: 'mysql://localhost' })).toEqual([
    expect.stringMatching(/^DATABASE_URL must /),
  ]);
});

test('QUOTAS takes the place of defaults by name, and off of all', () => {
  expect(readSettings({}).quotas).toEqual(DEFAULT_QUOTAS);
  expect(readSettings({ QUOTAS: ' fleets=7, users=0 ' }).quotas).toEqual({
    ...DEFAULT_QUOTAS,
    fleets: 7,
    users: 0,
  });
  expect(new Set(Object.values(readSettings({ QUOTAS: 'off' }).quotas))).toEqual(new Set([UNLIMITED]));
  expect(mistakesOf({ QUOTAS: 'cars=1,fleets=-1,users=1234567890123,webhooks,users=1,users=2' })).toEqual([
    expect.stringMatching(
      /^QUOTAS must be off, or name=number with the names fleets, .* \(it is "cars=1"\)\.$/,
    ),
    expect.stringMatching(/^QUOTAS must be off, or name=number .* \(it is "webhooks"\)\.$/),
    'QUOTAS must give fleets a whole number of 12 digits at most (it is "fleets=-1").',
    'QUOTAS must give users a whole number of 12 digits at most (it is "users=1234567890123").',
    'QUOTAS must name users once (it is "users=2").',
  ]);
});

test('the headers of Standard Webhooks are sent unless they are switched off', () => {
  const isSent = (environment: Readonly<Record<string, string>>): boolean =>
    readSettings(environment).webhookStandardHeaders;
  expect([
    isSent({}),
    isSent({ WEBHOOK_STANDARD_HEADERS: 'on' }),
    isSent({ WEBHOOK_STANDARD_HEADERS: 'off' }),
  ]).toEqual([true, true, false]);
});

test('a process serves on for three seconds after it was told to stop where a proxy may lead elsewhere', () => {
  const delayOf = (environment: Readonly<Record<string, string>>): number =>
    readSettings(environment).stopDelaySeconds;
  const shared = {
    DATABASE_URL: 'postgresql://localhost/a',
    ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
  };
  expect([delayOf({}), delayOf(shared), delayOf({ ...shared, STOP_DELAY_SECONDS: '0' })]).toEqual([0, 3, 0]);
});
