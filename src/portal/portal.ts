import { Router } from 'express';
import type { Request } from 'express';
import { disableCaching, setPortalHeaders, setSecurityHeaders } from '../html/headers.ts';
import { registerFromForm, showApplicationRegistration } from './application-registration.ts';
import {
  createSecretFromForm,
  endSecretFromForm,
  showSecretCreation,
  showSecretEnd,
} from './application-secrets.ts';
import * as applications from './applications.ts';
import type { PageHandler, PortalContext, PortalOptions, PortalResponse } from './context.ts';
import { createPortalCookies } from './cookies.ts';
import { createErrorPageHandler } from './error-page.ts';
import {
  loadSession,
  readForm,
  requireAdmin,
  requireChangedPassword,
  requireCsrfToken,
  requireSession,
  requireStaffOrAdmin,
} from './guards.ts';
import { logIn, logOut, showLogin, showLogout } from './login.ts';
import { sendMethodNotAllowed } from '../html/messages.ts';
import { createPageAssetRoutes, sendView } from '../html/render.ts';
import { streamChanges } from './change-stream.ts';
import { showEvents } from './events.ts';
import { issueExplorerToken, showExplorer, showExplorerToken } from './explorer.ts';
import { inFormTurn } from './form-turns.ts';
import { createFleetFromForm, showFleetCreation } from './fleet-creation.ts';
import { expandFromForm, showExpansion } from './fleet-expansion.ts';
import { showFleets } from './fleet-list.ts';
import { showFleet } from './fleet-page.ts';
import { sendFleetPowers } from './fleet-powers.ts';
import { endFleet, showEnding } from './fleet-transitions.ts';
import { inPageTurn } from './page-turns.ts';
import { sendNotFound } from './pages.ts';
import { changePasswordFromForm, showPasswordChange } from './password.ts';
import { sendDeviceCsv, sendFleetCsv, sendHouseholdCsv } from './csv-files.ts';
import { addNotificationPages } from './notification-routes.ts';
import { boostFromForm, changePreferences, triggerFromForm } from './device-actions.ts';
import { showDevice } from './device-page.ts';
import { showHome } from './home.ts';
import { showHousehold } from './homes.ts';
import { issuePassword, showPasswordIssue } from './initial-password.ts';
import { showSearch, sendFound } from './search.ts';
import { addPricePages } from './price-routes.ts';
import { showRequest, showRequests } from './requests.ts';
import { loadShell } from './shell.ts';
import {
  createUserFromForm,
  deleteUserFromForm,
  showUserCreation,
  showUserDeletion,
  showUserUpdate,
  updateUserFromForm,
} from './user-changes.ts';
import { showUser, showUsers } from './users.ts';
import { addWebhookPages } from './webhook-routes.ts';

/** `/`, and everything below the three roots; known and unknown pages pass the same guards. */
const PORTAL_PATH = /^\/(?:$|(?:accounts|oauth2\/applications|portal)(?:\/|$))/;

/** The pages for people: login, password change, home, applications, users, landing page. */
export function createPortal(options: PortalOptions): Router {
  const pages = createPages({ ...options, cookies: createPortalCookies(options.baseUrl) });
  const router = Router({ caseSensitive: true });
  router.use(createPageAssetRoutes(options.createSender));
  router.use((request, response, next) => {
    if (PORTAL_PATH.test(request.path)) pages(request, response, next);
    else next();
  });
  return router;
}

/** What is asked for, in the turns of its partner; the stream of a page that is open takes no page's. */
function inTurns(handle: PageHandler): PageHandler {
  return inFormTurn(handle === streamChanges ? handle : inPageTurn(handle));
}

