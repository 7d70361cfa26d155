import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGES, versionOf } from './generators.ts';
import type { Generator } from './generators.ts';
import { findSchemaTypes } from './schema-types.ts';
import type { SchemaTypes } from './schema-types.ts';

/** What the journey needs of the service. */
export interface Partner {
  readonly baseUrl: string;
  readonly orgId: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly endpoint: string;
}

/** How far a generator's client came. */
export interface Trial {
  readonly generator: Generator;
  readonly version: string;
  /** Undefined where nothing was generated. */
  readonly types: SchemaTypes | undefined;
  /** The stage that failed with what was printed; undefined when the journey has passed. */
  readonly failure: { readonly stage: Stage; readonly output: string } | undefined;
}

export const STAGES = ['generates', 'compiles', 'journey'] as const;
export type Stage = (typeof STAGES)[number];

const { components } = JSON.parse(
  readFileSync(join(PACKAGES, '../../../generated/openapi.json'), 'utf8'),
) as { components: { schemas: object } };
export const SCHEMAS: ReadonlySet<string> = new Set(Object.keys(components.schemas));

/** Generates, compiles, and takes the journey; stops at the first that fails. */
export async function tryGenerator(generator: Generator, partner: Partner): Promise<Trial> {
  const { name, command, types: file } = generator;
  const built = join(PACKAGES, 'built', name);
  rmSync(built, { recursive: true, force: true });
  mkdirSync(built, { recursive: true });
  const stages: Readonly<Record<Stage, () => Promise<string | undefined>>> = {
    generates: () => run(command),
    compiles: () => compile(generator, built),
    journey: () => takeJourney(name, built, partner),
  };
  const version = versionOf(generator);
  let types: SchemaTypes | undefined;
  for (const stage of STAGES) {
    const output = await stages[stage]();
    if (output !== undefined) return { generator, version, types, failure: { stage, output } };
    types ??= findSchemaTypes(join(built, file), SCHEMAS);
  }
  return { generator, version, types, failure: undefined };
}

/**
 * Compiles all that was generated, and the adapter that calls it. What the generator's own code does not pass is loosened, each
 * option only where it is needed, and the adapter passes in any case.
 */
async function compile({ name, loosened }: Generator, built: string): Promise<string | undefined> {
  const project = join(built, 'tsconfig.json');
  const include = ['./**/*.ts', `../../adapters/${name}.ts`, '../../adapters/journey.ts'];
  const tryWith = (compilerOptions: object): Promise<string | undefined> => {
    writeFileSync(project, JSON.stringify({ extends: '../../strictest.json', compilerOptions, include }));
    return run(['tsc', '--project', project]);
  };
  const faults = await tryWith({});
  if (/^adapters\//m.test(faults ?? '')) return faults;
  for (const option of Object.keys(loosened)) {
    const others = Object.fromEntries(Object.entries(loosened).filter(([each]) => each !== option));
    if ((await tryWith(others)) === undefined) return `${option} is loosened and need not be.`;
  }
  return tryWith(loosened);
}

async function takeJourney(name: string, built: string, partner: Partner): Promise<string | undefined> {
  const entry = join(built, 'entry.ts');
  const program = join(built, 'entry.mjs');
  writeFileSync(
    entry,
    [
      `import { createPartnerClient } from '../../adapters/${name}.ts';`,
      "import { runJourney } from '../../adapters/journey.ts';",
      'await runJourney(createPartnerClient);',
    ].join('\n'),
  );
  return (
    (await run([
      'esbuild',
      entry,
      '--bundle',
      '--platform=node',
      '--format=esm',
      '--packages=external',
      `--outfile=${program}`,
    ])) ?? (await run([process.execPath, program], { JOURNEY: JSON.stringify(partner) }))
  );
}

/** Runs a program of the packages; what it printed when it fails. */
async function run(
  [program, ...args]: readonly [string, ...string[]],
  env: Readonly<Record<string, string>> = {},
): Promise<string | undefined> {
  const path = `${join(PACKAGES, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}`;
  const child = spawn(program, args, {
    cwd: PACKAGES,
    env: { ...process.env, PATH: path, REDOCLY_TELEMETRY: 'off', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return code === 0 ? undefined : output;
}
