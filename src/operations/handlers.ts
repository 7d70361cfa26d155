import type { SecuredOperationId } from '../../generated/routes.ts';
import { INLINE_BODY_BYTES } from '../compute/inline.ts';
import type { BytesHandlers, BytesOperationId, Handlers, ExistenceChecks } from '../contract/handlers.ts';
import * as auth from './auth.ts';
import * as broadcasts from './broadcasts.ts';
import type { Context, OpenContext } from './context.ts';
import * as deliveries from './deliveries.ts';
import * as deviceData from './device-data.ts';
import * as deviceEvents from './fleets/device-events.ts';
import * as events from './events.ts';
import * as fleetEvents from './fleets/fleet-events.ts';
import { getFleetData } from './fleets/fleet-data.ts';
import * as fleetLists from './fleets/lists.ts';
import { checkFleetExists } from './fleets/fleet-access.ts';
import * as fleetReads from './fleets/reads.ts';
import * as fleetTransitions from './fleets/transitions.ts';
import * as fleets from './fleets/create.ts';
import { getHouseholdData } from './household-data.ts';
import * as notifications from './notifications.ts';
import * as boosts from './preferences/boosts.ts';
import * as preferenceRevisions from './preferences/revisions.ts';
import * as preferences from './preferences/preferences.ts';
import * as resolve from './resolve.ts';
import * as schedules from './schedules.ts';
import * as trading from './trading.ts';
import * as userDevices from './user-devices.ts';
import * as users from './users.ts';
import * as usersList from './users-list.ts';
import * as webhooks from './webhooks.ts';

/** Every operation that needs a token bound to its function: a missing one, or one of another shape, does not compile. */
export const securedHandlers: Handlers<Context, Exclude<SecuredOperationId, BytesOperationId>> = {
  createUser: users.createUser,
  listUsers: usersList.listUsers,
  getUser: users.getUser,
  getUserByExternalId: users.getUserByExternalId,
  updateUser: users.updateUser,
  deleteUser: users.deleteUser,
  listUserElectricVehicles: userDevices.listUserElectricVehicles,
  getUserElectricVehicle: userDevices.getUserElectricVehicle,
  listUserHeatPumps: userDevices.listUserHeatPumps,
  getUserHeatPump: userDevices.getUserHeatPump,
  listUserInverters: userDevices.listUserInverters,
  getUserInverter: userDevices.getUserInverter,
  listUserWallboxes: userDevices.listUserWallboxes,
  getUserWallbox: userDevices.getUserWallbox,
  getHeatPumpData: deviceData.getHeatPumpData,
  getInverterData: deviceData.getInverterData,
  getElectricVehicleData: deviceData.getElectricVehicleData,
  getWallboxData: deviceData.getWallboxData,
  getElectricVehiclePreferences: preferences.getElectricVehiclePreferences,
  updateElectricVehiclePreferences: preferences.updateElectricVehiclePreferences,
  listElectricVehiclePreferenceRevisions: preferenceRevisions.listElectricVehiclePreferenceRevisions,
  startElectricVehicleBoost: boosts.startElectricVehicleBoost,
  endElectricVehicleBoost: boosts.endElectricVehicleBoost,
  getHeatPumpPreferences: preferences.getHeatPumpPreferences,
  updateHeatPumpPreferences: preferences.updateHeatPumpPreferences,
  listHeatPumpPreferenceRevisions: preferenceRevisions.listHeatPumpPreferenceRevisions,
  startHeatPumpBoost: boosts.startHeatPumpBoost,
  endHeatPumpBoost: boosts.endHeatPumpBoost,
  getInverterPreferences: preferences.getInverterPreferences,
  updateInverterPreferences: preferences.updateInverterPreferences,
  listInverterPreferenceRevisions: preferenceRevisions.listInverterPreferenceRevisions,
  startInverterBoost: boosts.startInverterBoost,
  endInverterBoost: boosts.endInverterBoost,
  getHouseholdData,
  listDayAheadPrices: trading.listDayAheadPrices,
  getHeatPumpSchedules: schedules.getHeatPumpSchedules,
  listFleets: fleetReads.listFleets,
  getFleetConfig: fleetReads.getFleetConfig,
  getFleet: fleetReads.getFleet,
  listFleetDevices: fleetLists.listFleetDevices,
  listFleetLocations: fleetLists.listFleetLocations,
  getFleetData,
  getInverterSimulatorLocation: fleetLists.getInverterSimulatorLocation,
  expandFleet: fleetTransitions.expandFleet,
  stopFleet: fleetTransitions.stopFleet,
  cleanupFleet: fleetTransitions.cleanupFleet,
  cancelFleet: fleetTransitions.cancelFleet,
  purgeFleet: fleetTransitions.purgeFleet,
  triggerDeviceEvent: deviceEvents.triggerDeviceEvent,
  triggerFleetEvent: fleetEvents.triggerFleetEvent,
  createWebhook: webhooks.createWebhook,
  listWebhooks: webhooks.listWebhooks,
  getWebhook: webhooks.getWebhook,
  updateWebhook: webhooks.updateWebhook,
  deleteWebhook: webhooks.deleteWebhook,
  rotateWebhookSecret: webhooks.rotateWebhookSecret,
  testWebhook: webhooks.testWebhook,
  listDeliveries: deliveries.listDeliveries,
  getDelivery: deliveries.getDelivery,
  redeliver: deliveries.redeliver,
  getNotificationStatus: notifications.getNotificationStatus,
  listActions: notifications.listActions,
  listInformation: notifications.listInformation,
  streamEvents: events.streamEvents,
  broadcastInformation: broadcasts.broadcastInformation,
  resolveNotificationItem: resolve.resolveNotificationItem,
};

