// Statements of the service, and of functions of deploy/citus, that run over several shards. Every other one names an organization and
// runs on its node.
import { readFileSync } from 'node:fs';

interface FanOut {
  /** What a statement of the kind contains, and no other does. */
  readonly pattern: RegExp;
  readonly reason: string;
  /** What it costs beside one task for each shard. */
  readonly bound: string;
}

const OF_A_LOOP = 'a loop of a worker looks for its next work, whosever it is';

export const FAN_OUTS: readonly FanOut[] = [
  {
    pattern: /from fleets cross join lateral \( select next_change_at from device_conditions/,
    reason: OF_A_LOOP,
    bound: 'one row of device_conditions_due_of_org_idx for each active fleet',
  },
  {
    pattern: /from fleets cross join lateral \( select due_at from charge_checks/,
    reason: OF_A_LOOP,
    bound: 'one row of charge_checks_org_due_idx for each active fleet',
  },
  {
    pattern: /from shared_outages o join fleets f/,
    reason: OF_A_LOOP,
    bound: 'outages that are not applied, by shared_outages_unapplied_idx',
  },
  {
    pattern: /with in_work as \( select org_id, count\(\*\) as fleets from fleets/,
    reason: OF_A_LOOP,
    bound: 'fleets with work, by fleets_work_idx',
  },
  {
    pattern: /select simulation_org_id from fleets where status in \('running', 'expanding'\)/,
    reason: OF_A_LOOP,
    bound: '32 rows of fleets_checkpoint_idx',
  },
  {
    pattern: /from fleets where (has_users_to_remove|has_checkpoints_to_remove)/,
    reason: OF_A_LOOP,
    bound: '32 rows of an index of fleets that are left',
  },
  {
    pattern: /from deliveries where state = 'pending' and \(message_id, webhook_id\) not in/,
    reason: 'a dispatcher asks when it has to look again',
    bound: 'one row of deliveries_due_at_idx, behind those in flight',
  },
  {
    pattern: /from webhooks w join organizations o on o\.id = w\.org_id where w\.cancelling_mark is not null/,
    reason: OF_A_LOOP,
    bound: 'webhooks of which deliveries are left, by webhooks_cancelling_idx: nearly always none',
  },
  {
    pattern: /from webhooks where cancelling_mark is not null/,
    reason: "a partner's webhooks are in the shards of all its organizations",
    bound: '1,000 rows of webhooks_cancelling_idx',
  },
  {
    pattern: /^select \(select count\(\*\) from deliveries where state = 'pending'\)/,
    reason: 'the metrics of the queue',
    bound: 'what is pending, by index; at each scrape',
  },
  {
    pattern: /from "?(webhooks|users)"? where deleted_at [<>] /,
    reason: 'a sweep looks for what has been deleted for long enough, and where something was deleted lately',
    bound: 'a batch, by index',
  },
  {
    pattern:
      /from broadcast_dismissals b join organizations o on o\.id = b\.org_id where o\.parent_org_id = /,
    reason: 'a sweep looks for what users who go have dismissed in the simulations of their partner',
    bound: 'one row, by broadcast_dismissals_user_idx',
  },
  {
    pattern: /from notification_items i where coalesce\(.* and i\.owner_id is null/,
    reason: 'a sweep looks for old broadcasts',
    bound: 'a batch, by notification_items_ended_idx',
  },
  {
    pattern:
      /from webhooks where secret_key_id <> |update webhooks w set encrypted_secret|count\(\*\) as "count" from "webhooks"$|from "idempotency_keys" where "answer_key_id" in /,
    reason: 'the command that rotates the key',
    bound: 'a batch of 200',
  },
  {
    pattern: /from webhooks where deleted_at is null and secret_key_id <> all/,
    reason: 'a process that starts looks for secrets that it cannot read',
    bound: 'once for each start; a group for each key',
  },
  {
    pattern: /from "?fleets"? where "?org_id"? = |update "fleets" set .* where "org_id" = /,
    reason: "a partner's fleets are in the shards of their simulation organizations",
    bound: 'the quota of fleets, by fleets_created_idx or fleets_id_idx',
  },
  {
    pattern:
      /from (webhooks|applications|price_counts|idempotency_keys|device_counts|pending_item_counts) where .*org_id"? (in|= any)/,
    reason: 'what a partner has in all its organizations is counted',
    bound: 'the shards of these organizations, by index',
  },
  {
    pattern: /from "(users|devices|notification_items)" .*"org_id" (in \(|= any)/,
    reason: 'something of a partner is looked for in all its organizations',
    bound: 'a look-up by key in each of them',
  },
  {
    pattern: /from "access_tokens" as "token" .* token\.org_id = any\(\$1::uuid\[\]\)/,
    reason: 'tokens that a process remembers are checked together, whosever they are',
    bound: 'a look-up by key for each of them, in the shards of their organizations',
  },
  {
    pattern: /"parent"\."uploads" as "parentUploads"/,
    reason: "whose prices an organization knows: its own and its parent's, with each schedule",
    bound: 'two rows by key, of which the parent may be in any shard',
  },
  {
    pattern: /"(access_tokens|portal_sessions)" as "(token|session)" .* where .*_hash" = \$1/,
    reason: 'a token or cookie of the format before, which does not name its organization',
    bound: 'one row by index; until these have expired',
  },
];

/** Functions of deploy/citus that ask all shards, which no log says: they switch that off (`multi_task_query_log_level`). */
export const FUNCTIONS_OF_ALL_SHARDS: Readonly<Record<string, Omit<FanOut, 'pattern'>>> = {
  gather_waiting_deliveries: {
    reason: 'a claim takes turns among all organizations whose deliveries wait',
    bound: 'the heads of the queues of 256 webhooks in each shard, as many as each may have in flight',
  },
  list_organizations_with_news: {
    reason: 'a process asks once for all organizations whose events somebody reads',
    bound: 'a look-up by messages_announced_idx and messages_repeated_idx for each of them',
  },
  all_shard_keys: {
    reason: 'retention goes through the shards one after the other, and a claim finds that one has no key',
    bound: 'one row of each shard; a round of a sweep',
  },
};

/** Statements over several shards that a server has logged under `citus.multi_task_query_log_level = log`, each once. */
export function readFanOuts(logFile: string, isOfService: (application: string) => boolean): string[] {
  const found = new Set<string>();
  const entries = readFileSync(logFile, 'utf8').split(/\n(?!\t)/);
  for (const [index, entry] of entries.entries()) {
    if (!entry.includes('multi-task query about to be executed')) continue;
    const statement = entries.slice(index + 1, index + 4).find((each) => each.includes('STATEMENT:  '));
    const [application = '', text = ''] = statement?.split(/ \[\d+\] STATEMENT: {2}/) ?? [];
    if (text !== '' && isOfService(application)) found.add(text.replaceAll(/\s+/g, ' ').trim());
  }
  return [...found];
}

/** Those that are not listed. */
export function listUnexpected(statements: readonly string[]): string[] {
  return statements.filter((text) => !FAN_OUTS.some(({ pattern }) => pattern.test(text)));
}
