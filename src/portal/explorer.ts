import { issueSessionToken } from '../accounts/session-tokens.ts';
import { sendView } from '../html/render.ts';
import type { PageHandler } from './context.ts';
import { getSession } from './context.ts';
import { redirectAfterForm } from './pages.ts';
import { EXPLORER_PATH, EXPLORER_TOKEN_PATH } from './paths.ts';
import { getScope } from './shell.ts';

/** The document, to be tried out against this service as the person who is signed in. */
export const showExplorer: PageHandler = ({ baseUrl }, _request, response) => {
  const { username, role } = getSession(response);
  sendView(response, 200, 'explorer', {
    sentence: `Open an operation, fill in what it needs and press Execute. Requests are really sent, as ${username} with the role ${role}. Their token lasts 15 minutes, stays in this page, and ends when you log out.`,
    orgId: getScope(response).orgId,
    tokenPath: EXPLORER_TOKEN_PATH,
    documentPath: '/api/partners/v2.0/openapi.json',
    baseUrl,
    hasExplorer: true,
  });
};

/** Where only forms are sent to. */
export const showExplorerToken: PageHandler = (_context, _request, response) => {
  redirectAfterForm(response, EXPLORER_PATH);
};

/** Gives the script of the page a token. */
export const issueExplorerToken: PageHandler = async ({ db, clock, cookies, log }, request, response) => {
  const { orgId, userId } = getSession(response);
  const issued = await issueSessionToken(db, { orgId, token: cookies.session(request) ?? '' }, clock());
  if (issued === undefined) {
    redirectAfterForm(response, EXPLORER_PATH);
    return;
  }
  log.info('Token issued to a portal session.', { org_id: orgId, user_id: userId });
  response.json({ access_token: issued.token, expires_at: issued.expiresAt.toISOString() });
};
