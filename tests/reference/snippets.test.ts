// The code that the reference shows is run as it stands, against a service: that of each operation, and of the guide.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROUTES } from '../../generated/routes.ts';
import { generateSigningSecret, serviceSignatureHeader } from '../../src/domain/notifications/signature.ts';
import { fleetApi } from '../fleets/fleet-api.ts';
import { startSnippetRunners } from './snippet-runners.ts';
import type { Environment, SnippetRunners } from './snippet-runners.ts';
import { createSnippetWorld } from './snippet-world.ts';
import type { SnippetWorld } from './snippet-world.ts';

const fleets = fleetApi({ now: new Date('2026-11-21T10:05:00Z') });
const LANGUAGES = ['curl', 'TypeScript', 'Python'] as const;

let runners: SnippetRunners;
let world: SnippetWorld;
/** What the service was asked, and the status that it answered. */
let calls: string[] = [];
beforeAll(async () => {
  runners = startSnippetRunners();
  world = await createSnippetWorld(fleets);
  fleets.api.server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const { pathname } = new URL(request.url ?? '', fleets.api.baseUrl);
    response.once('finish', () => calls.push(`${request.method ?? ''} ${pathname} ${response.statusCode}`));
  });
});
afterAll(() => runners.close());

/** The code of a page by language, taken from its Markdown as a reader does. */
async function readSnippets(page: string): Promise<ReadonlyMap<string, string>> {
  const { status, text } = await fleets.api.fetch('get', `${page}.md`);
  expect([page, status]).toEqual([page, 200]);
  const fences = text.matchAll(/^```\w+ (curl|TypeScript|Python|Shell)\n([^]*?)\n```$/gm);
  return new Map([...fences].map(([, language = '', code = '']) => [language, code]));
}

const endless = ROUTES.filter(({ answers }) => answers.includes('text/event-stream'));

/** In curl the text of an address stands as it is: whoever sets the variables encodes them. */
function encodeForCurl(env: Environment): Environment {
  const { EXTERNAL_USER_ID: external } = env;
  return external === undefined ? env : { ...env, EXTERNAL_USER_ID: encodeURIComponent(external) };
}

/** Runs the code of an operation; undefined when its call was the only one and succeeded. */
async function findFailure(
  { operationId, method, path }: (typeof ROUTES)[number],
  language: (typeof LANGUAGES)[number],
): Promise<string | undefined> {
  const code = (await readSnippets(`/docs/operations/${operationId}`)).get(language) ?? '';
  const env = await world.environmentOf(operationId);
  calls = [];
  const run = runners[language](code, language === 'curl' ? encodeForCurl(env) : env);
  const output = await run.catch((error: unknown) => String(error));
  const address = path.replaceAll(/\{(\w+)\}/g, (_match, name: string) =>
    encodeURIComponent(env[name.toUpperCase()] ?? ''),
  );
  const [call = '', ...others] = calls;
  const isExpected =
    others.length === 0 &&
    /^20[014]$/.test(call.slice(-3)) &&
    call.slice(0, -4) === `${method.toUpperCase()} ${address}` &&
    (isJson(output) || ['', call.slice(-3)].includes(output.trim()));
  return isExpected ? undefined : `${operationId}: ${calls.join(', ')}: ${output}`;
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}

describe('the call of each operation succeeds', () => {
  test.each(LANGUAGES)('in %s', async (language) => {
    const failures: (string | undefined)[] = [];
    for (const route of ROUTES.filter((each) => !endless.includes(each)))
      failures.push(await findFailure(route, language));
    expect(failures).toHaveLength(ROUTES.length - endless.length);
    expect(failures.filter((failure) => failure !== undefined)).toEqual([]);
  });

  test('of an answer without end in each language, in a process that is ended', async () => {
    const programs = {
      curl: ['bash', '-c'],
      TypeScript: [process.execPath, '--input-type=module-typescript', '-e'],
      Python: ['python3', '-u', '-c'],
    };
    for (const { operationId } of endless) {
      const snippets = await readSnippets(`/docs/operations/${operationId}`);
      const env = { PATH: process.env['PATH'], ...(await world.environmentOf(operationId)) };
      const texts = LANGUAGES.map(async (language) => {
        const [command = '', ...args] = programs[language];
        const child = spawn(command, [...args, snippets.get(language) ?? ''], {
          env,
          stdio: ['ignore', 'pipe', 'pipe'],
        });
        const [text] = (await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data')])) as [
          Buffer,
        ];
        child.kill('SIGKILL');
        await once(child, 'close');
        return [language, text.toString().split('\n')[0]];
      });
      expect(await Promise.all(texts)).toEqual(LANGUAGES.map((language) => [language, 'retry: 1000']));
    }
    expect(endless).toHaveLength(1);
  });
});

