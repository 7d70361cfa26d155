import type { components } from '../../../generated/openapi.ts';
import type { SecuredOperationId } from '../../../generated/routes.ts';

/** The roles of the document. */
export type Role = components['schemas']['Role'];

/**
 * How far a role reaches with an operation: `all` objects of the organization; `users`: end users (role `user`)
 * and itself; `own`: only what belongs to itself; `none`: refused with `role_forbidden`.
 */
export type Access = 'all' | 'users' | 'own' | 'none';

export type RoleRow = Readonly<Record<Role, Access>>;

const STAFF_AND_ADMIN: RoleRow = { admin: 'all', staff: 'all', user: 'none' };
const ADMIN_ONLY: RoleRow = { admin: 'all', staff: 'none', user: 'none' };
const BY_ROLE: RoleRow = { admin: 'all', staff: 'users', user: 'own' };
const OWN_UNLESS_ADMIN: RoleRow = { admin: 'all', staff: 'own', user: 'own' };

/** Operation by role. A secured operation without a row does not compile, and the document shows the same table. */
export const ROLE_TABLE: Readonly<Record<SecuredOperationId, RoleRow>> = {
  createUser: { admin: 'all', staff: 'users', user: 'none' },
  listUsers: BY_ROLE,
  getUser: BY_ROLE,
  getUserByExternalId: BY_ROLE,
  updateUser: BY_ROLE,
  deleteUser: { admin: 'all', staff: 'users', user: 'none' },
  listUserHeatPumps: BY_ROLE,
  getUserHeatPump: BY_ROLE,
  listUserInverters: BY_ROLE,
  getUserInverter: BY_ROLE,
  listUserElectricVehicles: BY_ROLE,
  getUserElectricVehicle: BY_ROLE,
  listUserWallboxes: BY_ROLE,
  getUserWallbox: BY_ROLE,
  getHeatPumpData: BY_ROLE,
  getInverterData: BY_ROLE,
  getElectricVehicleData: BY_ROLE,
  getWallboxData: BY_ROLE,
  getElectricVehiclePreferences: BY_ROLE,
  updateElectricVehiclePreferences: BY_ROLE,
  listElectricVehiclePreferenceRevisions: BY_ROLE,
  startElectricVehicleBoost: BY_ROLE,
  endElectricVehicleBoost: BY_ROLE,
  getHeatPumpPreferences: BY_ROLE,
  updateHeatPumpPreferences: BY_ROLE,
  listHeatPumpPreferenceRevisions: BY_ROLE,
  startHeatPumpBoost: BY_ROLE,
  endHeatPumpBoost: BY_ROLE,
  getInverterPreferences: BY_ROLE,
  updateInverterPreferences: BY_ROLE,
  listInverterPreferenceRevisions: BY_ROLE,
  startInverterBoost: BY_ROLE,
  endInverterBoost: BY_ROLE,
  getHouseholdData: BY_ROLE,
  uploadDayAheadPrices: STAFF_AND_ADMIN,
  listDayAheadPrices: STAFF_AND_ADMIN,
  getHeatPumpSchedules: BY_ROLE,
  createFleet: STAFF_AND_ADMIN,
  previewFleet: STAFF_AND_ADMIN,
  listFleets: STAFF_AND_ADMIN,
  getFleetConfig: STAFF_AND_ADMIN,
  getFleet: STAFF_AND_ADMIN,
  listFleetDevices: STAFF_AND_ADMIN,
  listFleetLocations: STAFF_AND_ADMIN,
  getFleetData: STAFF_AND_ADMIN,
  expandFleet: STAFF_AND_ADMIN,
  stopFleet: STAFF_AND_ADMIN,
  cleanupFleet: STAFF_AND_ADMIN,
  cancelFleet: STAFF_AND_ADMIN,
  purgeFleet: STAFF_AND_ADMIN,
  triggerDeviceEvent: STAFF_AND_ADMIN,
  triggerFleetEvent: STAFF_AND_ADMIN,
  getInverterSimulatorLocation: STAFF_AND_ADMIN,
  createWebhook: ADMIN_ONLY,
  listWebhooks: ADMIN_ONLY,
  getWebhook: ADMIN_ONLY,
  updateWebhook: ADMIN_ONLY,
  deleteWebhook: ADMIN_ONLY,
  rotateWebhookSecret: ADMIN_ONLY,
  testWebhook: ADMIN_ONLY,
  listDeliveries: ADMIN_ONLY,
  getDelivery: ADMIN_ONLY,
  redeliver: ADMIN_ONLY,
  getNotificationStatus: OWN_UNLESS_ADMIN,
  listActions: OWN_UNLESS_ADMIN,
  listInformation: OWN_UNLESS_ADMIN,
  broadcastInformation: ADMIN_ONLY,
  streamEvents: ADMIN_ONLY,
  resolveNotificationItem: OWN_UNLESS_ADMIN,
};

/** Whether a role may call an operation, for whichever objects. */
export function mayCall(role: Role, id: SecuredOperationId): boolean {
  return ROLE_TABLE[id][role] !== 'none';
}

const ACCESS_DESCRIPTIONS: Readonly<Record<Access, string>> = {
  all: '',
  users: ' (end users and itself)',
  own: ' (own only)',
  none: '',
};

/** The row in words for the reference: "admin, staff (end users and itself), user (own only)". */
export function describeRoleAccess(row: Readonly<Record<string, Access>>): string {
  return Object.entries(row)
    .filter(([, access]) => access !== 'none')
    .map(([role, access]) => `${role}${ACCESS_DESCRIPTIONS[access]}`)
    .join(', ');
}
