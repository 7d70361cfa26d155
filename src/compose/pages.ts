import type { SessionMemory } from '../accounts/sessions.ts';
import type { HashingTurns, VerifyAccount } from '../accounts/sign-in.ts';
import { createConsentRequests } from '../conditions/consent-requests.ts';
import type { AppOptions } from '../http/app.ts';
import type { RateLimiter } from '../http/rate-limiter.ts';
import type { RefusalDelay } from '../http/refusal-delay.ts';
import { createBytesSender } from '../http/tagged-answer.ts';
import type { Log } from '../log/log.ts';
import type { Services } from '../operations/context.ts';
import { createConsentPage } from '../portal/consent.ts';
import type { PortalOptions } from '../portal/context.ts';
import { createPortal } from '../portal/portal.ts';
import { normaliseUsername } from '../queries/accounts/accounts.ts';
import { isDatabaseUnavailable } from '../queries/connection/database.ts';
import { createReferencePages } from '../reference/reference.ts';
import { FairShare, REFUSE_AFTER_MS } from '../shares/fair-share.ts';
import { whenAlone } from '../shares/recent-partners.ts';
import type { RecentPartners } from '../shares/recent-partners.ts';
import { createPortalReads } from './portal-reads.ts';

/** Pages of people that are made at once: one of prices has some megabytes before it is sent. */
const PAGES = {
  capacity: 64,
  asOfRight: 1,
  maxWaiting: 64,
  refuseAfterMs: REFUSE_AFTER_MS,
} as const;
/** Of a partner that is alone at work, as a browser opens them together; beside others it has one. */
const PAGES_ALONE = 4;

export const createPageTurns = (recentPartners: Pick<RecentPartners, 'hasOthers'>): FairShare =>
  new FairShare({ ...PAGES, atMost: whenAlone(recentPartners, PAGES_ALONE, 1) });

/**
 * Pages of a partner that wait for heavy work, or have, beside those in a turn: with four of these no more than the nine that the line of
 * heavy work holds. More keep their turn while they wait.
 */
const PAGES_ASIDE = 4;

export const createPlacesAside = (): FairShare =>
  new FairShare({ capacity: PAGES.capacity, asOfRight: PAGES_ASIDE, atMost: PAGES_ASIDE, maxWaiting: 0 });

interface PagesOptions {
  readonly services: Services;
  readonly clock: () => Date;
  readonly log: Log;
  readonly limiter: RateLimiter;
  readonly verifyAccount: VerifyAccount;
  readonly hashing: HashingTurns;
  readonly sessions: SessionMemory;
  readonly refusalDelay: RefusalDelay;
  readonly recentPartners: Pick<RecentPartners, 'note' | 'hasOthers'>;
  readonly answerOnce: PortalOptions['answerOnce'];
  /** Until when links may come that do not name their organization. */
  readonly olderFormatUntil: Date | undefined;
}

/** The pages for people: consent, portal, reference. */
export function createPages(options: PagesOptions): AppOptions['pages'] {
  const {
    services,
    clock,
    log,
    limiter,
    verifyAccount,
    hashing,
    sessions,
    refusalDelay,
    answerOnce,
    recentPartners,
  } = options;
  const { db, baseUrl, linkKey } = services;
  const pageTurns = createPageTurns(recentPartners);
  const slowDown: PortalOptions['slowDown'] = (request, response) => refusalDelay.wait(request, response);
  return [
    createConsentPage({
      consentRequests: createConsentRequests(db, options.olderFormatUntil),
      clock,
      linkKey,
      log,
      isUnavailable: isDatabaseUnavailable,
      slowDown,
    }),
    createPortal({
      ...services,
      reads: createPortalReads(db),
      clock,
      log,
      pageTurns: {
        acquire: (partnerId, signal) => {
          recentPartners.note(partnerId);
          return pageTurns.acquire(partnerId, signal);
        },
      },
      placesAside: createPlacesAside(),
      sessions,
      verifyAccount,
      hashing,
      normaliseUsername: (username) => normaliseUsername(db, username),
      isUnavailable: isDatabaseUnavailable,
      answerOnce,
      countUse: (policy, subject) => limiter.countUse(policy, subject),
      countByPartner: (response, partnerId) => limiter.countByPartner(response, partnerId),
      slowDown,
      createSender: createBytesSender,
    }),
    createReferencePages({ baseUrl, createSender: createBytesSender }),
  ];
}
