/** The login page. */
export const LOGIN_PATH = '/accounts/login/';
/** The page to change the password. */
export const PASSWORD_PATH = '/accounts/password_change/';
/** The list of applications. */
export const APPLICATIONS_PATH = '/oauth2/applications/';
/** The page that admins and staff begin with. */
export const HOME_PATH = '/portal/';
/** The list of users. */
export const USERS_PATH = '/portal/users/';
/** The list of fleets. */
export const FLEETS_PATH = '/portal/fleets/';
/** The form for a fleet. */
export const FLEET_CREATION_PATH = `${FLEETS_PATH}create/`;

/** The search for pages, fleets, users and devices. */
export const SEARCH_PATH = '/portal/search/';
/** The list of webhooks. */
export const WEBHOOKS_PATH = '/portal/webhooks/';
/** The list of notifications. */
export const NOTIFICATIONS_PATH = '/portal/notifications/';

/** Day-ahead prices, and the form that uploads some. */
export const PRICES_PATH = '/portal/prices/';
export const PRICE_UPLOAD_PATH = `${PRICES_PATH}upload/`;

/** Where pages hear that something has happened. */
export const CHANGES_PATH = '/portal/changes';

/** What the organization's applications have sent. */
export const REQUESTS_PATH = '/portal/requests/';

/** What is told, as it happens. */
export const EVENTS_PATH = '/portal/events/';

/** The document, to be tried out. */
export const EXPLORER_PATH = '/portal/explorer/';
/** Where its script asks for a token. */
export const EXPLORER_TOKEN_PATH = '/portal/explorer/token/';

/** Simulated homes, in the scope of their fleet. */
export const HOMES_PATH = '/portal/homes/';

/** The path of a fleet's page, or of one below it. */
export function fleetPath(id: string, page = ''): string {
  return `${FLEETS_PATH}${id}/${page}`;
}
