import { Router, type Request, type Response } from 'express';
import { verifyConsentQuery, type ReturnUrls } from '../domain/security/consent-links.ts';
import { isUuid } from '../domain/api/formats.ts';
import { isLinkPlausible } from '../domain/security/signed-links.ts';
import type { LinkKey } from '../domain/security/signed-links.ts';
import type { ConsentRequest, ConsentRequests } from '../conditions/consent-requests.ts';
import type { PortalOptions } from './context.ts';
import { createErrorPageHandler } from './error-page.ts';
import { readFormField, parseFormBody } from './forms.ts';
import { disableCaching, setSecurityHeaders } from '../html/headers.ts';
import { sendMessage, sendMethodNotAllowed } from '../html/messages.ts';
import { redirectAfterForm } from './pages.ts';
import { sendView } from '../html/render.ts';

export interface ConsentContext extends Pick<PortalOptions, 'log' | 'isUnavailable' | 'slowDown'> {
  readonly consentRequests: ConsentRequests;
  readonly clock: () => Date;
  readonly linkKey: LinkKey;
}

interface Consent {
  readonly request: ConsentRequest;
  readonly device: { readonly name: string; readonly manufacturer: string };
  readonly urls: ReturnUrls;
}

interface Refusal {
  readonly status: number;
  readonly heading: string;
  readonly text: string;
}

const REFUSALS = {
  invalid: {
    status: 403,
    heading: 'Link not valid',
    text: 'The link is incomplete, was altered, or is older than one hour. Go back to the app that sent you here and start again.',
  },
  suspended: {
    status: 403,
    heading: 'Organization suspended',
    text: 'The operator of the service has suspended the organization of this device. Nothing is lost; go back to the app that sent you here and start again once it is resumed.',
  },
  missing: { status: 404, heading: 'Page not found', text: 'There is no such request for consent.' },
  done: {
    status: 410,
    heading: 'Nothing left to do',
    text: 'The device is connected again already. Go back to the app that sent you here.',
  },
} as const satisfies Readonly<Record<string, Refusal>>;

/**
 * The simulated manufacturer's consent page. It asks for no token: the signed link is the permission, and the
 * addresses that it returns to come from the link alone. Mount it before the portal, which asks for a session.
 * An unknown item is 404, a link that is not (or no longer) valid and one of a suspended partner 403, a request that is done 410.
 */
export function createConsentPage(context: ConsentContext): Router {
  const router = Router({ caseSensitive: true });
  const route = router.route('/portal/consent/:item');
  route.all(setSecurityHeaders, disableCaching);
  route.get(async (request, response) => {
    const consent = await verifyConsentRequest(context, request);
    if ('status' in consent) {
      await refuse(context, request, response, consent);
      return;
    }
    allowReturnInPolicy(response, consent.urls);
    sendView(response, 200, 'consent', { device: consent.device });
  });
  route.post(parseFormBody, async (request, response) => {
    const decision = readFormField(request, 'decision');
    const consent = await verifyConsentRequest(context, request);
    if ('status' in consent) {
      await refuse(context, request, response, consent);
    } else if (decision === 'decline') {
      redirectAfterForm(response, consent.urls.cancel);
    } else if (decision !== 'approve') {
      sendMessage(response, 400, {
        heading: 'No decision',
        text: 'Go back and choose one of the two buttons.',
      });
    } else if (await context.consentRequests.approve(consent.request, context.clock())) {
      redirectAfterForm(response, consent.urls.success);
    } else {
      sendMessage(response, 410, REFUSALS.done);
    }
  });
  route.all((_request, response) => {
    sendMethodNotAllowed(response, 'GET, HEAD, POST');
  });
  router.use(createErrorPageHandler(context));
  return router;
}

/** Who makes links up waits for it. */
async function refuse(
  { slowDown }: ConsentContext,
  request: Request,
  response: Response,
  refusal: Refusal,
): Promise<void> {
  await slowDown(request, response);
  sendMessage(response, refusal.status, refusal);
}

async function verifyConsentRequest(
  { consentRequests, clock, linkKey }: ConsentContext,
  request: Request,
): Promise<Consent | Refusal> {
  const itemId = request.params['item'];
  if (typeof itemId !== 'string' || !isUuid(itemId)) return REFUSALS.missing;
  const query = new URL(request.originalUrl, 'http://localhost').searchParams;
  const [secrets, returns, orgs] = [query.getAll('secret'), query.getAll('return'), query.getAll('org')];
  const [secret, packed, orgId] = [secrets[0], returns[0], orgs[0]];
  const isRepeated = [secrets, returns, orgs].some(({ length }) => length > 1);
  const isOrgMalformed = orgId !== undefined && !isUuid(orgId);
  if (secret === undefined || packed === undefined || isRepeated || isOrgMalformed) return REFUSALS.invalid;
  // Before the database is asked: whoever makes links up costs no statement with most of them.
  if (!isLinkPlausible(secret, clock())) return REFUSALS.invalid;
  const consent = await consentRequests.find({ orgId, itemId: itemId.toLowerCase() }, clock());
  if (consent === undefined) return orgId === undefined ? REFUSALS.invalid : REFUSALS.missing;
  const link = verifyConsentQuery(linkKey, consent, { secret, packed }, clock());
  if (link.status !== 'valid') return REFUSALS.invalid;
  if (consent.isSuspended) return REFUSALS.suspended;
  if (consent.isResolved) return REFUSALS.done;
  return consent.device === undefined
    ? REFUSALS.missing
    : { request: consent, device: consent.device, urls: link.urls };
}

/**
 * Adds the return addresses to the page's policy: browsers apply form-action also to the redirect that answers a form. The
 * link itself must not leak through the header Referer.
 */
function allowReturnInPolicy(response: Response, urls: ReturnUrls): void {
  const sources = new Set([urls.success, urls.cancel].map(toPolicySource));
  const policy = String(response.get('Content-Security-Policy'));
  response.set({
    'Content-Security-Policy': policy.replace(
      "form-action 'self'",
      `form-action 'self' ${[...sources].join(' ')}`,
    ),
    'Referrer-Policy': 'no-referrer',
  });
}

/** A policy cannot name an IPv6 address (CSP 3, host-source), so there the scheme must do. */
function toPolicySource(address: string): string {
  const url = new URL(address);
  return url.hostname.startsWith('[') ? url.protocol : url.origin;
}
