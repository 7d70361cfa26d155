import { changeQuotas, listQuotaStates } from '../accounts/quotas.ts';
import type { QuotaState } from '../accounts/quotas.ts';
import { QUOTA_NAMES, UNLIMITED } from '../domain/api/quotas.ts';
import type { QuotaName } from '../domain/api/quotas.ts';
import type { CommandContext } from './context.ts';
import { UsageError } from './context.ts';
import { withStorage } from './storage.ts';

const NAME_WIDTH = Math.max(...QUOTA_NAMES.map((name) => name.length));

/** Names, each once, with their new quotas; undefined where the installation's shall hold again. */
export type QuotaChanges = readonly (readonly [QuotaName, number | undefined])[];

/**
 * `partner org quota`: changes quotas of a partner, and prints all of them with what the partner has. Throws UsageError
 * when there is no such partner organization.
 */
export function changeQuotasCommand(
  context: CommandContext,
  partnerId: string,
  { changes, json }: { readonly changes: QuotaChanges; readonly json: boolean },
): Promise<number> {
  const scope = { partnerId, quotas: context.settings.quotas };
  return withStorage(context, async ({ db }) => {
    if ((await listQuotaStates(db, scope)) === undefined)
      throw new UsageError(`There is no partner organization ${partnerId}.`);
    await changeQuotas(db, partnerId, new Map(changes));
    const states = (await listQuotaStates(db, scope)) ?? [];
    if (json) console.log(JSON.stringify(Object.fromEntries(states.map(toJsonEntry))));
    else for (const state of states) console.log(formatState(state));
  });
}

function toJsonEntry({ name, quota, isOwn, used }: QuotaState) {
  return [name, { quota: quota === UNLIMITED ? null : quota, own: isOwn, used }] as const;
}

function formatState({ name, quota, isOwn, used }: QuotaState): string {
  const limit = quota === UNLIMITED ? 'unlimited' : String(quota);
  const use = used === null ? '' : `${used} of `;
  return `${name.padEnd(NAME_WIDTH)} ${use}${limit}${isOwn ? ' (set for this partner)' : ''}`;
}
