import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import express from 'express';
import type { Response } from 'supertest';
import { FIELD_PROBLEMS, PROBLEMS } from '../../generated/problems.ts';
import { ROUTES } from '../../generated/routes.ts';
import { createBytesSender } from '../../src/http/tagged-answer.ts';
import { readPageEntries, SEARCH_FILE } from '../../src/reference/page-list.ts';
import { createReferencePages } from '../../src/reference/reference.ts';
import { Visitor } from '../portal/visitor.ts';

const MOST_BYTES = 100_000;

let server: Server;
let visitor: Visitor;
/** Every page by its path, read once. */
const pages = new Map<string, Response>();
beforeAll(async () => {
  const app = express()
    .disable('etag')
    .use(createReferencePages({ baseUrl: 'https://partner.example', createSender: createBytesSender }));
  server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  visitor = new Visitor(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  for (const path of [...readPageEntries().map((entry) => entry.path), '/docs/simulator'])
    pages.set(path, await visitor.get(path));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const textOf = (path: string): string => pages.get(path)?.text ?? '';
const matches = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, match = '']) => match);

/** Which of all pages a check complains about, and why. */
function complaints(check: (text: string, path: string) => readonly unknown[]): unknown[] {
  return [...pages].flatMap(([path, { text }]) => check(text, path).map((what) => [path, what]));
}

describe('there is a page', () => {
  test('for each operation, with its method, its path and its code in three languages', () => {
    const missing = ROUTES.filter(({ operationId, method, path }) => {
      const text = textOf(`/docs/operations/${operationId}`);
      const languages = ['curl', 'TypeScript', 'Python'].every((name) =>
        text.includes(`<summary>${name}</summary>`),
      );
      return !languages || !text.includes(`<code>${method.toUpperCase()} ${path}</code>`);
    });
    expect(missing).toEqual([]);
    expect(ROUTES.length).toBeGreaterThan(70);
  });

  test('for each message, and with names of fields', () => {
    for (const name of ['device.action_required', 'device.information', 'service.test'])
      expect(textOf(`/docs/messages/${name}`)).toContain(`Message <code>${name}</code>`);
    expect(textOf('/docs/operations/createFleet')).toContain('<code>groups[].weights</code>');
  });

  test('for each problem and each field code, with cause and cure, and the list leads to it', () => {
    const catalogue: Readonly<Record<string, { title: string }>> = { ...PROBLEMS, ...FIELD_PROBLEMS };
    for (const [code, { title }] of Object.entries(catalogue)) {
      expect(textOf('/docs/errors')).toContain(`href="/docs/errors/${code}"`);
      const text = textOf(`/docs/errors/${code}`);
      expect(text).toContain(`<h1>${title.replaceAll("'", '&#39;')}</h1>`);
      expect(text).toMatch(/<h2 id="cause">Cause<\/h2>\n<p>.+<\/p>\n<h2 id="cure">Cure<\/h2>\n<p>.+<\/p>/);
    }
    expect(textOf('/docs/errors/email_taken')).toContain('href="/docs/operations/createUser"');
  });

  test('for what may change in the API and for what has changed, which start and search lead to', () => {
    expect(textOf('/docs/guide/lifecycle')).toContain('<h2 id="how-long-a-version-lives">');
    expect(textOf('/docs/guide/api-changelog')).toMatch(/<h2 id="2-0-[\d-]+">2\.0 \(\d{4}-\d\d-\d\d\)<\/h2>/);
    const found = JSON.parse(readFileSync(SEARCH_FILE, 'utf8')) as { path: string; words: string }[];
    for (const [path, word] of [
      ['/docs/guide/lifecycle', 'sunset'],
      ['/docs/guide/api-changelog', 'released'],
    ] as const) {
      expect(textOf('/docs')).toContain(`<a href="${path}">`);
      expect(found.find((each) => each.path === path)?.words.split(' ')).toContain(word);
    }
  });

  test('for each section of the description of the document', () => {
    for (const heading of ['Organizations and roles', 'Bodies', 'Instants', 'Quotas'])
      expect([...pages.values()].some(({ text }) => text.includes(`<h1>${heading}</h1>`))).toBe(true);
    expect(textOf('/docs/guide/rate-limits')).toContain('<code>token_address</code>');
  });
});

