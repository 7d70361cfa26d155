// The page of events while it is looked at: asks for what is new when the service says that something has happened, or every five
// seconds where that cannot be heard. New rows come above the others; while the page is paused, scrolled or read in, they are
// counted on a button and come when it is pressed. Without scripts the page shows the newest.

import { readPage } from './read-page.js';

const LEAST_PAUSE_MS = 1_000;
const POLL_MS = 5_000;
/** So many of the newest are asked for again: what is written at the same time may come in another order. */
const OVERLAP = 20;

const state = document.querySelector('[data-events-state]');
if (state !== null) startEvents(state);

function startEvents({ dataset }) {
  const list = document.querySelector('[data-events]');
  const news = document.querySelector('[data-events-news]');
  const pause = document.querySelector('[data-events-pause]');
  const most = Number(dataset.most);
  let held = [];
  let timer;
  let changes;
  let askedAt = performance.now();
  let isAsking = false;
  let isDue = false;

  const isPaused = () => pause.getAttribute('aria-pressed') === 'true';
  const isRead = () => isPaused() || scrollY > 0 || list.querySelector('details[open]') !== null;
  const known = () => new Set([...list.rows, ...held].map(({ dataset: row }) => row.event));

  const plan = (ms) => {
    clearTimeout(timer);
    timer = setTimeout(ask, ms);
  };
  const ask = async () => {
    if (document.visibilityState !== 'visible') return;
    isAsking = true;
    isDue = false;
    askedAt = performance.now();
    const page = await readPage(addressOf([...held, ...list.rows][OVERLAP]));
    isAsking = false;
    if (page !== undefined) take(page);
    plan(isDue ? LEAST_PAUSE_MS : POLL_MS);
  };
  const take = (page) => {
    document
      .querySelector('[data-events-as-of]')
      .replaceChildren(...page.querySelector('[data-events-as-of]').childNodes);
    const before = known();
    const fresh = [...page.querySelectorAll('[data-event]')].filter((row) => !before.has(row.dataset.event));
    held = [...fresh, ...held].slice(0, most);
    if (!isRead()) show();
    tell();
  };
  const show = () => {
    list.prepend(...held);
    held = [];
    for (const row of [...list.rows].slice(most)) row.remove();
    const isEmpty = list.rows.length === 0;
    list.closest('table').hidden = isEmpty;
    document.querySelector('[data-events-none]').hidden = !isEmpty;
  };
  const tell = () => {
    news.hidden = held.length === 0;
    news.textContent = `Show ${held.length === most ? `${most} or more` : held.length} new`;
  };
  const hear = () => {
    isDue = true;
    if (!isAsking) plan(Math.max(0, LEAST_PAUSE_MS - (performance.now() - askedAt)));
  };
  const listen = () => {
    changes?.close();
    if (dataset.changes === undefined || document.visibilityState !== 'visible') return;
    changes = new EventSource(dataset.changes);
    changes.onmessage = hear;
  };

  news.addEventListener('click', () => {
    show();
    tell();
    scrollTo(0, 0);
  });
  pause.addEventListener('click', () => {
    pause.setAttribute('aria-pressed', String(!isPaused()));
    pause.textContent = isPaused() ? 'Resume' : 'Pause';
    if (!isRead()) show();
    tell();
  });
  document.addEventListener('visibilitychange', () => {
    listen();
    if (document.visibilityState === 'visible') hear();
  });
  listen();
  plan(POLL_MS);
}

/** The page, or of it what was told behind the event of this row. */
function addressOf(row) {
  const address = new URL(location.href);
  if (row !== undefined) address.searchParams.set('after', row.dataset.event);
  return address;
}
