import { formats } from '../domain/api/formats.ts';
import { parseInstant } from '../domain/api/instants.ts';
import { listSignupRequests } from '../queries/accounts/signup-requests.ts';
import type { SignupRequestCursor } from '../queries/accounts/signup-requests.ts';
import type { Page, PortalContext } from './context.ts';
import { queryText } from './forms.ts';
import { sendPortalPage, timeText } from './pages.ts';

const signupRequestsPath = '/portal/signup-requests/';
const REQUESTS_PER_PAGE = 50;

export function signupRequestPages({ db }: PortalContext) {
  const list: Page = async (request, response) => {
    const after = parseCursor(queryText(request, 'after'));
    const found = await listSignupRequests(db, REQUESTS_PER_PAGE + 1, after);
    const requests = found.slice(0, REQUESTS_PER_PAGE);
    const last = found.length > REQUESTS_PER_PAGE ? requests.at(-1) : undefined;
    sendPortalPage(response, 200, 'signup-requests', {
      requests,
      isFirst: after === undefined,
      more: last && `${signupRequestsPath}?after=${last.createdAt.toISOString()}_${last.id}`,
      time: timeText,
      wide: true,
    });
  };
  return { list };
}

/** `<instant>_<id>` of the page's last entry; anything else begins at the newest. */
function parseCursor(text: string | undefined): SignupRequestCursor | undefined {
  const [instant = '', id = ''] = text?.split('_') ?? [];
  const createdAt = parseInstant(instant);
  return createdAt !== undefined && formats['uuid']?.(id) === true ? { createdAt, id } : undefined;
}