describe('every page', () => {
  test('has fewer than 100,000 bytes', () => {
    const sizes = [...pages].map(([path, { text }]) => [path, Buffer.byteLength(text)] as const);
    expect(sizes.filter(([, size]) => size >= MOST_BYTES)).toEqual([]);
  });

  test('shows the address of this server instead of the example, and nothing that is undefined', () => {
    const withoutCode = (text: string): string => text.replaceAll(/<pre>[^]*?<\/pre>/g, '');
    expect(complaints((text) => text.match(/localhost:8080/g) ?? [])).toEqual([]);
    expect(complaints((text) => withoutCode(text).match(/undefined|\[object /g) ?? [])).toEqual([]);
    expect(textOf('/docs/operations/createUser')).toContain('https://partner.example/api/partners/v2.0/org/');
  });

  test('has only links that lead somewhere, on this server or within the page', () => {
    const served = new Set([...pages.keys(), ...[...pages.keys()].map((path) => `${path}.md`)]);
    const others =
      /^\/(?:$|assets\/|portal\/$|llms\.txt$|api\/partners\/v2\.0\/(?:openapi\.(?:json|yaml)|workflows\/[\w-]+\.arazzo\.yaml)$)/;
    const leadsNowhere = complaints((text) =>
      matches(text, / href="([^"]+)"/g).filter((target) => {
        if (/^(?:https:|data:)/.test(target)) return false;
        if (target.startsWith('#')) return !text.includes(`id="${target.slice(1)}"`);
        return !others.test(target) && !served.has(target.replace(/(?<=.)\/$/, '').replace(/#.*/, ''));
      }),
    );
    expect(leadsNowhere).toEqual([]);
  });

  test('has a title of its own', () => {
    const titles = [...pages.values()].flatMap(({ text }) => matches(text, /<h1>(.*?)<\/h1>/g));
    expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
    expect(titles.length).toBe(pages.size);
  });

  test('gives each id once, and marks itself in the navigation', () => {
    const repeated = complaints((text) => {
      const ids = matches(text, / id="([^"]+)"/g);
      return ids.filter((id, index) => ids.indexOf(id) !== index);
    });
    expect(repeated).toEqual([]);
    const unmarked = complaints((text, path) =>
      matches(text, /<a href="([^"]+)" aria-current="page">/g).join() === path ? [] : ['no aria-current'],
    );
    expect(unmarked).toEqual([]);
  });

  test('has no style and no script of its own, which its policy refuses', () => {
    expect(complaints((text) => text.match(/ style=| on\w+="|<script>|<style/g) ?? [])).toEqual([]);
    for (const { headers } of pages.values())
      expect(headers['content-security-policy']).toMatch(/default-src 'none'.*script-src 'self'/);
  });

  test('is there as Markdown too, which llms.txt leads to', async () => {
    const { text, headers } = await visitor.get('/llms.txt');
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    const links = matches(text, /\]\(https:\/\/partner\.example([^)]+)\)/g);
    expect(links.toSorted()).toEqual(
      readPageEntries()
        .map(({ path }) => `${path}.md`)
        .toSorted(),
    );
    for (const link of links) {
      const page = await visitor.get(link);
      expect([link, page.status, page.headers['content-type']]).toEqual([
        link,
        200,
        'text/markdown; charset=utf-8',
      ]);
      expect(page.text).toMatch(/^# .+\n\n/);
      expect(page.text).not.toContain('localhost:8080');
    }
  });
});

