/** Hashes of what released versions draw for devices: the faults of four years, names and ratings. */
import { createHash } from 'node:crypto';
import type { DeviceType } from '../../../src/domain/fleets/devices.ts';
import { describeDevices } from '../../../src/simulation/household/device-description.ts';
import { nextFault } from '../../../src/simulation/household/faults.ts';
import type { FaultCode } from '../../../src/simulation/household/faults.ts';
import { households } from '../fleet.ts';

export const GOLDEN_SEEDS = [0, 42, 4_294_967_338, Number.MAX_SAFE_INTEGER];

const GOLDEN_TYPES: readonly DeviceType[] = ['electric_vehicle', 'heat_pump', 'inverter', 'wallbox'];
const START = new Date('2026-01-01T00:00:00Z');
const END = new Date('2030-01-01T00:00:00Z');

/** The faults of one code, by all types of device, in 20 households of each seed. */
export function hashFaults(code: FaultCode): string {
  const hash = createHash('sha256');
  for (const seed of GOLDEN_SEEDS) {
    for (let household = 0; household < 20; household++) {
      for (const type of GOLDEN_TYPES) {
        let fault = nextFault(seed, household, type, code, START);
        while (fault !== null && fault.startsAt < END) {
          const times = [fault.startsAt, fault.endsAt].map((at) => at?.toISOString() ?? '-').join(' ');
          hash.update(`${seed} ${household} ${type} ${times}\n`);
          fault = nextFault(seed, household, type, code, new Date(fault.startsAt.getTime() + 1));
        }
      }
    }
  }
  return hash.digest('hex');
}

/** The descriptions of all devices of a fleet of 50 households. */
export function hashDescriptions(seed: number): string {
  const fleet = households({ seed, count: 50, ev_ownership_fraction: 0.5 });
  const described = fleet.map((household) =>
    describeDevices('5b0d5c1e-6c0f-4a34-8d53-0a5f2a1f7c11', household),
  );
  return createHash('sha256').update(JSON.stringify(described)).digest('hex');
}

export const GOLDEN_FAULTS: Readonly<Record<FaultCode, string>> = {
  device_offline: '2aa7cfa044a2911ccb241d722bbae728dcae24bd79beeafe47481cb32a186c25',
  reauthenticate: '50d3d6f5c9ca2697faa36c43350543319c959878b301935b460b41f773fad9ef',
  steering_recovery_failed: '940ab2e2c4073324e4f4984c0adc67b46bb372dcbc30cce0e732497330bcce46',
  subscription_required: '044f456c893fe6eef224e8654088533f47ad628420b2dc466ce7dc51b8e4d66f',
};

export const GOLDEN_DESCRIPTIONS: readonly string[] = [
  '526b26398efdc65eb1b96a083ecf741c9c606d264f7517ab908039a6ffd62918',
  'eb264441be683cea7b1aa95399cc1cfd56ece3b1602b5c21c59346b4e0af454c',
  '1874a98b6cc16eea679b981e0f5893bf1579dd9cbaa696ca6639041475110b66',
  'ee626654419dd93bf6c15c50622636ae46d5260459a645a66efc2ba663b9c9a6',
];
