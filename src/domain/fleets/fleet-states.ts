/*
 * The life of a fleet:
 *
 *   queued        created, nothing built yet                       } the runner's work
 *   provisioning  households are being built                       }
 *   running       values of its devices change
 *   expanding     the same, and more households are being built        } the runner's work
 *   stopped       values stay as they are, data remain
 *   cancelled     ended before it ran
 *   failed        could not be built
 *   cleaned       users, devices and notifications are deleted
 *   purging       everything is being removed, then the record     } the runner's work
 */

/** All states of a fleet, in the order in which the fleet configuration lists them. */
export const FLEET_STATES = [
  'queued',
  'provisioning',
  'running',
  'expanding',
  'stopped',
  'cancelled',
  'cleaned',
  'failed',
  'purging',
] as const;
export type FleetStatus = (typeof FLEET_STATES)[number];

export type FleetOperation = 'expand' | 'stop' | 'cancel' | 'cleanup' | 'purge';

/** `to`: where it leads from each status; `done`: the statuses in which there is nothing left to do. */
interface Rule {
  readonly to: Partial<Readonly<Record<FleetStatus, FleetStatus>>>;
  readonly done: readonly FleetStatus[];
}

const TRANSITION_RULES: Readonly<Record<FleetOperation, Rule>> = {
  expand: { to: { running: 'expanding' }, done: [] },
  stop: { to: { running: 'stopped', expanding: 'stopped' }, done: ['stopped'] },
  cancel: {
    to: { queued: 'cancelled', provisioning: 'cancelled', expanding: 'running' },
    done: ['cancelled'],
  },
  cleanup: { to: { stopped: 'cleaned', cancelled: 'cleaned', failed: 'cleaned' }, done: ['cleaned'] },
  purge: {
    to: { stopped: 'purging', cancelled: 'purging', failed: 'purging', cleaned: 'purging' },
    done: ['purging'],
  },
};

export type FleetStep =
  | { readonly kind: 'change'; readonly to: FleetStatus }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'conflict'; readonly allowed: readonly FleetStatus[] };

/** What an operation does to a fleet in this status; a conflict names the statuses in which it is possible. */
export function nextFleetStep(operation: FleetOperation, status: FleetStatus): FleetStep {
  const rule = TRANSITION_RULES[operation];
  const to = rule.to[status];
  if (to !== undefined) return { kind: 'change', to };
  if (rule.done.includes(status)) return { kind: 'nothing' };
  return { kind: 'conflict', allowed: Object.keys(rule.to) as FleetStatus[] };
}

/** Whether the values of the fleet's devices change: it is running or expanding. */
export function isFleetActive(status: FleetStatus): boolean {
  return status === 'running' || status === 'expanding';
}
