import { BlockList, isIP } from 'node:net';
import { formats } from '../domain/api/formats.ts';
import { Secret } from '../domain/security/secret.ts';
import { SettingsReader } from './read.ts';
import { parseRateLimits } from './rate-limits.ts';
import type { RateLimits } from './rate-limits.ts';

export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const;

export interface BootstrapSettings {
  readonly orgId: string | undefined;
  readonly adminEmail: string | undefined;
  readonly adminPassword: Secret | undefined;
  readonly clientId: string | undefined;
  readonly clientSecret: Secret | undefined;
}

export interface Settings {
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  /** Undefined: `http://localhost:{port}` once the port is known. */
  readonly baseUrl: string | undefined;
  readonly trustedProxies: readonly string[];
  /** Undefined: the embedded database in dataDir. */
  readonly databaseUrl: Secret | undefined;
  readonly dataDir: string;
  /** 32 bytes in base64. Undefined with the embedded database: generated once into dataDir. */
  readonly encryptionKey: Secret | undefined;
  readonly encryptionKeyPrevious: Secret | undefined;
  readonly bootstrap: BootstrapSettings;
  readonly webhookAllowedNetworks: readonly string[];
  readonly webhookCaFile: string | undefined;
  /** The headers of Standard Webhooks beside `Service-Signature`. */
  readonly webhookStandardHeaders: boolean;
  /** How long messages are kept, with their deliveries and attempts. */
  readonly messageDays: number;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  readonly rateLimits: RateLimits;
  readonly simulatorFaults: boolean;
}

/** All mistakes of the environment at once; the message has one line each. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/**
 * Reads every setting.
 * @throws SettingsError when one or more are wrong.
 */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const read = new SettingsReader(environment);
  const databaseUrl = secret(
    read.matching('DATABASE_URL', isPostgresUrl, 'be a postgres:// or postgresql:// address'),
  );
  const encryptionKey = secret(
    read.matching('ENCRYPTION_KEY', isKey, 'be 32 bytes in base64 (openssl rand -base64 32)'),
  );
  if (databaseUrl !== undefined && encryptionKey === undefined && read.text('ENCRYPTION_KEY') === undefined) {
    read.mistake(
      'ENCRYPTION_KEY',
      undefined,
      'must be set when DATABASE_URL is set (openssl rand -base64 32)',
      undefined,
    );
  }
  const settings: Settings = {
    host: read.text('HOST') ?? '127.0.0.1',
    port: read.integer('PORT', 8080, 0, 65_535),
    baseUrl: read
      .matching('BASE_URL', isBaseUrl, 'be an http or https address without path, query or fragment')
      ?.replace(/\/$/, ''),
    trustedProxies: networks(read, 'TRUSTED_PROXIES'),
    databaseUrl,
    dataDir: read.text('DATA_DIR') ?? '.data',
    encryptionKey,
    encryptionKeyPrevious: secret(read.matching('ENCRYPTION_KEY_PREVIOUS', isKey, 'be 32 bytes in base64')),
    bootstrap: {
      orgId: read
        .matching('BOOTSTRAP_ORG_ID', (text) => formats['uuid']?.(text) === true, 'be a UUID')
        ?.toLowerCase(),
      adminEmail: read.matching(
        'BOOTSTRAP_ADMIN_EMAIL',
        (text) => formats['email']?.(text) === true,
        'be an email address',
      ),
      adminPassword: secret(
        read.matching('BOOTSTRAP_ADMIN_PASSWORD', (text) => text.length >= 8, 'have 8 characters or more'),
      ),
      clientId: read.matching(
        'BOOTSTRAP_CLIENT_ID',
        isToken,
        'be 1 to 255 of the characters A-Z a-z 0-9 . _ ~ -',
      ),
      clientSecret: secret(
        read.matching(
          'BOOTSTRAP_CLIENT_SECRET',
          (text) => isToken(text) && text.length >= 32,
          'be 32 to 255 of the characters A-Z a-z 0-9 . _ ~ -',
        ),
      ),
    },
    webhookAllowedNetworks: networks(read, 'WEBHOOK_ALLOWED_NETWORKS'),
    webhookCaFile: read.text('WEBHOOK_CA_FILE'),
    webhookStandardHeaders: read.oneOf('WEBHOOK_STANDARD_HEADERS', ['on', 'off'], 'on') === 'on',
    messageDays: read.integer('MESSAGE_RETENTION_DAYS', 30, 1, 3_650),
    logLevel: read.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
    rateLimits: parseRateLimits(read),
    simulatorFaults: read.oneOf('SIMULATOR_FAULTS', ['on', 'off'], 'on') === 'on',
  };
  if (read.mistakes.length > 0) throw new SettingsError(read.mistakes.join('\n'));
  return settings;
}

function secret(text: string | undefined): Secret | undefined {
  return text === undefined ? undefined : new Secret(text);
}

function isKey(text: string): boolean {
  return /^[A-Za-z0-9+/]{43}=$/.test(text);
}

function isToken(text: string): boolean {
  return /^[A-Za-z0-9._~-]{1,255}$/.test(text);
}

function isPostgresUrl(text: string): boolean {
  // A unix socket's address has no host before the path: postgresql://user@/database?host=/run/postgresql
  return /^postgres(ql)?:\/\//.test(text) && URL.canParse(text.replace('@/', '@localhost/'));
}

function isBaseUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return (
    /^https?:$/.test(url.protocol) &&
    url.pathname === '/' &&
    url.search === '' &&
    url.hash === '' &&
    url.username === ''
  );
}

function networks(read: SettingsReader, name: string): readonly string[] {
  const blocks = read.list(name);
  for (const block of blocks) {
    if (!isNetwork(block))
      read.mistake(name, block, 'must be a comma list of CIDR blocks such as 10.0.0.0/8', undefined);
  }
  return blocks;
}

function isNetwork(block: string): boolean {
  const [address = '', prefix = '', ...rest] = block.split('/');
  const family = isIP(address);
  if (family === 0 || !/^\d{1,3}$/.test(prefix) || rest.length > 0) return false;
  if (Number(prefix) > (family === 4 ? 32 : 128)) return false;
  new BlockList().addSubnet(address, Number(prefix), family === 4 ? 'ipv4' : 'ipv6');
  return true;
}
