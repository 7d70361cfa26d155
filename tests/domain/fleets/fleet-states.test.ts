import { expect, test } from 'vitest';
import { isLive, nextStep } from '../../../src/domain/fleets/fleet-states.ts';
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
    const step = nextStep(operation as FleetOperation, status);
    if (step.kind === 'change') return step.to;
    return step.kind === 'nothing' ? '=' : '-';
  });
  expect(found.join(' ')).toBe(expected);
});

test('a conflict names the statuses in which the operation is possible', () => {
  expect(nextStep('stop', 'queued')).toEqual({ kind: 'conflict', allowed: ['running', 'expanding'] });
});

test('values move while a fleet runs or expands', () => {
  expect(statuses.filter(isLive)).toEqual(['running', 'expanding']);
});
