import { z } from 'zod';
import { isEmailAddress, isUuid } from '../domain/api/formats.ts';
import {
  integerField,
  optionalIntegerField,
  textField,
  networksField,
  trustedNetworksField,
  originsField,
  wordField,
  onOrOffField,
  optionalTextField,
  secretField,
} from './fields.ts';
import { quotasField } from './quotas.ts';
import { rateLimitsField } from './rate-limits.ts';

/** From the fewest lines to the most. */
export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const;

/** Proxies ask every second or two whether a process is ready. */
const STOP_DELAY_SECONDS = 3;

const KEY_RULE = 'must be 32 bytes in base64';

/** Every setting, by the name of its variable. */
const variables = z.object({
  HOST: optionalTextField.transform((host) => host ?? '127.0.0.1'),
  /** 0 means any free port. */
  PORT: integerField(8080, 0, 65_535),
  /** Undefined: metrics stand on the main port. 0 means any free port. */
  METRICS_PORT: optionalIntegerField(0, 65_535),
  /** Undefined: `http://localhost:{port}` once the port is known. */
  BASE_URL: textField(
    isBaseUrl,
    'must be an http or https address without path, query or fragment',
  ).transform((url) => url?.replace(/\/$/, '')),
  TRUSTED_PROXIES: trustedNetworksField,
  /** Origins whose scripts may call operations and read their answers. */
  CORS_ALLOWED_ORIGINS: originsField,
  /** Undefined: the embedded database in DATA_DIR. */
  DATABASE_URL: secretField(isPostgresUrl, 'must be a postgres:// or postgresql:// address'),
  /** Connections for requests; the loops have their own. */
  DATABASE_POOL_SIZE: integerField(10, 2, 200),
  DATA_DIR: optionalTextField.transform((folder) => folder ?? '.data'),
  /** 32 bytes in base64. Undefined with the embedded database: generated once into DATA_DIR. */
  ENCRYPTION_KEY: secretField(isKey, `${KEY_RULE} (openssl rand -base64 32)`),
  ENCRYPTION_KEY_PREVIOUS: secretField(isKey, KEY_RULE),
  BOOTSTRAP_ORG_ID: textField(isUuid, 'must be a UUID').transform((id) => id?.toLowerCase()),
  BOOTSTRAP_ADMIN_EMAIL: textField(isEmailAddress, 'must be an email address'),
  BOOTSTRAP_ADMIN_PASSWORD: secretField((text) => text.length >= 8, 'must have 8 characters or more'),
  BOOTSTRAP_CLIENT_ID: textField(isUnreserved, 'must be 1 to 255 of the characters A-Z a-z 0-9 . _ ~ -'),
  BOOTSTRAP_CLIENT_SECRET: secretField(
    (text) => isUnreserved(text) && text.length >= 32,
    'must be 32 to 255 of the characters A-Z a-z 0-9 . _ ~ -',
  ),
  WEBHOOK_ALLOWED_NETWORKS: networksField,
  WEBHOOK_CA_FILE: optionalTextField,
  /** The headers of Standard Webhooks beside `Service-Signature`. */
  WEBHOOK_STANDARD_HEADERS: onOrOffField,
  /** How long messages are kept, with their deliveries and attempts. */
  MESSAGE_RETENTION_DAYS: integerField(30, 1, 3_650),
  /** How long attempts are kept. Undefined: as long as messages. */
  ATTEMPT_RETENTION_DAYS: optionalIntegerField(1, 3_650),
  /** How long notification items are kept after they have ended, and broadcasts after they were sent. */
  ITEM_RETENTION_DAYS: integerField(365, 1, 3_650),
  /** How long deleted users and webhooks are kept. Undefined: as long as items. */
  DELETED_RETENTION_DAYS: optionalIntegerField(1, 3_650),
  /** How long a price that was replaced by a later revision is kept after its quarter began. */
  PRICE_REVISION_RETENTION_DAYS: integerField(1_095, 1, 36_500),
  /** How long access tokens and portal sessions are kept after they have expired. */
  TOKEN_RETENTION_DAYS: integerField(0, 0, 3_650),
  SESSION_RETENTION_DAYS: integerField(0, 0, 3_650),
  /** How long sign-up requests are kept. */
  SIGNUP_RETENTION_DAYS: integerField(90, 1, 3_650),
  /** How long the requests of partners are kept for their developers. */
  REQUEST_RETENTION_DAYS: integerField(7, 1, 365),
  /** How many of an organization are logged in a second for long; 0: none. */
  REQUESTS_LOGGED_PER_SECOND: integerField(5, 0, 1_000),
  LOG_LEVEL: wordField(LOG_LEVELS, 'info'),
  RATE_LIMITS: rateLimitsField,
  QUOTAS: quotasField,
  /** How long a computation on a thread may take: a preview, a density, a schedule, an upload of prices. */
  COMPUTE_SECONDS: integerField(30, 1, 3_600),
  SIMULATOR_FAULTS: onOrOffField,
  /** Between the signal and the end of the port. Undefined: long enough for a proxy to notice, none without DATABASE_URL. */
  STOP_DELAY_SECONDS: optionalIntegerField(0, 300),
});