/** The order of the guards matters: the first that refuses decides what a visitor sees. */
function createPages(context: PortalContext): Router {
  const router = Router({ caseSensitive: true });
  const bind = (handle: PageHandler) => {
    const show = inTurns(handle);
    return (request: Request, response: PortalResponse) => show(context, request, response);
  };
  const page: AddPage = (path, get, post) => {
    const route = router.route(path);
    route.get(bind(get));
    if (post !== undefined) route.post(bind(post));
    const allowed = post === undefined ? 'GET, HEAD' : 'GET, HEAD, POST';
    route.all((_request, response: PortalResponse) => {
      sendMethodNotAllowed(response, allowed);
    });
  };

  router.use(setSecurityHeaders, disableCaching, loadSession(context), ...readForm(context));
  page('/accounts/login', showLogin, logIn);
  router.get('/', requireChangedPassword, (_request: Request, response: PortalResponse) => {
    sendView(response, 200, 'landing', { baseUrl: context.baseUrl });
  });

  router.use(requireSession, requireCsrfToken, setPortalHeaders);
  router.post('/accounts/logout', bind(logOut));
  router.use(loadShell(context));
  page('/accounts/password_change', showPasswordChange, changePasswordFromForm);

  router.use(requireChangedPassword);
  page('/accounts/logout', showLogout);

  router.use('/oauth2/applications', requireStaffOrAdmin);
  addApplicationPages(page);
  router.use('/portal', requireStaffOrAdmin);
  page('/portal', showHome);
  page('/portal/changes', streamChanges);
  page('/portal/search', showSearch);
  page('/portal/search.json', sendFound);
  router.use('/portal/users/:id/initial-password', requireAdmin);
  router.use('/portal/events', requireAdmin);
  page('/portal/events', showEvents);
  router.use('/portal/requests', requireAdmin);
  page('/portal/explorer', showExplorer);
  page('/portal/explorer/token', showExplorerToken, issueExplorerToken);
  page('/portal/requests', showRequests);
  page('/portal/requests/:position', showRequest);
  addUserPages(page);
  addFleetPages(page);
  addHomePages(page);
  addPricePages(page);
  router.use('/portal/webhooks', requireAdmin);
  addWebhookPages(page);
  router.use('/portal/notifications/broadcast', requireAdmin);
  addNotificationPages(page);

  router.use((_request: Request, response: PortalResponse) => {
    sendNotFound(response);
  });
  router.use(createErrorPageHandler(context));
  return router;
}

type AddPage = (path: string, get: PageHandler, post?: PageHandler) => void;

function addApplicationPages(page: AddPage): void {
  const { withApplication } = applications;
  page('/oauth2/applications', applications.showApplications);
  page('/oauth2/applications/register', showApplicationRegistration, registerFromForm);
  page('/oauth2/applications/:id', withApplication(applications.showApplication));
  page(
    '/oauth2/applications/:id/update',
    withApplication(applications.showApplicationUpdate),
    withApplication(applications.updateApplication),
  );
  page(
    '/oauth2/applications/:id/delete',
    withApplication(applications.showApplicationDeletion),
    withApplication(applications.deleteApplication),
  );
  page('/oauth2/applications/:id/secret', showSecretCreation, createSecretFromForm);
  page('/oauth2/applications/:id/secret/end', showSecretEnd, endSecretFromForm);
}

function addUserPages(page: AddPage): void {
  page('/portal/users', showUsers);
  page('/portal/users/create', showUserCreation, createUserFromForm);
  page('/portal/users/:id', showUser);
  page('/portal/users/:id/update', showUserUpdate, updateUserFromForm);
  page('/portal/users/:id/delete', showUserDeletion, deleteUserFromForm);
  page('/portal/users/:id/initial-password', showPasswordIssue, issuePassword);
}

function addHomePages(page: AddPage): void {
  page('/portal/homes/:id', showHousehold);
  page('/portal/homes/:id/data.csv', sendHouseholdCsv);
  page('/portal/homes/:id/:type/:device', showDevice);
  page('/portal/homes/:id/:type/:device/data.csv', sendDeviceCsv);
  page('/portal/homes/:id/:type/:device/preferences', showDevice, changePreferences);
  page('/portal/homes/:id/:type/:device/boost', showDevice, boostFromForm);
  page('/portal/homes/:id/:type/:device/event', showDevice, triggerFromForm);
}

function addFleetPages(page: AddPage): void {
  page('/portal/fleets', showFleets);
  page('/portal/fleets/create', showFleetCreation, createFleetFromForm);
  page('/portal/fleets/:id', showFleet);
  page('/portal/fleets/:id/data.csv', sendFleetCsv);
  page('/portal/fleets/:id/powers.json', sendFleetPowers);
  page('/portal/fleets/:id/expand', showExpansion, expandFromForm);
  for (const ending of ['stop', 'cancel', 'cleanup', 'purge'] as const)
    page(`/portal/fleets/:id/${ending}`, showEnding(ending), endFleet(ending));
}
