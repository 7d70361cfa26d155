import type { SecuredOperationId } from '../../../generated/routes.ts';

export type Role = 'admin' | 'staff' | 'user';

/**
 * How far a role reaches with an operation: `all` objects of the organization; `users`: end users (role `user`)
 * and itself; `own`: only what belongs to itself; `none`: refused with `role_forbidden`.
 */
export type Access = 'all' | 'users' | 'own' | 'none';

export type RoleRow = Readonly<Record<Role, Access>>;

const management: RoleRow = { admin: 'all', staff: 'all', user: 'none' };
const adminOnly: RoleRow = { admin: 'all', staff: 'none', user: 'none' };
const people: RoleRow = { admin: 'all', staff: 'users', user: 'own' };
const ownUnlessAdmin: RoleRow = { admin: 'all', staff: 'own', user: 'own' };

/** Operation by role. A secured operation without a row does not compile, and the document shows the same table. */
export const roleTable: Readonly<Record<SecuredOperationId, RoleRow>> = {
  createUser: { admin: 'all', staff: 'users', user: 'none' },
  listUsers: people,
  getUser: people,
  getUserByExternalId: people,
  updateUser: people,
  deleteUser: { admin: 'all', staff: 'users', user: 'none' },
  listUserHeatPumps: people,
  getUserHeatPump: people,
  listUserInverters: people,
  getUserInverter: people,
  listUserElectricVehicles: people,
  getUserElectricVehicle: people,
  listUserWallboxes: people,
  getUserWallbox: people,
  getHeatPumpData: people,
  getInverterData: people,
  getElectricVehicleData: people,
  getWallboxData: people,
  uploadDayAheadPrices: management,
  listDayAheadPrices: management,
  getHeatPumpSchedules: people,
  createFleet: management,
  previewFleet: management,
  listFleets: management,
  getFleetConfig: management,
  getFleet: management,
  listFleetDevices: management,
  listFleetLocations: management,
  expandFleet: management,
  stopFleet: management,
  cleanupFleet: management,
  cancelFleet: management,
  purgeFleet: management,
  triggerDeviceEvent: management,
  getInverterSimulatorLocation: management,
  createWebhook: adminOnly,
  listWebhooks: adminOnly,
  getWebhook: adminOnly,
  updateWebhook: adminOnly,
  deleteWebhook: adminOnly,
  rotateWebhookSecret: adminOnly,
  testWebhook: adminOnly,
  listDeliveries: adminOnly,
  getDelivery: adminOnly,
  redeliver: adminOnly,
  getNotificationStatus: ownUnlessAdmin,
  listActions: ownUnlessAdmin,
  listInformation: ownUnlessAdmin,
  broadcastInformation: adminOnly,
  streamEvents: adminOnly,
  resolveNotificationItem: ownUnlessAdmin,
};

const accessWords: Readonly<Record<Access, string>> = {
  all: '',
  users: ' (end users and itself)',
  own: ' (own only)',
  none: '',
};

/** The row in words for the reference: "admin, staff (end users and itself), user (own only)". */
export function accessText(row: Readonly<Record<string, Access>>): string {
  return Object.entries(row)
    .filter(([, access]) => access !== 'none')
    .map(([role, access]) => `${role}${accessWords[access]}`)
    .join(', ');
}
