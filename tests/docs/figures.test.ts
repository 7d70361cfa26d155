// Figures that the pages and the files of deploy/ repeat are those of the code.
import { expect, test } from 'vitest';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEVICE_TYPES } from '../../src/domain/fleets/devices.ts';
import { FLEET_STATES } from '../../src/domain/fleets/fleet-states.ts';
import { RETRY_DELAYS_MS } from '../../src/domain/notifications/retry.ts';
import { SIGNATURE_TOLERANCE_SECONDS } from '../../src/domain/notifications/signature.ts';
import { TOPICS } from '../../src/domain/notifications/topics.ts';
import { DEFINITION_DEFAULTS } from '../../src/simulation/definition/fleet-definition.ts';
import { FAULT_GRACE_MS, listFaultRates } from '../../src/simulation/household/faults.ts';
import { ARCHETYPES } from '../../src/simulation/household/profiles.ts';
import { SERVER_LIMITS } from '../../src/http/bounded-server.ts';
import { DELIVERY_DEADLINE_MS } from '../../src/webhooks/webhook-client.ts';
import { root, tableRows } from '../readme/document.ts';

const page = (name: string): string => readFileSync(join(root, 'docs', name), 'utf8').replace(/\s+/g, ' ');
const webhooks = page('webhooks.md');
const simulation = page('simulation.md');
const UNIT_MS = { s: 1000, min: 60_000, h: 3_600_000, day: 86_400_000 };

/** `90 min` as milliseconds; null for what is no length of time. */
function milliseconds(text: string): number | null {
  const [, count, unit] = /^(\d+) (s|min|h|day)s?$/.exec(text) ?? [];
  return count === undefined ? null : Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
}

test('retries, deadline, tolerance and topics', () => {
  const [, delays = ''] = /due again after ([^;]+), each/.exec(webhooks) ?? [];
  expect(delays.split(/, | and /).map(milliseconds)).toEqual(RETRY_DELAYS_MS);
  expect(webhooks).toContain(`One deadline of ${DELIVERY_DEADLINE_MS / 1000} seconds`);
  expect(webhooks).toContain(`by more than ${SIGNATURE_TOLERANCE_SECONDS} seconds`);
  for (const topic of TOPICS) expect(webhooks).toContain(`\`${topic}\``);
});

test('rates of faults', () => {
  const rows = tableRows(readFileSync(join(root, 'docs/simulation.md'), 'utf8'), 'Faults');
  const written = rows.map(([code = '', cause = '', devices = '', rate, duration = '']) => ({
    code: code.replaceAll('`', ''),
    cause: cause.replaceAll('`', ''),
    device_types:
      devices === 'all' ? DEVICE_TYPES : devices.split(', ').map((name) => name.replace(' ', '_')),
    events_per_device_year: Number(rate),
    duration: milliseconds(duration),
  }));
  const coded = listFaultRates().map(({ mean_duration_minutes: minutes, ...rate }) => ({
    ...rate,
    duration: minutes === null ? null : minutes * UNIT_MS.min,
  }));
  expect(written).toEqual(coded);
  expect(FAULT_GRACE_MS).toBe(UNIT_MS.h);
  expect(simulation).toContain('from one hour after the household was created');
});

test('defaults of a fleet, archetypes and states', () => {
  const defaults = DEFINITION_DEFAULTS;
  expect(simulation).toContain(`\`count\` absent is ${defaults.count}`);
  expect(simulation).toContain(`\`max_time_shift_minutes\` (default ${defaults.max_time_shift_minutes})`);
  expect(simulation).toContain(`\`variation_fraction\` (default ${defaults.variation_fraction.toFixed(2)})`);
  expect(simulation).toContain(`default ${defaults.ev_annual_kwh.toLocaleString('en')} kWh`);
  expect(simulation).toContain(`initial charge ${defaults.initial_soc_percent} %`);
  expect(simulation).toContain('one of ten archetypes');
  expect(ARCHETYPES).toHaveLength(10);
  expect(page('decisions.md')).toContain(`States: ${FLEET_STATES.join(', ')};`);
});

test('HAProxy bounds the connections of an address, and the time of a header, as the service does', () => {
  const lines = readFileSync(join(root, 'deploy/haproxy/api.cfg'), 'utf8').split(/\n\s*/);
  const { maxConnectionsOfAddress, headersMs } = SERVER_LIMITS;
  expect(lines).toEqual(
    expect.arrayContaining([
      'tcp-request connection track-sc0 src,ipmask(32,64)',
      `tcp-request connection reject if { sc0_conn_cur gt ${maxConnectionsOfAddress} }`,
      `timeout http-request ${headersMs / 1_000}s`,
      'option disable-h2-upgrade',
    ]),
  );
});
