// What the README says about settings, targets, folders and limits is what the project has.
import { expect, test } from 'vitest';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_RATE_LIMITS } from '../../src/config/rate-limits.ts';
import { DEFAULT_QUOTAS } from '../../src/domain/api/quotas.ts';
import { readSettings } from '../../src/config/settings.ts';
import { codeBlocks, readme, root, tableRows } from './document.ts';

test('the table of settings names exactly the settings that are read, in any order', () => {
  const read = new Set<string>();
  const environment = new Proxy<Record<string, string>>(
    {},
    {
      get: (_, name) => {
        read.add(String(name));
        return undefined;
      },
    },
  );
  readSettings(environment);
  const named = tableRows(readme, 'Settings').map(([name = '']) => name.replaceAll('`', ''));
  expect(named.toSorted()).toEqual([...read].toSorted());
  expect(read.size).toBeGreaterThan(15);
  for (const row of tableRows(readme, 'Settings'))
    expect(row).toEqual([row[0], expect.stringMatching(/./), expect.stringMatching(/.{10}/)]);
});

test('the defaults in the table are those of the reader', () => {
  const settings = readSettings({});
  const defaults = Object.fromEntries(
    tableRows(readme, 'Settings').map(([name = '', value]) => [
      name.replaceAll('`', ''),
      value?.replaceAll('`', ''),
    ]),
  );
  expect(defaults).toMatchObject({
    PORT: String(settings.port),
    HOST: settings.host,
    DATA_DIR: settings.dataDir,
    LOG_LEVEL: settings.logLevel,
    MESSAGE_RETENTION_DAYS: String(settings.retentionDays.messages),
    ITEM_RETENTION_DAYS: String(settings.retentionDays.items),
    PRICE_REVISION_RETENTION_DAYS: String(settings.retentionDays.priceRevisions),
    TOKEN_RETENTION_DAYS: String(settings.retentionDays.tokens),
    SESSION_RETENTION_DAYS: String(settings.retentionDays.sessions),
    SIGNUP_RETENTION_DAYS: String(settings.retentionDays.signups),
    COMPUTE_SECONDS: String(settings.computeSeconds),
    WEBHOOK_STANDARD_HEADERS: settings.webhookStandardHeaders ? 'on' : 'off',
    SIMULATOR_FAULTS: settings.simulatorFaults ? 'on' : 'off',
  });
  for (const [policy, { quota, windowSeconds }] of Object.entries(DEFAULT_RATE_LIMITS)) {
    expect(readme).toContain(`\`${policy}=${quota}/${windowSeconds}\``);
  }
  const { info } = JSON.parse(readFileSync(join(root, 'generated/openapi.json'), 'utf8')) as {
    info: { description: string };
  };
  for (const [name, quota] of Object.entries(DEFAULT_QUOTAS)) {
    expect(readme).toContain(`\`${name}=${quota}\``);
    expect(info.description).toContain(`| \`${name}\` | ${quota.toLocaleString('en')} |`);
  }
});

test('every make target that is named is listed by make help', () => {
  const makefile = readFileSync(join(root, 'Makefile'), 'utf8');
  const targets = new Set([...makefile.matchAll(/^([a-z-]+):.*## /gm)].map(([, name]) => name));
  const code = [...codeBlocks(readme).map(({ text }) => text), ...(readme.match(/`[^`\n]+`/g) ?? [])].join(
    '\n',
  );
  const named = [...code.matchAll(/make ([a-z-]+)/g)].map(([, name]) => name ?? '');
  expect(named.length).toBeGreaterThan(8);
  expect(named.filter((name) => !targets.has(name))).toEqual([]);
});

test('every link leads to a file', () => {
  const links = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, target]) => target ?? '');
  expect(links.length).toBeGreaterThan(8);
  expect(links.filter((target) => !existsSync(join(root, target)))).toEqual([]);
});

test('the changelog begins with what is pending, and the license is whole', () => {
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  expect(/^## (.+)$/m.exec(changelog)?.[1]).toBe('Pending');
  const license = readFileSync(join(root, 'LICENSE'), 'utf8');
  expect(license).toMatch(/^\s+Apache License\s+Version 2\.0, January 2004/);
  expect(license).toContain('END OF TERMS AND CONDITIONS');
});