describe('an answer', () => {
  test.each(['/docs', '/docs.md', '/docs/operations/createUser', '/docs/simulator', '/llms.txt'])(
    '%s has a tag, and is not sent again to who has it',
    async (path) => {
      const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
      const first = await fetch(address);
      const etag = first.headers.get('etag') ?? '';
      expect([etag, first.headers.get('cache-control')]).toEqual([
        expect.stringMatching(/^"[\w-]{22}-(?:br|gzip)"$/),
        'public, no-cache',
      ]);
      await first.text();
      // With what browsers and proxies make of a tag. fetch adds `Cache-Control: no-cache`.
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await fetch(address, { headers: { 'If-None-Match': known } });
        expect([known, again.status, await again.text(), again.headers.get('etag')?.slice(0, 23)]).toEqual([
          known,
          304,
          '',
          etag.slice(0, 23),
        ]);
      }
      const other = await fetch(address, { headers: { 'If-None-Match': '"other"' } });
      expect([other.status, (await other.text()).length > 0]).toEqual([200, true]);
    },
  );

  test('is the same behind a slash, and to HEAD without the body', async () => {
    for (const path of ['/docs', '/docs/operations/createUser', '/docs/errors'])
      expect((await visitor.get(`${path}/`)).text).toBe(textOf(path));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/docs/errors`;
    const head = await fetch(address, { method: 'HEAD', headers: { 'Accept-Encoding': 'identity' } });
    expect([head.status, head.headers.get('content-length')]).toEqual([
      200,
      String(Buffer.byteLength(textOf('/docs/errors'))),
    ]);
    const post = await fetch(address, { method: 'POST' });
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  test('of what is not there is a page for browsers and left to the service for all others', async () => {
    const { port } = server.address() as AddressInfo;
    const ask = async (path: string, Accept: string) => {
      const { status, headers } = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { Accept } });
      return [status, headers.get('content-security-policy')?.includes('script-src')];
    };
    for (const name of [
      'no_such_code',
      'constructor',
      '__proto__',
      '%3Cscript%3E',
      'createUser.html',
      '..%2Findex',
    ]) {
      for (const folder of ['errors', 'operations']) {
        const page = await visitor.get(`/docs/${folder}/${name}`);
        expect([name, page.status, page.text.includes('<script>')]).toEqual([name, 404, false]);
        expect(await ask(`/docs/${folder}/${name}`, 'text/html,*/*;q=0.8')).toEqual([404, true]);
      }
    }
  });
});

test('what a page loads is served, under names that change with the content', async () => {
  const assets = matches(textOf('/docs'), /(?:href|src|data-library|data-index)="(\/assets\/[^"]+)"/g);
  expect(assets.map((path) => path.replace(/\.[0-9a-f]{12}\./, '.'))).toEqual([
    '/assets/portal.css',
    '/assets/reference.css',
    '/assets/search.js',
    '/assets/minisearch.js',
    '/assets/pages.json',
  ]);
  for (const path of assets) {
    const { status, headers } = await visitor.get(path);
    expect([path, status, headers['cache-control']]).toEqual([
      path,
      200,
      'public, max-age=31536000, immutable',
    ]);
  }
});

test('the page of the simulator shows each figure with its verdict, and pictures that the policy lets in', async () => {
  const page = await visitor.get('/docs/simulator/');
  expect([page.status, page.headers['content-security-policy']]).toEqual([
    200,
    expect.stringContaining("img-src 'self'"),
  ]);
  const headings = [...page.text.matchAll(/<h2 [^>]*>(.*)<\/h2>/g)].map(([, heading]) => heading);
  expect(headings).toEqual([
    'Five households',
    'Weather',
    'People',
    'Cars',
    'House',
    'Neighbours',
    'Invariants',
  ]);
  expect(page.text).toMatch(
    /<td>8 DE<\/td><th scope="row">PV yield, 20 roofs in DE, kWh\/kWp<\/th><td>990<\/td><td>.*<\/td><td>\d+<\/td><td>911 to 1069<\/td><td>met<\/td>/,
  );
  const verdicts = [...page.text.matchAll(/<td>(met|shown|<strong>missed<\/strong>.*)<\/td><\/tr>/g)].map(
    ([, verdict = '']) => verdict,
  );
  const asked = verdicts.filter((verdict) => verdict !== 'shown');
  const met = asked.filter((verdict) => verdict === 'met');
  expect(page.text).toContain(`${met.length} of ${asked.length} are met`);
  for (const missed of asked.filter((verdict) => verdict !== 'met'))
    expect(missed).toMatch(/<\/strong>: .{20}/);
  expect(page.text).not.toMatch(/undefined|NaN|Infinity/);
  const charts = [...page.text.matchAll(/src="(\/docs\/simulator\/[a-z-]+\.svg)" alt="[^"]{40,}"/g)].map(
    (match) => match[1] ?? '',
  );
  expect(charts.length).toBe(page.text.match(/<img/g)?.length);
  expect(charts.filter((path) => path.includes('/household-'))).toHaveLength(10);
  for (const path of charts) {
    const chart = await visitor.get(path);
    expect([chart.status, chart.headers['content-type']]).toEqual([
      200,
      expect.stringContaining('image/svg+xml'),
    ]);
    expect(chart.headers['content-security-policy']).toContain("default-src 'none'");
  }
  expect((await visitor.get('/docs/simulator/report.json')).status).toBe(404);
});