/**
 * Throws 404 when an object that the path names is not there (or not the caller's to see). Asked only when query or
 * body have errors, because then the operation itself, which would find out, does not run. An operation whose path
 * names an object and that is missing here does not compile.
 */
export const existenceChecks: ExistenceChecks<Context, SecuredOperationId> = {
  getUser: users.checkUserExists,
  updateUser: users.checkUserExists,
  deleteUser: users.checkUserExists,
  getUserByExternalId: users.checkUserWithExternalIdExists,
  listUserElectricVehicles: users.checkUserExists,
  getUserElectricVehicle: userDevices.checkUserDeviceExists,
  listUserHeatPumps: users.checkUserExists,
  getUserHeatPump: userDevices.checkUserDeviceExists,
  listUserInverters: users.checkUserExists,
  getUserInverter: userDevices.checkUserDeviceExists,
  listUserWallboxes: users.checkUserExists,
  getUserWallbox: userDevices.checkUserDeviceExists,
  getHeatPumpData: userDevices.checkUserDeviceExists,
  getInverterData: userDevices.checkUserDeviceExists,
  getElectricVehicleData: userDevices.checkUserDeviceExists,
  getWallboxData: userDevices.checkUserDeviceExists,
  getElectricVehiclePreferences: userDevices.checkUserDeviceExists,
  updateElectricVehiclePreferences: userDevices.checkUserDeviceExists,
  listElectricVehiclePreferenceRevisions: userDevices.checkUserDeviceExists,
  startElectricVehicleBoost: userDevices.checkUserDeviceExists,
  endElectricVehicleBoost: userDevices.checkUserDeviceExists,
  getHeatPumpPreferences: userDevices.checkUserDeviceExists,
  updateHeatPumpPreferences: userDevices.checkUserDeviceExists,
  listHeatPumpPreferenceRevisions: userDevices.checkUserDeviceExists,
  startHeatPumpBoost: userDevices.checkUserDeviceExists,
  endHeatPumpBoost: userDevices.checkUserDeviceExists,
  getInverterPreferences: userDevices.checkUserDeviceExists,
  updateInverterPreferences: userDevices.checkUserDeviceExists,
  listInverterPreferenceRevisions: userDevices.checkUserDeviceExists,
  startInverterBoost: userDevices.checkUserDeviceExists,
  endInverterBoost: userDevices.checkUserDeviceExists,
  getHouseholdData: users.checkUserExists,
  getHeatPumpSchedules: userDevices.checkUserDeviceExists,
  getFleet: checkFleetExists,
  listFleetDevices: checkFleetExists,
  listFleetLocations: checkFleetExists,
  getFleetData: checkFleetExists,
  expandFleet: checkFleetExists,
  stopFleet: checkFleetExists,
  cleanupFleet: checkFleetExists,
  cancelFleet: checkFleetExists,
  purgeFleet: checkFleetExists,
  getInverterSimulatorLocation: fleetLists.checkSimulatedInverterExists,
  triggerDeviceEvent: deviceEvents.checkFleetDeviceExists,
  triggerFleetEvent: checkFleetExists,
  getWebhook: webhooks.checkWebhookExists,
  updateWebhook: webhooks.checkWebhookExists,
  deleteWebhook: webhooks.checkWebhookExists,
  rotateWebhookSecret: webhooks.checkWebhookExists,
  testWebhook: webhooks.checkWebhookToTestExists,
  listDeliveries: webhooks.checkWebhookExists,
  getDelivery: deliveries.checkDeliveryExists,
  redeliver: deliveries.checkDeliveryExists,
  resolveNotificationItem: resolve.checkNotificationItemExists,
};

/** The open operations, without those of the authorization server's metadata, which belong to src/oauth. */
export const openHandlers: Handlers<OpenContext, 'requestSignup'> = { requestSignup: auth.requestSignup };

/** The operations that get their bodies as bytes. */
export const bytesHandlers: BytesHandlers<Context> = {
  uploadDayAheadPrices: trading.uploadDayAheadPrices,
  createFleet: fleets.createFleet,
  previewFleet: fleets.previewFleet,
};

/** Bodies up to this size are read without the partner's turn; a preview takes its turn whatever its size. */
export const bytesWithoutTurn: Readonly<Record<BytesOperationId, number>> = {
  uploadDayAheadPrices: INLINE_BODY_BYTES,
  createFleet: INLINE_BODY_BYTES,
  previewFleet: -1,
};
