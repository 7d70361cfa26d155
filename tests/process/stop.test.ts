import { afterEach, expect, test } from 'vitest';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { INHERITED_ENV, PARTNER_COMMAND, startServiceOnSharedServer } from '../support/service.ts';
import { fixedCredentials, PartnerApi, until } from './partner.ts';

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const each of undo.splice(0)) await each();
});

/** When a stop cuts off what is still open: DRAIN_MS of src/http/http-server.ts. */
const CUT_OFF_MS = 7_000;
const fixed = fixedCredentials();

interface Half {
  readonly request: ClientRequest;
  readonly answer: Promise<IncomingMessage>;
  readonly finish: () => void;
}

/** A POST of which the service has the head and half of the body. */
async function halfSent(api: PartnerApi, email: string): Promise<Half> {
  const body = JSON.stringify({ email, role: 'user' });
  const sent = request(`${api.baseUrl}/api/partners/v2.0/org/${api.orgId}/users`, {
    method: 'POST',
    agent: new Agent({ keepAlive: true }),
    headers: {
      authorization: `Bearer ${api.token}`,
      'content-type': 'application/json',
      'content-length': body.length,
      // The service says by it that it reads the request now.
      expect: '100-continue',
    },
  });
  const answer = once(sent, 'response').then(([response]) => response as IncomingMessage);
  sent.flushHeaders();
  await once(sent, 'continue');
  sent.write(body.slice(0, 20));
  return { request: sent, answer, finish: () => sent.end(body.slice(20)) };
}

/** The status of a request on a connection of its own, or why there was none. */
function newConnection(baseUrl: string): Promise<unknown> {
  return new Promise((resolve) => {
    request(`${baseUrl}/livez`, { agent: false }, (response) => resolve(response.resume().statusCode))
      .once('error', (error: NodeJS.ErrnoException) => resolve(error.code))
      .end();
  });
}

async function createdEmail(response: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk as string;
  return [response.statusCode, (JSON.parse(text) as { email: string }).email];
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s answers what is under way, takes nothing new and ends with 0 in time',
  async (signal) => {
    const service = await startServiceOnSharedServer({ env: { ...fixed.env } });
    undo.push(() => service.remove());
    const api = await PartnerApi.open(service, fixed);
    const half = await halfSent(api, 'late@example.com');

    const startedAt = performance.now();
    const ended = service.stop(signal);
    await until(service.log, (log) => log.includes('"Stopping."'));
    expect(
      await until(
        () => newConnection(service.baseUrl),
        (outcome) => outcome !== 200,
      ),
    ).toBe('ECONNREFUSED');
    half.finish();
    const response = await half.answer;
    expect(response.headers.connection).toBe('close');
    expect(await createdEmail(response)).toEqual([201, 'late@example.com']);
    expect(await ended).toEqual({ code: 0, signal: null });
    // A connection that is kept open must not hold up the end until it is cut off.
    expect(performance.now() - startedAt).toBeLessThan(CUT_OFF_MS);
  },
);

test('a client that never finishes its request does not keep the service from ending', async () => {
  const service = await startServiceOnSharedServer({ env: { ...fixed.env } });
  undo.push(() => service.remove());
  const half = await halfSent(await PartnerApi.open(service, fixed), 'never@example.com');
  const broken = expect(half.answer).rejects.toThrow('socket hang up');
  const startedAt = performance.now();
  expect(await service.stop()).toEqual({ code: 0, signal: null });
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  await broken;
});

test('Ctrl-C, which reaches the whole process group, drains before the database stops', async () => {
  const dataDir = mkdtempSync(`${tmpdir()}/partner-process-`);
  const child = spawn(PARTNER_COMMAND, ['serve'], {
    detached: true,
    env: { ...INHERITED_ENV, PORT: '0', DATA_DIR: dataDir, ...fixed.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  undo.push(async () => {
    child.kill('SIGKILL');
    await exited;
    rmSync(dataDir, { recursive: true });
  });
  let output = '';
  let log = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  const baseUrl = await until(
    () => /listening on (\S+)\n/.exec(output)?.[1] ?? '',
    (found) => found !== '',
  );
  const half = await halfSent(await PartnerApi.open({ baseUrl }, fixed), 'group@example.com');

  process.kill(-(child.pid ?? 0), 'SIGINT');
  await until(
    () => log,
    (text) => text.includes('"Stopping."'),
  );
  half.finish();
  expect(await createdEmail(await half.answer)).toEqual([201, 'group@example.com']);
  expect(await exited).toEqual([0, null]);
  expect(log.slice(log.indexOf('"Stopping."'))).not.toMatch(/"level":"(warn|error)"/);
});