describe('the programs of the guide', () => {
  test.each([
    ['authentication', /"role": ?"admin"/],
    ['errors', /not_found/],
    ['paging', /"role": ?"admin"[^]*"role": ?"user"/],
    ['rate-limits', /"wallbox"/],
    ['idempotency', /"email": ?"import-/],
  ])('%s: each prints what it should', async (topic, expected) => {
    const snippets = await readSnippets(`/docs/guide/${topic}`);
    const env = await world.environmentOf('listUsers');
    calls = [];
    for (const language of LANGUAGES) {
      const output = await runners[language](snippets.get(language) ?? '', env);
      expect([language, output]).toEqual([language, expect.stringMatching(expected)]);
    }
    expect(calls.length).toBeGreaterThanOrEqual(3);
  });
});

describe('a signature is verified', () => {
  const at = new Date('2026-11-21T10:05:00Z');
  const [secret, other] = [generateSigningSecret(), generateSigningSecret()];
  const body = Buffer.from('{"message":"Grüße, 100 % \\n"}\n');
  const header = serviceSignatureHeader(secret, body, at);
  const now = at.getTime() / 1000;
  const cases: readonly (readonly [what: string, isValid: boolean, ...given: Given])[] = [
    ['as it was sent', true, secret.reveal(), header, body, now],
    ['300 s late', true, secret.reveal(), header, body, now + 300],
    ['301 s late', false, secret.reveal(), header, body, now + 301],
    ['301 s early', false, secret.reveal(), header, body, now - 301],
    ['with another secret', false, other.reveal(), header, body, now],
    ['with another body', false, secret.reveal(), header, Buffer.concat([body, Buffer.from(' ')]), now],
    ['with another time', false, secret.reveal(), header.replace(/t=\d+/, `t=${now + 1}`), body, now],
    ['without a signature', false, secret.reveal(), header.replace(/,v1=.*/, ''), body, now],
    ['in another form', false, secret.reveal(), `${header},v1=`, body, now],
    ['of a longer form', false, secret.reveal(), `${header}0`, body, now],
  ];
  type Given = readonly [secret: string, header: string, body: Buffer, now: number];

  test.each(['TypeScript', 'Python', 'Shell'])('in %s', async (language) => {
    const code = (await readSnippets('/docs/guide/signatures')).get(language) ?? '';
    const folder = mkdtempSync(join(tmpdir(), 'partner-signatures-'));
    const file = join(folder, 'body');
    const verify: Record<string, (given: Given) => Promise<boolean>> = {
      TypeScript: async (given) => {
        const { isFromService } = await runners.importModule(code);
        return (isFromService as (...all: Given) => boolean)(...given);
      },
      Python: async ([key, head, bytes, seconds]) => {
        const ask = 'print(is_from_service(key, head, bytes.fromhex(hex), seconds))';
        const values = { key, head, hex: bytes.toString('hex'), seconds };
        return (await runners.runPython(`${code}\n${ask}`, {}, values)).trim() === 'True';
      },
      Shell: async ([key, head, bytes, seconds]) => {
        writeFileSync(file, bytes);
        const ask = 'is_from_service "$KEY" "$HEAD" "$FILE" "$NOW" && echo yes || echo no';
        const env = { KEY: key, HEAD: head, FILE: file, NOW: String(seconds) };
        return (await runners.runShell(`${code}\n${ask}`, env)).trim() === 'yes';
      },
    };
    const found: unknown[] = [];
    for (const [what, , ...given] of cases) found.push([what, await verify[language]?.(given)]);
    rmSync(folder, { recursive: true });
    expect(found).toEqual(cases.map(([what, isValid]) => [what, isValid]));
  });
});
