import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A generator of clients, as its pages say that it is run. */
export interface Generator {
  readonly name: string;
  /** Whose version is told. */
  readonly package: string;
  /** What is run in the folder of the packages: a program of theirs with its arguments. */
  readonly command: readonly [program: string, ...args: string[]];
  /** Where the types of the schemas are, in what it has written. */
  readonly types: string;
  /** Options of the compiler that the generator's own code does not pass, with their loosest values. */
  readonly loosened: Readonly<Record<string, boolean>>;
}

export const PACKAGES = join(import.meta.dirname, 'packages');
const DOCUMENT = '../../../generated/openapi.json';
const OPTIONAL_AS_UNDEFINED = { exactOptionalPropertyTypes: false };

export const GENERATORS: readonly Generator[] = [
  {
    name: 'hey-api',
    package: '@hey-api/openapi-ts',
    command: ['openapi-ts', '--input', DOCUMENT, '--output', 'built/hey-api'],
    types: 'types.gen.ts',
    loosened: OPTIONAL_AS_UNDEFINED,
  },
  {
    name: 'orval',
    package: 'orval',
    command: ['orval', '--config', 'configs/orval.config.mjs'],
    types: 'client.ts',
    loosened: {},
  },
  {
    name: 'oazapfts',
    package: 'oazapfts',
    command: ['oazapfts', DOCUMENT, 'built/oazapfts/client.ts'],
    types: 'client.ts',
    loosened: OPTIONAL_AS_UNDEFINED,
  },
  {
    name: 'kubb',
    package: '@kubb/core',
    command: ['kubb', 'generate', '--config', 'configs/kubb.config.mjs'],
    types: 'types',
    loosened: { ...OPTIONAL_AS_UNDEFINED, skipLibCheck: true },
  },
  {
    name: 'swagger-typescript-api',
    package: 'swagger-typescript-api',
    command: [
      'swagger-typescript-api',
      'generate',
      '-p',
      DOCUMENT,
      '-o',
      'built/swagger-typescript-api',
      '-n',
      'client.ts',
    ],
    types: 'client.ts',
    loosened: {},
  },
  {
    name: 'openapi-fetch',
    package: 'openapi-fetch',
    command: [
      'openapi-typescript',
      DOCUMENT,
      '--default-non-nullable',
      'false',
      '--output',
      'built/openapi-fetch/schema.ts',
    ],
    types: 'schema.ts',
    loosened: {},
  },
  {
    name: 'typed-openapi',
    package: 'typed-openapi',
    command: ['typed-openapi', DOCUMENT, '--output', 'built/typed-openapi/client.ts'],
    types: 'client.ts',
    loosened: {},
  },
  {
    name: 'redocly',
    package: '@redocly/cli',
    command: [
      '../../../node_modules/.bin/redocly',
      'generate-client',
      DOCUMENT,
      '--output',
      'built/redocly/client.ts',
    ],
    types: 'client.ts',
    loosened: { noPropertyAccessFromIndexSignature: false },
  },
];

/** The version of the generator that is installed. */
export function versionOf({ package: name }: Generator): string {
  const root = name === '@redocly/cli' ? join(PACKAGES, '../../..') : PACKAGES;
  const text = readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
