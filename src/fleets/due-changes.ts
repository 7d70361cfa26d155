import { applyDueChargeChecks } from './charge-checks.ts';
import type { ChargeChecksContext } from './charge-checks.ts';
import { applyDueFaults } from './due-faults.ts';
import type { DueFaultsOptions } from './due-faults.ts';
import { applySharedOutages } from './shared-outages.ts';

/**
 * Some of what is due of devices: outages that they share, conditions of their own, cars that charge by price; the organizations
 * in which some was, so that there may be more.
 */
export async function applyDueChanges(
  options: DueFaultsOptions & Parameters<typeof applySharedOutages>[0] & ChargeChecksContext,
): Promise<string[]> {
  const struck = await applySharedOutages(options);
  const begun = await applyDueFaults(options);
  return [...struck, ...begun, ...(await applyDueChargeChecks(options))];
}
