// Third-party libraries from tests/interoperability/packages, a package of its own that `make test` installs. Their own type declarations are
// not there when only types are checked, so that what is used of them is written down here.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const packages = createRequire(join(import.meta.dirname, 'packages/package.json'));

export const STACK_TELLER = 'prepareStackTrace';

/** Prism replaces how every error of the process tells its stack, which would be another one in the test files that come next. */
async function load<Package>(name: string): Promise<Package> {
  const tellStack: unknown = Reflect.get(Error, STACK_TELLER);
  const library = (await import(pathToFileURL(packages.resolve(name)).href)) as Package;
  Reflect.set(Error, STACK_TELLER, tellStack);
  return library;
}

export interface TokenSet {
  readonly access_token: string;
  readonly token_type: string;
  readonly expires_in?: number;
  readonly scope?: string;
  readonly refresh_token?: string;
}

/** What one call of a library returns and another takes. */
interface Opaque {
  readonly opaque?: never;
}

export interface OpenidClient {
  readonly allowInsecureRequests: (config: Opaque) => void;
  readonly ClientSecretBasic: (secret: string) => Opaque;
  readonly ClientSecretPost: (secret: string) => Opaque;
  readonly Configuration: new (
    server: Readonly<Record<string, unknown>>,
    clientId: string,
    metadata: string | undefined,
    authentication: Opaque,
  ) => Opaque;
  discovery(
    server: URL,
    clientId: string,
    metadata: string | undefined,
    authentication: Opaque,
    options: { readonly algorithm: 'oauth2'; readonly execute: readonly unknown[] },
  ): Promise<Opaque>;
  clientCredentialsGrant(config: Opaque, parameters?: Readonly<Record<string, string>>): Promise<TokenSet>;
  genericGrantRequest(
    config: Opaque,
    grantType: string,
    parameters: Readonly<Record<string, string>>,
  ): Promise<TokenSet>;
  tokenRevocation(config: Opaque, token: string): Promise<void>;
}

export interface Oauth4webapi {
  readonly allowInsecureRequests: symbol;
  readonly ClientSecretBasic: (secret: string) => Opaque;
  readonly ClientSecretPost: (secret: string) => Opaque;
  discoveryRequest(issuer: URL, options: Readonly<Record<string | symbol, unknown>>): Promise<Response>;
  processDiscoveryResponse(
    issuer: URL,
    response: Response,
  ): Promise<{ readonly issuer: string; readonly token_endpoint?: string }>;
  clientCredentialsGrantRequest(
    server: { readonly issuer: string; readonly token_endpoint?: string },
    client: { readonly client_id: string },
    authentication: Opaque,
    parameters: Readonly<Record<string, string>>,
    options: Readonly<Record<symbol, unknown>>,
  ): Promise<Response>;
  processClientCredentialsResponse(
    server: { readonly issuer: string },
    client: { readonly client_id: string },
    response: Response,
  ): Promise<TokenSet>;
}

interface SimpleGrant {
  getToken(parameters: Readonly<Record<string, string>>): Promise<{ readonly token: TokenSet }>;
}

interface SimpleSettings {
  readonly client: { readonly id: string; readonly secret: string };
  readonly auth: { readonly tokenHost: string; readonly tokenPath: string };
  readonly options?: {
    readonly authorizationMethod?: 'header' | 'body';
    readonly bodyFormat?: 'form' | 'json';
  };
}

export interface SimpleOauth2 {
  readonly ClientCredentials: new (settings: SimpleSettings) => SimpleGrant;
  readonly ResourceOwnerPassword: new (settings: SimpleSettings) => SimpleGrant;
}

export interface Stripe {
  readonly webhooks: {
    constructEvent(body: Buffer | string, header: string, secret: string, toleranceSeconds?: number): unknown;
  };
}

export interface StandardWebhooks {
  readonly Webhook: new (secret: string) => {
    verify(body: Buffer | string, headers: Readonly<Record<string, string>>): unknown;
  };
}

export interface Svix {
  readonly Webhook: StandardWebhooks['Webhook'];
}

export interface Mux {
  readonly webhooks: {
    verifySignature(body: string, headers: Readonly<Record<string, string>>, secret: string): Promise<void>;
  };
}

export interface Tern {
  readonly WebhookVerificationService: {
    verify(
      request: Request,
      config: {
        readonly platform: 'custom';
        readonly secret: string;
        readonly toleranceInSeconds: number;
        readonly signatureConfig: Readonly<Record<string, string>>;
      },
    ): Promise<{ readonly isValid: boolean; readonly error?: string }>;
  };
}

interface PrismProxy {
  /** Resolves to the address at which it listens. */
  listen(port: number, host: string): Promise<string>;
  close(): Promise<void>;
}

export interface Prism {
  readonly createLogger: (name: string, options: { readonly level: 'silent' }) => Opaque;
  readonly getHttpOperationsFromSpec: (document: object) => Promise<readonly Opaque[]>;
  readonly createServer: (
    operations: readonly Opaque[],
    options: {
      readonly cors: boolean;
      readonly config: {
        readonly isProxy: true;
        readonly upstream: URL;
        readonly upstreamProxy: undefined;
        readonly errors: boolean;
        readonly checkSecurity: boolean;
        readonly validateRequest: boolean;
        readonly validateResponse: boolean;
        readonly mock: { readonly dynamic: boolean };
      };
      readonly components: { readonly logger: Opaque };
    },
  ) => PrismProxy;
}

export const openidClient = (): Promise<OpenidClient> => load('openid-client');
export const oauth4webapi = (): Promise<Oauth4webapi> => load('oauth4webapi');
export const simpleOauth2 = async (): Promise<SimpleOauth2> =>
  (await load<{ default: SimpleOauth2 }>('simple-oauth2')).default;
export const standardWebhooks = async (): Promise<StandardWebhooks> =>
  (await load<{ default: StandardWebhooks }>('standardwebhooks')).default;

export const svix = (): Promise<Svix> => load('svix');
export const tern = (): Promise<Tern> => load('@hookflo/tern');

export async function mux(): Promise<Mux> {
  const { default: Library } = await load<{
    default: new (settings: { tokenId: string; tokenSecret: string }) => Mux;
  }>('@mux/mux-node');
  return new Library({ tokenId: 'unused', tokenSecret: 'unused' });
}

export async function stripe(): Promise<Stripe> {
  const { default: Library } = await load<{ default: new (key: string) => Stripe }>('stripe');
  return new Library('sk_test_unused');
}

export async function prism(): Promise<Prism> {
  const { createLogger } = await load<Pick<Prism, 'createLogger'>>('@stoplight/prism-core');
  const { getHttpOperationsFromSpec } =
    await load<Pick<Prism, 'getHttpOperationsFromSpec'>>('@stoplight/prism-http');
  const { createServer } = await load<Pick<Prism, 'createServer'>>('@stoplight/prism-http-server');
  return { createLogger, getHttpOperationsFromSpec, createServer };
}
