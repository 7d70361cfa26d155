import { sql } from 'kysely';
import { MOST_ATTEMPTS_OF_MESSAGE } from '../../domain/notifications/webhook-statistics.ts';
import type {
  AttemptPeriod,
  FailureGroup,
  WebhookStatistics,
} from '../../domain/notifications/webhook-statistics.ts';
import type { Db } from '../connection/database.ts';
import { prepare } from '../connection/prepared.ts';

/** The newest deliveries of a webhook that are looked at: what its picture costs does not grow with what was sent. */
export const MOST_DELIVERIES = 2_000;

interface Keys {
  readonly orgId: string;
  readonly webhookId: string;
  readonly since: Date;
  readonly periodSeconds: number;
}

/** The attempts of what was queued for a webhook since an instant, by periods and by causes of failure. */
export async function readWebhookStatistics(db: Db, keys: Keys): Promise<WebhookStatistics> {
  const [counted] = await countNewest(db, keys);
  if (counted === undefined || counted.messages === 0)
    return { periods: [], failures: [], messages: 0, isCapped: false, hasOlderAttempts: false };
  const periods = await selectPeriods(db, keys);
  const failures = await selectFailures(db, keys);
  return { periods, failures, isCapped: counted.messages >= MOST_DELIVERIES, ...counted };
}

const newest = ({ orgId, webhookId, since }: Keys) => sql`
  select message_id, state, attempts, due_at from deliveries
  where org_id = ${orgId} and webhook_id = ${webhookId} and created_at >= ${since}
  order by created_at desc, message_id desc
  limit ${sql.lit(MOST_DELIVERIES)}`;

const attemptsOfNewest = (keys: Keys) => sql`
  (${newest(keys)}) d cross join lateral (
    select message_id, started_at, duration_ms, outcome, error_class, status_code from delivery_attempts
    where org_id = ${keys.orgId} and message_id = d.message_id and webhook_id = ${keys.webhookId}
    order by attempt desc
    limit ${sql.lit(MOST_ATTEMPTS_OF_MESSAGE)}
  ) a`;

const countNewest = prepare(
  (_db, keys: Keys) => sql<Pick<WebhookStatistics, 'messages' | 'hasOlderAttempts'>>`
    select count(*)::integer as messages,
      coalesce(bool_or(attempts > ${sql.lit(MOST_ATTEMPTS_OF_MESSAGE)}), false) as "hasOlderAttempts"
    from (${newest(keys)}) d
  `,
);

const selectPeriods = prepare((_db, keys: Keys) => {
  const isAccepted = sql`filter (where a.outcome = 'delivered')`;
  return sql<AttemptPeriod>`
    select floor(extract(epoch from a.started_at - ${keys.since}::timestamptz) / ${keys.periodSeconds}::integer)::integer as period,
      count(*) ${isAccepted} as accepted, count(*) filter (where a.outcome = 'failed') as failed,
      percentile_disc(0.5) within group (order by a.duration_ms) ${isAccepted} as "medianMs",
      percentile_disc(0.95) within group (order by a.duration_ms) ${isAccepted} as "p95Ms"
    from ${attemptsOfNewest(keys)}
    where a.started_at >= ${keys.since}
    group by period order by period
  `;
});

const selectFailures = prepare(
  (_db, keys: Keys) => sql<FailureGroup>`
    select a.error_class as "errorClass", a.status_code as "statusCode", count(*) as attempts,
      count(distinct a.message_id) as messages,
      count(distinct a.message_id) filter (where d.state = 'exhausted') as "givenUp",
      count(distinct a.message_id) filter (where d.state = 'pending') as pending,
      min(a.started_at) as "firstAt", max(a.started_at) as "lastAt",
      min(d.due_at) filter (where d.state = 'pending') as "nextAt"
    from ${attemptsOfNewest(keys)}
    where a.outcome = 'failed'
    group by a.error_class, a.status_code
    order by messages desc, "lastAt" desc
  `,
);
