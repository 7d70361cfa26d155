import { FairShare } from './fair-share.ts';
import type { StartTimer } from './fair-share.ts';
import { acquireInLine } from './held-units.ts';
import { whenAlone } from './recent-partners.ts';
import type { RecentPartners } from './recent-partners.ts';

const PAGE_WAIT_MS = 2_000;
/** Partners of which a page, or a chunk, waits for its turn or has it. */
const LINES = 1_000;
/** Pages of a partner that are read, or wait for a chunk beside them. */
const PAGES = { capacity: LINES, asOfRight: 1, maxWaiting: 1_000, waitMs: PAGE_WAIT_MS };
/**
 * Chunks of streamed lists that are, for a millisecond or two of the event loop each. Only lists that are streamed wait, sixteen of a
 * partner, so that none is refused for their number; the wait is long enough for those before it on a slow database.
 */
const CHUNK_WAIT_MS = 30_000;
const CHUNKS = { capacity: LINES, asOfRight: 1, maxWaiting: 16, waitMs: CHUNK_WAIT_MS };
/** Parts of a list, pages or chunks, that are read and presented at once, some 100 rows and 3 ms of the event loop each. */
const PARTS = { capacity: 8, asOfRight: 1, maxWaiting: 16, waitMs: PAGE_WAIT_MS };
/** Those of a partner that is alone at work; beside others it has one. */
const ALONE = 2;

interface ListTurnsOptions {
  readonly recentPartners: Pick<RecentPartners, 'hasOthers'>;
  readonly monotonicMs: () => number;
  readonly startTimer?: StartTimer;
}

/**
 * Who reads pages of lists, or chunks of long ones, takes turns: those of one partner would otherwise come together in one turn of the
 * event loop, while as many servers of the database compute for them. A partner's pages wait behind one another, and so do its chunks; the
 * first page and the first chunk take the partner's turn alternately, so that sixteen lists that are sent keep no page waiting.
 */
export class ListTurns {
  readonly #monotonicMs: () => number;
  readonly #pages: FairShare;
  readonly #chunks: FairShare;
  readonly #parts: FairShare;

  constructor({ recentPartners, monotonicMs, startTimer }: ListTurnsOptions) {
    this.#monotonicMs = monotonicMs;
    const atMost = whenAlone(recentPartners, ALONE, 1);
    const share = (options: typeof PAGES): FairShare => new FairShare({ ...options, atMost, startTimer });
    this.#pages = share(PAGES);
    this.#chunks = share(CHUNKS);
    this.#parts = share(PARTS);
  }

  /**
   * A turn for a page; what is returned ends it.
   * @throws Problem overloaded (503) after two seconds; the reason of the signal when that is aborted first.
   */
  acquirePage(partnerId: string, signal?: AbortSignal): Promise<() => void> {
    const untilMs = this.#monotonicMs() + PAGE_WAIT_MS;
    return acquireInLine(
      () => this.#pages.acquire(partnerId, signal),
      () => this.#parts.acquire(partnerId, signal, Math.max(0, untilMs - this.#monotonicMs())),
    );
  }

  /** A turn for a chunk of a list that is streamed. Throws as for a page, but after 30 s for each of the two waits. */
  acquireChunk(partnerId: string, signal?: AbortSignal): Promise<() => void> {
    return acquireInLine(
      () => this.#chunks.acquire(partnerId, signal),
      () => this.#parts.acquire(partnerId, signal, CHUNK_WAIT_MS),
    );
  }
}