const checkedVariables = variables.refine(
  ({ DATABASE_URL, ENCRYPTION_KEY }) => DATABASE_URL === undefined || ENCRYPTION_KEY !== undefined,
  {
    path: ['ENCRYPTION_KEY'],
    error: 'must be set when DATABASE_URL is set (openssl rand -base64 32)',
    // Also when other settings are wrong, so that all mistakes are reported together.
    when: ({ issues }) =>
      issues.every(({ path }) => path?.[0] !== 'ENCRYPTION_KEY' && path?.[0] !== 'DATABASE_URL'),
  },
);

const distinctPorts = checkedVariables.refine(
  ({ PORT, METRICS_PORT }) => PORT === 0 || PORT !== METRICS_PORT,
  {
    path: ['METRICS_PORT'],
    error: 'must be another port than PORT',
    when: ({ issues }) => issues.every(({ path }) => path?.[0] !== 'PORT' && path?.[0] !== 'METRICS_PORT'),
  },
);

/** What the variables mean, under the names that the program uses. */
const settings = distinctPorts.transform((variable) => ({
  host: variable.HOST,
  port: variable.PORT,
  metricsPort: variable.METRICS_PORT,
  baseUrl: variable.BASE_URL,
  trustedProxies: variable.TRUSTED_PROXIES,
  allowedOrigins: variable.CORS_ALLOWED_ORIGINS,
  databaseUrl: variable.DATABASE_URL,
  databasePoolSize: variable.DATABASE_POOL_SIZE,
  dataDir: variable.DATA_DIR,
  encryptionKey: variable.ENCRYPTION_KEY,
  encryptionKeyPrevious: variable.ENCRYPTION_KEY_PREVIOUS,
  bootstrap: {
    orgId: variable.BOOTSTRAP_ORG_ID,
    adminEmail: variable.BOOTSTRAP_ADMIN_EMAIL,
    adminPassword: variable.BOOTSTRAP_ADMIN_PASSWORD,
    clientId: variable.BOOTSTRAP_CLIENT_ID,
    clientSecret: variable.BOOTSTRAP_CLIENT_SECRET,
  },
  webhookAllowedNetworks: variable.WEBHOOK_ALLOWED_NETWORKS,
  webhookCaFile: variable.WEBHOOK_CA_FILE,
  webhookStandardHeaders: variable.WEBHOOK_STANDARD_HEADERS,
  retentionDays: {
    messages: variable.MESSAGE_RETENTION_DAYS,
    attempts: variable.ATTEMPT_RETENTION_DAYS ?? variable.MESSAGE_RETENTION_DAYS,
    items: variable.ITEM_RETENTION_DAYS,
    deleted: variable.DELETED_RETENTION_DAYS ?? variable.ITEM_RETENTION_DAYS,
    priceRevisions: variable.PRICE_REVISION_RETENTION_DAYS,
    tokens: variable.TOKEN_RETENTION_DAYS,
    sessions: variable.SESSION_RETENTION_DAYS,
    signups: variable.SIGNUP_RETENTION_DAYS,
    requests: variable.REQUEST_RETENTION_DAYS,
  },
  requestsLoggedPerSecond: variable.REQUESTS_LOGGED_PER_SECOND,
  logLevel: variable.LOG_LEVEL,
  rateLimits: variable.RATE_LIMITS,
  quotas: variable.QUOTAS,
  computeSeconds: variable.COMPUTE_SECONDS,
  simulatorFaults: variable.SIMULATOR_FAULTS,
  stopDelaySeconds:
    variable.STOP_DELAY_SECONDS ?? (variable.DATABASE_URL === undefined ? 0 : STOP_DELAY_SECONDS),
}));

export type Settings = Readonly<z.output<typeof settings>>;

/** All mistakes of the environment at once; the message has one line each. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/**
 * Reads every setting.
 * @throws SettingsError when one or more are wrong.
 */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const result = settings.safeParse(environment);
  if (result.success) return result.data;
  const lines = result.error.issues.map((issue) => describeMistake(issue, environment));
  throw new SettingsError(lines.join('\n'));
}

/** `NAME must … (it is "…").`; the values of secrets are not shown. */
function describeMistake(
  issue: z.core.$ZodIssue,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const name = String(issue.path[0]);
  const item: unknown = issue.code === 'custom' ? issue.params?.['shown'] : undefined;
  const value = typeof item === 'string' ? item : (environment[name]?.trim() ?? '');
  const isHidden = value === '' || /SECRET|PASSWORD|KEY|DATABASE_URL/.test(name);
  return `${name} ${issue.message}${isHidden ? '' : ` (it is "${value}")`}.`;
}

function isKey(text: string): boolean {
  return /^[A-Za-z0-9+/]{43}=$/.test(text);
}

/** The unreserved characters of RFC 3986, 2.3, which need no encoding anywhere. */
function isUnreserved(text: string): boolean {
  return /^[A-Za-z0-9._~-]{1,255}$/.test(text);
}

function isPostgresUrl(text: string): boolean {
  // A unix socket's address has no host before the path: postgresql://user@/database?host=/run/postgresql
  return /^postgres(ql)?:\/\//.test(text) && URL.canParse(text.replace('@/', '@localhost/'));
}

/** Links begin with it as it is written, so that nothing may stand behind the host, not even an empty fragment. */
function isBaseUrl(text: string): boolean {
  return /^https?:\/\/[^\s/?#@\\]+\/?$/i.test(text) && URL.canParse(text);
}
