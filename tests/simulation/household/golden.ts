/** Hashes of what released versions draw for devices: the faults of four years, names and ratings. */
import { createHash } from 'node:crypto';
import type { DeviceType } from '../../../src/domain/fleets/devices.ts';
import { describeDevices } from '../../../src/simulation/household/device-description.ts';
import { nextFault, nextSharedOutage } from '../../../src/simulation/household/faults.ts';
import type { Fault, FaultCode, SharedCause } from '../../../src/simulation/household/faults.ts';
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
        const next = (after: Date) => nextFault(seed, household, type, code, after);
        for (const times of listTimes(next)) hash.update(`${seed} ${household} ${type} ${times}\n`);
      }
    }
  }
  return hash.digest('hex');
}

/** The outages of a shared cause in 20 households of each seed, of two makers and in two regions. */
export function hashOutages(cause: SharedCause): string {
  const hash = createHash('sha256');
  for (const seed of GOLDEN_SEEDS) {
    for (let householdIndex = 0; householdIndex < 20; householdIndex++) {
      const isEven = householdIndex % 2 === 0;
      const device = {
        seed,
        householdIndex,
        type: 'inverter',
        manufacturer: isEven ? 'Heliodor' : 'Lumenwerk',
        latitude: isEven ? 48.2 : -33.9,
        longitude: isEven ? 16.4 : 151.2,
      } as const;
      for (const times of listTimes((after) => nextSharedOutage(device, cause, after)))
        hash.update(`${seed} ${householdIndex} ${times}\n`);
    }
  }
  return hash.digest('hex');
}

function* listTimes(next: (after: Date) => Fault | null): Generator<string> {
  for (let fault = next(START); fault !== null && fault.startsAt < END;) {
    yield [fault.startsAt, fault.endsAt].map((at) => at?.toISOString() ?? '-').join(' ');
    fault = next(new Date(fault.startsAt.getTime() + 1));
  }
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

export const GOLDEN_OUTAGES: Readonly<Record<SharedCause, string>> = {
  manufacturer_cloud: '1044f19d6a312e319b20d8365ba19297caa144fd6841aa1a8a2b02d74f546c8f',
  region: 'b45e2cca06f12854523da746939a7b23680a4f1d5485d6484adfc4acb3d1d0fa',
  household_router: '84bc32b13085485597a854a77d79cda876c1ac50e104f3da5aee0efe56aa13bb',
};

export const GOLDEN_DESCRIPTIONS: readonly string[] = [
  '526b26398efdc65eb1b96a083ecf741c9c606d264f7517ab908039a6ffd62918',
  'eb264441be683cea7b1aa95399cc1cfd56ece3b1602b5c21c59346b4e0af454c',
  '1874a98b6cc16eea679b981e0f5893bf1579dd9cbaa696ca6639041475110b66',
  'ee626654419dd93bf6c15c50622636ae46d5260459a645a66efc2ba663b9c9a6',
];
