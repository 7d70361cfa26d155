// The programs of the guide are run as they stand, against a service.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generateSigningSecret, serviceSignatureHeader } from '../../src/domain/notifications/signature.ts';
import { startApi } from '../support/api.ts';
import type { Api } from '../support/api.ts';
import { LANGUAGES, readSnippets } from './snippet-pages.ts';
import { startSnippetRunners } from './snippet-runners.ts';
import type { Environment, SnippetRunners } from './snippet-runners.ts';

let runners: SnippetRunners;
let api: Api;
beforeAll(async () => {
  runners = startSnippetRunners();
  api = await startApi();
});
afterAll(async () => {
  runners.close();
  await api.close();
});

/** An admin and what its application has; tests/support/api.ts gives it its secret. */
async function environment(): Promise<Environment> {
  const { orgId, admin } = api.own;
  const { client_id: clientId } = await api.db
    .selectFrom('applications')
    .select('client_id')
    .where('owner_user_id', '=', admin.id)
    .executeTakeFirstOrThrow();
  return { TOKEN: admin.token, ORG_ID: orgId, CLIENT_ID: clientId, CLIENT_SECRET: 'unused' };
}

describe('the programs of the guide', () => {
  test.each([
    ['authentication', /"role": ?"admin"/],
    ['errors', /not_found/],
    ['paging', /^(?=[^]*"role": ?"admin")(?=[^]*"role": ?"staff")[^]*"role": ?"user"/],
    ['rate-limits', /"wallbox"/],
    ['idempotency', /"email": ?"import-/],
  ])('%s: each prints what it should', async (topic, expected) => {
    const snippets = await readSnippets(api, `/docs/guide/${topic}`);
    const env = await environment();
    let calls = 0;
    const count = (): void => void (calls += 1);
    api.server.on('request', count);
    for (const language of LANGUAGES) {
      const output = await runners[language](snippets.get(language) ?? '', env);
      expect([language, output]).toEqual([language, expect.stringMatching(expected)]);
    }
    api.server.off('request', count);
    expect(calls).toBeGreaterThanOrEqual(3);
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
    const code = (await readSnippets(api, '/docs/guide/signatures')).get(language) ?? '';
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
