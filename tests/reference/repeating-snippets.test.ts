// The programs of the guide that repeat a request, against a service that answers as a busy or broken one does.
import { createServer } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';
import { readSnippets } from './snippet-pages.ts';
import { startSnippetRunners } from './snippet-runners.ts';
import type { SnippetRunners } from './snippet-runners.ts';

type Answering = (response: ServerResponse) => void;

const problem =
  (status: number, code: string): Answering =>
  (response) =>
    response
      .writeHead(status, { 'Content-Type': 'application/problem+json', 'Retry-After': '0' })
      .end(JSON.stringify({ status, code, detail: `It is ${code}.` }));
const broken: Answering = (response) => response.destroy();
const created: Answering = (response) => response.writeHead(201).end('{"id":"made"}');

let runners: SnippetRunners;
let api: Api;
let server: Server | undefined;
beforeAll(async () => {
  runners = startSnippetRunners();
  api = await startApi();
});
afterEach(() => server?.close());
afterAll(async () => {
  runners.close();
  await api.close();
});

/** Gives one answer after the other; resolves to its address and the keys that it was sent. */
async function answerWith(answers: readonly Answering[]): Promise<{ url: string; keys: unknown[] }> {
  const keys: unknown[] = [];
  server = createServer((request, response) => {
    keys.push(request.headers['idempotency-key']);
    request.resume().once('end', () => (answers[keys.length - 1] ?? created)(response));
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, keys };
}

describe.each(['TypeScript', 'Python'] as const)('the program in %s', (language) => {
  const run = async (url: string): Promise<string> => {
    const code = (await readSnippets(api, '/docs/guide/idempotency')).get(language) ?? '';
    return runners[language](code.replaceAll(api.baseUrl, url), { TOKEN: 'token', ORG_ID: api.own.orgId });
  };

  test('repeats what is under way or was not done, with its key', async () => {
    const passing = [broken, problem(409, 'idempotency_key_in_use'), problem(503, 'overloaded')];
    const { url, keys } = await answerWith([...passing, problem(429, 'quota_exceeded')]);
    expect(await run(url)).toContain('made');
    expect([keys.length, new Set(keys).size]).toEqual([5, 1]);
  });

  test.each([
    [409, 'email_taken'],
    [422, 'validation_failed'],
  ])('fails at once of %i %s', async (status, code) => {
    const { url, keys } = await answerWith([problem(status, code)]);
    await expect(run(url)).rejects.toThrow(code);
    expect(keys).toHaveLength(1);
  });
});
