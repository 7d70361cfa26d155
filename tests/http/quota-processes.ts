import { afterAll, beforeAll } from 'vitest';
import { QuotaCounters } from '../../src/http/quota-counters.ts';
import type { ExchangeCounts, QuotaCountersOptions } from '../../src/http/quota-counters.ts';
import type { QuotaSubject } from '../../src/domain/security/quota-subjects.ts';
import { addQuotaUses } from '../../src/queries/accounts/rate-limits.ts';
import type { Db } from '../../src/queries/connection/database.ts';
import { TestClock } from '../support/clock.ts';
import { testDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';

/** Processes of a service that share the table of one database and a clock. */
export interface QuotaProcesses {
  readonly db: () => Db;
  readonly clock: TestClock;
  readonly newSubject: () => QuotaSubject;
  readonly throughDatabase: ExchangeCounts;
  /** The counters of one more process. Their timer waits for an hour: the tests exchange by hand. */
  readonly startProcess: (options?: Partial<QuotaCountersOptions>) => QuotaCounters;
}

/** Opens the database before the tests of a file and closes it after them. */
export function useQuotaProcesses(): QuotaProcesses {
  let database: TestDatabase;
  let subjects = 0;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database.close());
  const clock = new TestClock('2026-06-15T12:00:00.000Z');
  const throughDatabase: ExchangeCounts = (uses) => addQuotaUses(database.db, uses);
  return {
    db: () => database.db,
    clock,
    newSubject: () => `partner ${(subjects += 1)}`,
    throughDatabase,
    startProcess: (options = {}) =>
      new QuotaCounters({
        clock: () => clock.now().getTime(),
        exchange: throughDatabase,
        onExchangeFailed: () => {},
        exchangeMs: 3_600_000,
        ...options,
      }),
  };
}
