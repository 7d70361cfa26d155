import { expect, test } from 'vitest';
import { isFleetActive, nextFleetStep } from '../../../src/domain/fleets/fleet-states.ts';
import type { FleetOperation, FleetStatus } from '../../../src/domain/fleets/fleet-states.ts';

const statuses: FleetStatus[] = [
  'queued',
  'provisioning',
  'running',
  'expanding',
  'stopped',
  'cancelled',
  'cleaned',
  'failed',
  'purging',
];

/** Where each operation leads from each status; `=`: nothing is left to do, `-`: not possible. */
const table: Record<FleetOperation, string> = {
  expand: '- - expanding - - - - - -',
  stop: '- - stopped stopped = - - - -',
  cancel: 'cancelled cancelled - running - = - - -',
  cleanup: '- - - - cleaned cleaned = cleaned -',
  purge: '- - - - purging purging purging purging =',
};

test.each(Object.entries(table))('%s leads from each status where it should', (operation, expected) => {
  const found = statuses.map((status) => {
    const step = nextFleetStep(operation as FleetOperation, status);
    if (step.kind === 'change') return step.to;
    return step.kind === 'nothing' ? '=' : '-';
  });
  expect(found.join(' ')).toBe(expected);
});

test('a conflict names the statuses in which the operation is possible', () => {
  expect(nextFleetStep('stop', 'queued')).toEqual({ kind: 'conflict', allowed: ['running', 'expanding'] });
});

test('values move while a fleet runs or expands', () => {
  expect(statuses.filter(isFleetActive)).toEqual(['running', 'expanding']);
});
