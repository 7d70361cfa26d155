import { formats } from '../domain/api/formats.ts';
import { findPortalUser, listPortalUsers } from '../queries/accounts/portal-users.ts';
import type { PortalUser } from '../queries/accounts/portal-users.ts';
import type { Page, PortalContext } from './context.ts';
import { sessionOf } from './context.ts';
import { field, queryText } from './forms.ts';
import { noticeText, seeOther, sendNotFound, sendPortalPage } from './pages.ts';

const usersPath = '/portal/users/';
const USERS_PER_PAGE = 50;

/** Changes when a password is issued: a form sent again by a reload is known by it. */
const versionOf = (user: PortalUser): string => String(user.updatedAt.getTime());

export function userPages({ db, clock, baseUrl, log, issueInitialPassword }: PortalContext) {
  const list: Page = async (request, response) => {
    const prefix = queryText(request, 'q')?.trim() ?? '';
    const after = queryText(request, 'after') ?? '';
    const { orgId } = sessionOf(response);
    const found = await listPortalUsers(db, orgId, { prefix, after, limit: USERS_PER_PAGE + 1 });
    const users = found.slice(0, USERS_PER_PAGE);
    const last = found.length > USERS_PER_PAGE ? users.at(-1) : undefined;
    sendPortalPage(response, 200, 'users', {
      users,
      q: prefix,
      more: last && `${usersPath}?${new URLSearchParams({ q: prefix, after: last.email }).toString()}`,
      version: versionOf,
      notice: noticeText(queryText(request, 'notice')),
      wide: true,
    });
  };

  const issue: Page = async (request, response) => {
    const session = sessionOf(response);
    const id = String(request.params['id']);
    const user = formats['uuid']?.(id) === true ? await findPortalUser(db, session.orgId, id) : undefined;
    // One's own password is changed with the old one at hand.
    if (user === undefined || user.id === session.userId) {
      sendNotFound(response);
      return;
    }
    const version = field(request, 'version');
    if (version !== '' && version !== versionOf(user)) {
      seeOther(response, `${usersPath}?notice=password_unchanged`);
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
