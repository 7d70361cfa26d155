import { applyDueFaults } from './due-faults.ts';
import type { DueFaultsOptions } from './due-faults.ts';
import type { Pass } from './due-work.ts';
import { applySharedOutages } from './shared-outages.ts';

/** Some of what is due of devices: outages that they share, and conditions of their own. */
export async function applyDueChanges(options: DueFaultsOptions): Promise<Pass> {
  const passes = [await applySharedOutages(options), await applyDueFaults(options)];
  return {
    changed: passes.flatMap(({ changed }) => changed),
    errors: passes.flatMap(({ errors }) => errors),
  };
}
