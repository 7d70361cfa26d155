import { formats } from '../domain/api/formats.ts';
import { findPortalUser, listPortalUsers } from '../queries/accounts/portal-users.ts';
import type { PortalUser } from '../queries/accounts/portal-users.ts';
import type { PageHandler, PortalContext } from './context.ts';
import { getSession } from './context.ts';
import { readFormField, readQueryParameter } from './forms.ts';
import { findNoticeText, redirectAfterForm, sendNotFound, sendPortalPage } from './pages.ts';

const USERS_PATH = '/portal/users/';
const USERS_PER_PAGE = 50;

/** Changes when a password is issued: a form sent again by a reload is known by it. */
const versionOf = (user: PortalUser): string => String(user.updatedAt.getTime());

export function userPages({ db, clock, baseUrl, log, issueInitialPassword }: PortalContext) {
  const list: PageHandler = async (request, response) => {
    const prefix = readQueryParameter(request, 'q')?.trim() ?? '';
    const after = readQueryParameter(request, 'after') ?? '';
    const { orgId } = getSession(response);
    const found = await listPortalUsers(db, orgId, { prefix, after, limit: USERS_PER_PAGE + 1 });
    const users = found.slice(0, USERS_PER_PAGE);
    const last = found.length > USERS_PER_PAGE ? users.at(-1) : undefined;
    sendPortalPage(response, 200, 'users', {
      users,
      q: prefix,
      more: last && `${USERS_PATH}?${new URLSearchParams({ q: prefix, after: last.email }).toString()}`,
      version: versionOf,
      notice: findNoticeText(readQueryParameter(request, 'notice')),
      wide: true,
    });
  };

  const issue: PageHandler = async (request, response) => {
    const session = getSession(response);
    const id = String(request.params['id']);
    const user = formats['uuid']?.(id) === true ? await findPortalUser(db, session.orgId, id) : undefined;
    // One's own password is changed with the old one at hand.
    if (user === undefined || user.id === session.userId) {
      sendNotFound(response);
      return;
    }
    const version = readFormField(request, 'version');
    if (version !== '' && version !== versionOf(user)) {
      redirectAfterForm(response, `${USERS_PATH}?notice=password_unchanged`);
      return;
    }
    const issued = await issueInitialPassword(db, { orgId: session.orgId, email: user.email }, clock());
    if (issued === undefined) {
      sendNotFound(response);
      return;
    }
    log.info('Initial password issued.', { org_id: session.orgId, user_id: session.userId, for: user.id });
    sendPortalPage(response, 200, 'initial-password', {
      loginUrl: `${baseUrl}/accounts/login/`,
      username: issued.username,
      password: issued.password.reveal(),
    });
  };

  return { list, issue };
}
