import type { QueryResultRow } from 'pg';
import type { Context } from '../../src/operations/context.ts';
import type { Api } from '../support/api.ts';

/** What an operation of the own admin gets, without the way through HTTP; `afterRows` sees what each statement has returned. */
export function watchedContext(
  { own, services, clock }: Api,
  afterRows: (rows: readonly QueryResultRow[]) => void | Promise<void>,
): Context {
  const { id: userId, role, orgId } = own.admin;
  const ids = { userId, applicationId: userId, orgId, partnerId: orgId };
  const db = services.db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      await afterRows(result.rows);
      return result;
    },
  });
  return {
    ...services,
    db,
    clock: clock.now,
    now: clock.now(),
    requestId: 'watched',
    actor: { ...ids, role, scope: 'read write', tokenDigest: '' },
    orgId,
  };
}
