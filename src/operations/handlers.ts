import type { SecuredOperationId } from '../../generated/routes.ts';
import type { Handlers, Locators } from '../contract/handlers.ts';
import * as auth from './auth.ts';
import type { Context, OpenContext } from './context.ts';
import * as deviceEvents from './device-events.ts';
import * as fleetLists from './fleet-lists.ts';
import { locateFleet } from './fleet-record.ts';
import * as fleetTransitions from './fleet-transitions.ts';
import * as fleets from './fleets.ts';
import * as notifications from './notifications.ts';
import * as resolve from './resolve.ts';
import * as trading from './trading.ts';
import * as users from './users.ts';
import * as webhooks from './webhooks.ts';

/** Every operation of the document bound to its function: a missing one, or one of another shape, does not compile. */
export const handlers: Handlers<Context, SecuredOperationId> & Handlers<OpenContext, 'requestSignup'> = {
  ...auth,
  ...users,
  ...trading,
  ...webhooks,
  ...fleets,
  ...fleetLists,
  ...fleetTransitions,
  ...deviceEvents,
  ...notifications,
  ...resolve,
};

/**
 * Throws 404 when an object that the path names is not there (or not the caller's to see). Asked only when query or
 * body are faulty, because then the operation itself, which would find out, does not run. An operation whose path
 * names an object and that is missing here does not compile.
 */
export const locators: Locators<Context, SecuredOperationId> = {
  getUser: users.locateUser,
  updateUser: users.locateUser,
  deleteUser: users.locateUser,
  getUserByExternalId: users.locateUserByExternalId,
  getFleet: locateFleet,
  listFleetDevices: locateFleet,
  listFleetLocations: locateFleet,
  expandFleet: locateFleet,
  stopFleet: locateFleet,
  cleanupFleet: locateFleet,
  cancelFleet: locateFleet,
  purgeFleet: locateFleet,
  triggerDeviceEvent: deviceEvents.locateFleetDevice,
  getWebhook: webhooks.locateWebhook,
  updateWebhook: webhooks.locateWebhook,
  deleteWebhook: webhooks.locateWebhook,
  rotateWebhookSecret: webhooks.locateWebhook,
  testWebhook: webhooks.locateTestedWebhook,
  resolveNotificationItem: resolve.locateNotificationItem,
};
