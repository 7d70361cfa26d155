import { listNewestSignupRequests } from '../accounts/signup-requests.ts';
import type { PageHandler } from './context.ts';
import { readQueryParameter } from './forms.ts';
import { sendView } from '../html/render.ts';
import { formatMinute } from './pages.ts';

const SIGNUP_REQUESTS_PATH = '/portal/signup-requests/';

/** The sign-up requests, newest first, page by page. */
export const showSignupRequests: PageHandler = async ({ db }, request, response) => {
  const page = await listNewestSignupRequests(db, readQueryParameter(request, 'after'));
  sendView(response, 200, 'signup-requests', {
    requests: page.requests,
    isFirst: page.isFirst,
    more: page.nextCursor && `${SIGNUP_REQUESTS_PATH}?after=${page.nextCursor}`,
    time: formatMinute,
    wide: true,
  });
};
