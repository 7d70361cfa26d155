// The code that the pages of operations show is run as it stands, against a service: each program gets its ids from what those before
// it were answered.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROUTES } from '../../generated/routes.ts';
import { exampleWorld } from '../contract/example-world.ts';
import { EXPECTED_OUTCOMES, sendExamples } from '../contract/send-examples.ts';
import type { SendExample } from '../contract/send-examples.ts';
import { encodeForCurl, isShownRequest, sendBySnippet } from './send-by-snippet.ts';
import { LANGUAGES, readSnippets } from './snippet-pages.ts';
import { startSnippetRunners } from './snippet-runners.ts';
import type { SnippetRunners } from './snippet-runners.ts';

/** Each language creates the same users and fleets. */
const worlds = { curl: exampleWorld(), TypeScript: exampleWorld(), Python: exampleWorld() };
const endless = ROUTES.filter(({ answers }) => answers.includes('text/event-stream'));

let runners: SnippetRunners;
beforeAll(() => {
  runners = startSnippetRunners();
});
afterAll(() => runners.close());

test.concurrent.each(LANGUAGES)('the call of each operation succeeds in %s', async (language) => {
  const world = worlds[language];
  const sendShown = sendBySnippet(world, language, runners[language]);
  let shown = 0;
  const send: SendExample = (request, call) => {
    if (isShownRequest(request, call.route)) shown += 1;
    return sendShown(request, call);
  };
  expect(await sendExamples(world, send)).toEqual(EXPECTED_OUTCOMES);
  expect(shown).toBe(ROUTES.length - endless.length);
});

test('the call of an operation whose answer has no end, in a process that is ended', async () => {
  const { api } = worlds.curl.fleets;
  const programs = {
    curl: ['bash', '-c'],
    TypeScript: [process.execPath, '--input-type=module-typescript', '-e'],
    Python: ['python3', '-u', '-c'],
  };
  const env = { PATH: process.env['PATH'], TOKEN: api.own.admin.token, ORG_ID: api.own.orgId };
  for (const { operationId } of endless) {
    const snippets = await readSnippets(api, `/docs/operations/${operationId}`);
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

test('an identifier that is no UUID is put into the address as it must be, in each language', async () => {
  const { api } = worlds.curl.fleets;
  const external = 'customer/7 ü';
  const body = { email: 'external@example.com', role: 'user', external_user_id: external };
  const { body: user } = await api.call('createUser', { body });
  const env = { TOKEN: api.own.admin.token, ORG_ID: api.own.orgId, EXTERNAL_USER_ID: external };
  const snippets = await readSnippets(api, '/docs/operations/getUserByExternalId');
  for (const language of LANGUAGES) {
    const run = runners[language](
      snippets.get(language) ?? '',
      language === 'curl' ? encodeForCurl(env) : env,
    );
    expect(JSON.parse(await run)).toEqual(user);
  }
});
