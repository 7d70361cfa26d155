import { Router } from 'express';
import type { RequestHandler } from 'express';
import { applicationPages } from './applications.ts';
import type { PageHandler, PortalContext, PortalResponse } from './context.ts';
import { createPortalCookies } from './cookies.ts';
import { createErrorPageHandler } from './error-page.ts';
import { parseFormBody } from './forms.ts';
import {
  requireAdmin,
  loadSession,
  requireCsrfToken,
  requireStaffOrAdmin,
  requireChangedPassword,
  requireSession,
} from './guards.ts';
import { disableCaching, setSecurityHeaders } from '../html/headers.ts';
import { loginPages } from './login.ts';
import { sendMethodNotAllowed, sendNotFound, sendPortalPage } from './pages.ts';
import { passwordPages } from './password.ts';
import { createStylesheetRoute } from '../html/render.ts';
import { signupRequestPages } from './signup-requests.ts';
import { userPages } from './users.ts';

/** `/`, and everything below the three roots; known and unknown pages pass the same guards. */
const portalPath = /^\/(?:$|(?:accounts|oauth2\/applications|portal)(?:\/|$))/;

/** The pages for people: login, password change, applications, users, sign-up requests, landing page. */
export function createPortal(context: PortalContext): Router {
  const pages = portalPages(context);
  const router = Router({ caseSensitive: true });
  router.use(createStylesheetRoute());
  router.use((request, response, next) => {
    if (portalPath.test(request.path)) pages(request, response, next);
    else next();
  });
  return router;
}

/** The order of the guards is the rule: who comes first decides what a visitor may learn. */
function portalPages(context: PortalContext): Router {
  const cookies = createPortalCookies(context.baseUrl);
  const login = loginPages(context, cookies);
  const password = passwordPages(context, cookies);
  const applications = applicationPages(context);
  const users = userPages(context);
  const signupRequests = signupRequestPages(context);
  const router = Router({ caseSensitive: true });
  const page = (path: string, get: PageHandler | undefined, post?: PageHandler): void => {
    const route = router.route(path);
    if (get !== undefined) route.get(get as RequestHandler);
    if (post !== undefined) route.post(post as RequestHandler);
    const allowed = [...(get ? ['GET', 'HEAD'] : []), ...(post ? ['POST'] : [])].join(', ');
    route.all((_request, response: PortalResponse) => {
      sendMethodNotAllowed(response, allowed);
    });
  };

  router.use(setSecurityHeaders, disableCaching, loadSession(context, cookies), parseFormBody);
  page('/accounts/login', login.show, login.submit);
  router.get('/', requireChangedPassword, (_request, response: PortalResponse) => {
    sendPortalPage(response, 200, 'landing', { baseUrl: context.baseUrl });
  });

  router.use(requireSession, requireCsrfToken);
  page('/accounts/password_change', password.show, password.submit);
  router.post('/accounts/logout', login.logout as RequestHandler);

  router.use(requireChangedPassword);
  page('/accounts/logout', login.showLogout);

  router.use('/oauth2/applications', requireStaffOrAdmin);
  page('/oauth2/applications', applications.list);
  page('/oauth2/applications/register', applications.showRegister, applications.register);
  page('/oauth2/applications/:id', applications.show);
  page('/oauth2/applications/:id/update', applications.showUpdate, applications.update);
  page('/oauth2/applications/:id/delete', applications.showDelete, applications.remove);
  page('/oauth2/applications/:id/secret', applications.showReplace, applications.replace);

  router.use('/portal', requireAdmin);
  page('/portal/users', users.list);
  page('/portal/users/:id/initial-password', undefined, users.issue);
  page('/portal/signup-requests', signupRequests.list);

  router.use((_request, response: PortalResponse) => {
    sendNotFound(response);
  });
  router.use(createErrorPageHandler(context));
  return router;
}
