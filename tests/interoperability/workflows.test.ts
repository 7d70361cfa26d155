// The workflows of openapi/workflows/ are run by Redocly Respect against a real service: every call succeeds as they say, and every
// answer is as the document says.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { fixedCredentials, run } from '../process/partner.ts';
import { startTrustedReceiver } from '../support/receiver.ts';
import type { TrustedReceiver } from '../support/receiver.ts';
import { startServiceOnSharedServer } from '../support/service.ts';
import type { ServiceProcess } from '../support/service.ts';
import { startSpoilingProxy } from './spoiling-proxy.ts';
import type { SpoiltAnswer } from './spoiling-proxy.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'openapi/workflows');
const REDOCLY = join(ROOT, 'node_modules/@redocly/cli/bin/cli.js');
const SILENT = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' };
const HOUR_MS = 3_600_000;

const fixed = fixedCredentials();
let folder: string;
let receiver: TrustedReceiver;
let service: ServiceProcess;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'partner-workflows-'));
  receiver = await startTrustedReceiver();
  service = await startServiceOnSharedServer({
    env: {
      ...fixed.env,
      SIMULATOR_FAULTS: 'off',
      ...receiver.env,
    },
  });
});
afterAll(async () => {
  await service.remove();
  await receiver.close();
  rmSync(folder, { recursive: true });
});

/** What each workflow asks for, by its file. */
const inputs: Readonly<Record<string, () => Readonly<Record<string, string>>>> = {
  'get-a-token': () => ({}),
  'first-user': () => ({ request_id: randomUUID(), email: 'first.user@example.com' }),
  'prices-and-schedule': () => {
    const [from, secondHour, to] = [24, 25, 26].map(fullHourFromNow);
    return { request_id: randomUUID(), from, second_hour: secondHour, to } as Record<string, string>;
  },
  fleet: () => ({
    request_id: randomUUID(),
    expansion_request_id: randomUUID(),
    from: fullHourFromNow(-3),
    to: fullHourFromNow(-1),
  }),
  webhook: () => ({ request_id: randomUUID(), endpoint: receiver.url('/workflow') }),
  preferences: () => ({ request_id: randomUUID(), boost_ends_at: fullHourFromNow(3) }),
  notifications: () => ({ request_id: randomUUID(), message: 'Devices cannot be steered tonight.' }),
  'safe-changes': () => ({ idempotency_key: randomUUID(), email: 'safe.changes@example.com' }),
};

function fullHourFromNow(hours: number): string {
  return new Date((Math.floor(Date.now() / HOUR_MS) + hours) * HOUR_MS).toISOString();
}

interface Step {
  readonly stepId: string;
  readonly operationId: string;
}

/** The steps of a file, in their order. */
function readSteps(name: string): Step[] {
  const { workflows } = parse(readFileSync(join(FOLDER, `${name}.arazzo.yaml`), 'utf8')) as {
    workflows: { steps: Step[] }[];
  };
  return workflows.flatMap(({ steps }) => steps);
}

/** What Respect says of a workflow: whether it is content, and what it printed. */
async function respect(
  name: string,
  client: Readonly<Record<string, string>>,
  baseUrl = service.baseUrl,
): Promise<{ code: number | null; output: string }> {
  const input = { org_id: fixed.orgId, ...client, ...inputs[name]?.() };
  const { code, output, log } = await run(
    process.execPath,
    [
      REDOCLY,
      'respect',
      join(FOLDER, `${name}.arazzo.yaml`),
      '--server',
      `partner=${baseUrl}`,
      '--input',
      JSON.stringify(input),
    ],
    SILENT,
  );
  return { code, output: `${output}${log}` };
}

/** The failed checks, each with what was expected. */
function complaintsIn(output: string): string[] {
  const [, complaints = ''] = output.split('Failed tests info:');
  return complaints
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

const client = { client_id: fixed.clientId, client_secret: fixed.clientSecret };

test('there is a workflow for each journey', () => {
  const names = readdirSync(FOLDER).map((file) => file.replace('.arazzo.yaml', ''));
  expect(names.sort()).toEqual(Object.keys(inputs).sort());
});

describe('every step succeeds', () => {
  test.each(Object.keys(inputs))('of %s', async (name) => {
    const { code, output } = await respect(name, client);
    expect([code, complaintsIn(output)]).toEqual([0, []]);
    for (const { stepId } of readSteps(name)) expect(output).toContain(`step ${stepId}`);
  });
});

test('the program of the guide runs a workflow as it is served, beside the document', async () => {
  const guide = await (await fetch(`${service.baseUrl}/docs/guide/workflows.md`)).text();
  const [, program = ''] = /^```sh Shell\n([^]*?)\n```$/m.exec(guide) ?? [];
  expect(program).toContain('npx @redocly/cli respect');
  // What npx would install is here already.
  const npx = `npx() { shift; '${process.execPath}' '${REDOCLY}' "$@"; }`;
  const { code, output } = await run('sh', ['-ec', `${npx}\ncd '${folder}'\n${program}`], {
    ...SILENT,
    CLIENT_ID: fixed.clientId,
    CLIENT_SECRET: fixed.clientSecret,
    ORG_ID: fixed.orgId,
  });
  expect([code, output]).toEqual([0, expect.stringContaining('step revokeToken')]);
});

test('what does not succeed is told', async () => {
  const { code, output } = await respect('get-a-token', { ...client, client_secret: 'x'.repeat(32) });
  expect(code).toBe(1);
  expect(output).toMatch(/issueToken/);
});

describe('an answer that breaks the document is told:', () => {
  const withFirst = (user: object) => (answer: SpoiltAnswer) => {
    const [first, ...others] = JSON.parse(answer.body) as object[];
    return { ...answer, body: JSON.stringify([{ ...first, ...user }, ...others]) };
  };

  test.each<[what: string, spoil: (answer: SpoiltAnswer) => SpoiltAnswer, check: RegExp]>([
    ['nothing', (answer) => answer, /^$/],
    ['a missing property', withFirst({ email: undefined }), /schema check/i],
    ['a wrong type', withFirst({ email: 5 }), /schema check/i],
    ['an unknown status', (answer) => ({ ...answer, status: 203 }), /status code check/i],
    ['an unknown media type', (answer) => ({ ...answer, type: 'text/plain' }), /content-type check/i],
  ])('%s', async (_, spoil, check) => {
    const proxy = await startSpoilingProxy(service.baseUrl, ({ path }, answer) =>
      path.endsWith('/users') && answer.status === 200 ? spoil(answer) : answer,
    );
    try {
      const { output } = await respect('get-a-token', client, proxy.baseUrl);
      expect(complaintsIn(output).join('\n')).toMatch(check);
    } finally {
      await proxy.close();
    }
  });
});
