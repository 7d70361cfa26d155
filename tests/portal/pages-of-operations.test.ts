// docs/pages.md names for every operation the page on which a person does it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROUTES } from '../../generated/routes.ts';
import { root, tableRows } from '../readme/document.ts';
import { collectPages } from './page-routes.ts';
import type { PageRoute } from './page-routes.ts';
import { startPortal } from './portal-site.ts';
import type { PortalSite } from './portal-site.ts';

const EXPLORER = '/portal/explorer';

interface Row {
  readonly operation: string;
  readonly page: string;
  readonly reason: string;
}

const rows: readonly Row[] = tableRows(
  readFileSync(join(root, 'docs/pages.md'), 'utf8'),
  'Which page does what',
).map(([operation = '', page = '', reason = '']) => ({
  operation: operation.replaceAll('`', ''),
  page: page.replaceAll('`', ''),
  reason,
}));
const operations: readonly { readonly id: string; readonly method: string }[] = ROUTES.map(
  ({ operationId, method }) => ({
    id: operationId,
    method,
  }),
);

let site: PortalSite;
let pages: readonly PageRoute[];
beforeAll(async () => {
  ({ started: site, pages } = await collectPages(() => startPortal()));
});
afterAll(() => site.close());

/** What is wrong with the table, for operations and pages such as these. */
function findFaults(known: typeof operations, there: readonly PageRoute[]): unknown[] {
  const missing = known.filter(({ id }) => !rows.some(({ operation }) => operation === id));
  const faults = rows.flatMap(({ operation, page, reason }) => {
    const found = known.find(({ id }) => id === operation);
    const route = there.find(({ path }) => path === page);
    if (found === undefined) return [[operation, 'is no operation']];
    if (route === undefined) return [[operation, 'has a page that is gone']];
    if ((page === EXPLORER) !== (reason !== '')) return [[operation, 'says why it has no page, or has one']];
    const changes = found.method.toUpperCase() !== 'GET';
    return changes && page !== EXPLORER && !route.hasForm ? [[operation, 'has a page without a form']] : [];
  });
  return [...missing.map(({ id }) => [id, 'has no row']), ...faults];
}

test('each operation has a page, and a form where it changes something; or the explorer is enough, and why', () => {
  expect(findFaults(operations, pages)).toEqual([]);
  expect(rows.map(({ operation }) => operation)).toEqual(operations.map(({ id }) => id));
});

test('an operation that is added without a page is found, and so is a page that goes or loses its form', () => {
  const added = [...operations, { id: 'paintFleet', method: 'POST' }];
  expect(findFaults(added, pages)).toEqual([['paintFleet', 'has no row']]);
  const without = pages.filter(({ path }) => path !== '/portal/fleets/:id/stop');
  expect(findFaults(operations, without)).toEqual([['stopFleet', 'has a page that is gone']]);
  const unable = pages.map((page) =>
    page.path === '/portal/users/create' ? { ...page, hasForm: false } : page,
  );
  expect(findFaults(operations, unable)).toEqual([['createUser', 'has a page without a form']]);
});
