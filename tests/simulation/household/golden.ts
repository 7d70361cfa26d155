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
  'a0351fd10041fb0d77613740d0cdf9efb95e916a814de18b954930e884edc861',
  '3880599100f91fdabe1d7fe0da0f485f831e7e50213c7387de84424b4d4d1f3e',
  'd5f8bb0f6719127c3199973f01ab20aa13a0f91e6b0bf0a8839fd588bb8221d9',
  '0f33a7238c69db6beecc34f11109b54d9d1b9557b43ca731779c237f2ce4f3a4',
];
