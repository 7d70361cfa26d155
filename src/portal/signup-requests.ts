import { formats } from '../domain/api/formats.ts';
import { tryParseInstant } from '../domain/api/instants.ts';
import { listSignupRequests } from '../queries/accounts/signup-requests.ts';
import type { SignupRequestCursor } from '../queries/accounts/signup-requests.ts';
import type { PageHandler, PortalContext } from './context.ts';
import { readQueryParameter } from './forms.ts';
import { sendPortalPage, formatMinute } from './pages.ts';

const SIGNUP_REQUESTS_PATH = '/portal/signup-requests/';
const REQUESTS_PER_PAGE = 50;

export function signupRequestPages({ db }: PortalContext) {
  const list: PageHandler = async (request, response) => {
    const after = parseCursor(readQueryParameter(request, 'after'));
    const found = await listSignupRequests(db, REQUESTS_PER_PAGE + 1, after);
    const requests = found.slice(0, REQUESTS_PER_PAGE);
    const last = found.length > REQUESTS_PER_PAGE ? requests.at(-1) : undefined;
    sendPortalPage(response, 200, 'signup-requests', {
      requests,
      isFirst: after === undefined,
      more: last && `${SIGNUP_REQUESTS_PATH}?after=${last.createdAt.toISOString()}_${last.id}`,
      time: formatMinute,
      wide: true,
    });
  };
  return { list };
}

/** `<instant>_<id>` of the page's last entry; anything else begins at the newest. */
function parseCursor(text: string | undefined): SignupRequestCursor | undefined {
  const [instant = '', id = ''] = text?.split('_') ?? [];
  const createdAt = tryParseInstant(instant);
  return createdAt !== undefined && formats['uuid']?.(id) === true ? { createdAt, id } : undefined;
}
