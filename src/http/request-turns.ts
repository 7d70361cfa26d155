import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { QuotaSubject } from '../domain/security/quota-subjects.ts';
import { PROCESS_CLOCK } from '../loops/loop-clock.ts';
import type { LoopClock } from '../loops/loop-clock.ts';
import { TurnLoop } from '../loops/turn-loop.ts';
import { CallerTurns } from './caller-turns.ts';
import type { WaitingLimits } from './caller-turns.ts';

/** How long one turn of the event loop may begin requests at once: for others that is there again in each turn that theirs need. */
const STARTING_MS = 1;
/**
 * And how many in any case, if they take no longer than some milliseconds: where other programs have the processor meanwhile, the
 * clock runs on and requests that are few would wait, each for turns that are long themselves.
 */
const FEW_OF_TURN = 16;
const FEW_MS = 5;
/**
 * The same while requests wait: a few at most, since what is under way needs several turns, and each is as long as what is begun in it;
 * and the loop accepts one connection in a turn, and 200 may be before another caller's.
 */
const STARTING_WAITING_MS = 0.25;
/**
 * Where turns are long all the same, by what is read in them, a partner of whom few requests wait has a quarter of them besides: with 240
 * turns in a second, of reads of strangers' bodies, one request a turn would be begun, of a stranger and of the partner alternately. Few are
 * those of a program's connections.
 */
const SHARE_OF_LONG_TURN = 0.25;
const MOST_OF_LONG_TURN_MS = 4;
const FEW_WAITING = 64;
/** How long a request waits to be begun before it is refused. */
const WAIT_MS = 2_000;
/**
 * Requests that may wait: of one caller, who may have a proxy's connections, and of all addresses together, as many as are begun
 * in some two seconds. A request that waits has a header of 16 KiB at most.
 */
export const WAITING_LIMITS: WaitingLimits = { maxOfCaller: 1_024, maxOfParty: 2_048 };
/** Requests that have waited too long and are refused at most when it is their caller's turn. */
const REFUSED_OF_TURN = 8;

export interface RequestTurnsOptions {
  /** Whose turn a request takes; asked only of requests that wait. */
  readonly findCaller: (request: IncomingMessage) => QuotaSubject;
  /** Answers a request that cannot wait any longer. */
  readonly refuse: RequestListener;
  readonly clock?: LoopClock | undefined;
  readonly limits?: WaitingLimits | undefined;
}

interface Waiting {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly sinceMs: number;
  /** Takes it out when its client goes. */
  readonly leave: () => void;
}

const WAITED_MS = new WeakMap<ServerResponse, number>();

/** Milliseconds that a request has waited before it was begun; mostly 0. */
export function findWaitedMs(response: ServerResponse): number {
  return WAITED_MS.get(response) ?? 0;
}

/**
 * Begins requests, for a millisecond in a turn of the event loop, or a few of them. What comes beyond waits, and callers take turns, one
 * request each: whoever has hundreds of connections readable at once makes another caller wait for a few of his requests and
 * not for all, and whoever has hundreds of addresses makes a partner wait for a few of theirs (CallerTurns). Nothing waits, and
 * nothing is asked about the caller, while there is time left. Who goes leaves; what has waited for 2 s is refused, and so is at
 * once what comes behind 1,024 of its caller, and of the address that has most what comes behind 2,048 of all addresses.
 */
export class RequestTurns {
  readonly #listener: RequestListener;
  readonly #options: RequestTurnsOptions;
  readonly #clock: LoopClock;
  readonly #waiting: CallerTurns<Waiting>;
  #turn = -1;
  #turnBeganMs = -Infinity;
  #begunOfTurn = 0;
  readonly #loop: TurnLoop;

  constructor(listener: RequestListener, options: RequestTurnsOptions) {
    this.#listener = listener;
    this.#options = options;
    this.#clock = options.clock ?? PROCESS_CLOCK;
    this.#waiting = new CallerTurns(options.limits ?? WAITING_LIMITS);
    this.#loop = new TurnLoop({
      turnMs: STARTING_WAITING_MS,
      monotonicMs: this.#clock.monotonicMs,
      hasNext: () => !this.#waiting.isEmpty,
      doNext: () => this.#beginOneOf(this.#waiting.next() ?? []),
      inLongTurns: {
        share: SHARE_OF_LONG_TURN,
        maxMs: MOST_OF_LONG_TURN_MS,
        doNext: () => this.#beginOneOfFew(),
      },
      onTurn: (nowMs) => this.#setTurn(this.#clock.countTurns(), nowMs),
    });
  }

  /** Begins the request now, or when it is its caller's turn. */
  readonly take: RequestListener = (request, response) => {
    const nowMs = this.#clock.monotonicMs();
    if (!this.#loop.isRunning && this.#hasTimeLeft(nowMs)) {
      this.#begunOfTurn += 1;
      this.#listener(request, response);
    } else this.#wait(request, response, nowMs);
  };

  /** The turn is asked for only when its time would be over: that costs twice as much as the clock. */
  #hasTimeLeft(nowMs: number): boolean {
    if (nowMs - this.#turnBeganMs < (this.#begunOfTurn < FEW_OF_TURN ? FEW_MS : STARTING_MS)) return true;
    const turn = this.#clock.countTurns();
    if (turn === this.#turn) return false;
    this.#setTurn(turn, nowMs);
    return true;
  }

  #setTurn(turn: number, beganMs: number): void {
    this.#turn = turn;
    this.#turnBeganMs = beganMs;
    this.#begunOfTurn = 0;
  }

  #wait(request: IncomingMessage, response: ServerResponse, sinceMs: number): void {
    const caller = this.#options.findCaller(request);
    const entry: Waiting = {
      request,
      response,
      sinceMs,
      leave: () => {
        response.off('close', entry.leave);
        this.#waiting.remove(caller, entry);
      },
    };
    response.once('close', entry.leave);
    const beyond = this.#waiting.add(caller, entry);
    if (beyond !== undefined) {
      beyond.leave();
      this.#options.refuse(beyond.request, beyond.response);
    }
    this.#loop.start();
  }

  #beginOneOfFew(): boolean {
    const waiting = this.#waiting.nextOfFew(FEW_WAITING);
    if (waiting !== undefined) this.#beginOneOf(waiting);
    return waiting !== undefined;
  }

  /** Begins one request of the caller whose turn it is. */
  #beginOneOf(waiting: Iterable<Waiting>): void {
    let refused = 0;
    for (const { request, response, sinceMs, leave } of waiting) {
      leave();
      const waitedMs = this.#clock.monotonicMs() - sinceMs;
      WAITED_MS.set(response, waitedMs);
      if (waitedMs < WAIT_MS) {
        this.#listener(request, response);
        return;
      }
      this.#options.refuse(request, response);
      if (++refused === REFUSED_OF_TURN) return;
    }
  }
}
