/** Ids and names of fleets, households and devices: stable functions of what they belong to (docs/simulation.md#households). */
import { createHash } from 'node:crypto';
import type { DeviceType } from '../../domain/fleets/devices.ts';
import { NOISE_CHANNEL, hashCounter, splitSeed } from '../kernel/noise.ts';

/** Namespace of all ids below, itself chosen once at random. */
const NAMESPACE = Buffer.from('7d1a3c0e5b8f4e0c9a6b2f4d8c1e7a35', 'hex');

/** Name-based UUID, version 5 (RFC 9562 section 5.5). */
export function deriveUuidV5(name: string): string {
  const bytes = createHash('sha1').update(NAMESPACE).update(name).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** The fleet that an organization's request_id makes; preview shows the same id. */
export function deriveFleetId(orgId: string, requestId: string): string {
  return deriveUuidV5(`fleet:${orgId.toLowerCase()}:${requestId.toLowerCase()}`);
}

/** The organization that a fleet reserves. */
export function deriveSimulationOrgId(fleetId: string): string {
  return deriveUuidV5(`organization:${fleetId}`);
}

/** UUID of household `index` of a fleet. */
export function deriveHouseholdId(fleetId: string, index: number): string {
  return deriveUuidV5(`household:${fleetId}:${index}`);
}

/** UUID of the user of household `index` of a fleet. */
export function deriveUserId(fleetId: string, index: number): string {
  return deriveUuidV5(`user:${fleetId}:${index}`);
}

/** UUID of a device of household `index` of a fleet; a household has at most one device of a type. */
export function deriveDeviceId(fleetId: string, index: number, type: DeviceType): string {
  return deriveUuidV5(`device:${fleetId}:${index}:${type}`);
}

const FIRST_NAMES = [
  'Anna', 'Ben', 'Clara', 'David', 'Elena', 'Felix', 'Greta', 'Henrik', 'Ines', 'Jonas', 'Karla', 'Lukas', 'Marie',
  'Nils', 'Olivia', 'Paul', 'Rosa', 'Simon', 'Thea', 'Viktor',
]; // prettier-ignore
const LAST_NAMES = [
  'Adler', 'Berger', 'Costa', 'Dubois', 'Eriksen', 'Fischer', 'Garcia', 'Hofer', 'Ivanova', 'Jansen', 'Keller',
  'Lindgren', 'Moreau', 'Novak', 'Olsen', 'Peeters', 'Rossi', 'Schmid', 'Vogel', 'Weber',
]; // prettier-ignore

export interface Resident {
  readonly user_id: string;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
}

/** The user of a household; the address lies in `.invalid` (RFC 2606), so nothing can be sent to it. */
export function deriveResident(fleetId: string, seed: number, index: number): Resident {
  const split = splitSeed(seed);
  const choose = (names: readonly string[], channel: number) =>
    names[hashCounter(split, index, channel, 0) % names.length] ?? '';
  return {
    user_id: deriveUserId(fleetId, index),
    email: `household-${String(index + 1).padStart(4, '0')}@${fleetId}.simulated.invalid`,
    first_name: choose(FIRST_NAMES, NOISE_CHANNEL.firstName),
    last_name: choose(LAST_NAMES, NOISE_CHANNEL.lastName),
  };
}
