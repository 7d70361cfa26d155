// Keeps a page that is left open up to date: asks for it again, by the clock and when the service says that something has
// happened, and replaces the cells whose content has changed. What would move the page is offered by a button. Nothing is asked for
// while the page is not looked at. Without scripts a reload does the same.

import { readPage } from './read-page.js';

const LEAST_PAUSE_MS = 5_000;

const region = document.querySelector('[data-live-seconds]');
if (region !== null) startLive(region);

function startLive({ dataset }) {
  let timer;
  let changes;
  let isAsking = false;
  let isDue = false;
  let askedAt = performance.now();

  const plan = (ms) => {
    clearTimeout(timer);
    timer = setTimeout(refresh, ms);
  };
  const planNext = () => plan(isDue ? LEAST_PAUSE_MS : Number(dataset.liveSeconds) * 1_000);
  const refresh = async () => {
    isAsking = true;
    isDue = false;
    const page = document.visibilityState === 'visible' ? await readPage(location.href) : undefined;
    isAsking = false;
    askedAt = performance.now();
    if (page !== undefined) {
      dataset.liveSeconds =
        page.querySelector('[data-live-seconds]')?.dataset.liveSeconds ?? dataset.liveSeconds;
      showFresh(page);
    }
    planNext();
  };
  const hear = () => {
    if (isDue) return;
    isDue = true;
    if (!isAsking) plan(Math.max(0, LEAST_PAUSE_MS - (performance.now() - askedAt)));
  };
  // Where it cannot be listened to, the clock is enough.
  const listen = () => {
    changes?.close();
    if (dataset.changes === undefined || document.visibilityState !== 'visible') return;
    changes = new EventSource(dataset.changes);
    changes.onmessage = hear;
  };

  document.addEventListener('visibilitychange', () => {
    listen();
    if (document.visibilityState === 'visible') hear();
  });
  document.querySelector('[data-live-news]')?.addEventListener('click', () => location.reload());
  listen();
  planNext();
}

function showFresh(page) {
  // What is there now and was not, or the other way round, would move what is below.
  let isMoved = namesOf(page).join() !== namesOf(document).join();
  for (const cell of document.querySelectorAll('[data-live]')) {
    const fresh = page.querySelector(`[data-live="${CSS.escape(cell.dataset.live)}"]`);
    if (fresh === null || fresh.innerHTML === cell.innerHTML) continue;
    if (countRows(fresh) !== countRows(cell)) isMoved = true;
    else cell.replaceChildren(...fresh.childNodes);
  }
  for (const source of document.querySelectorAll('.chart script[type="application/json"]')) {
    const fresh = page.querySelector('.chart script[type="application/json"]');
    if (fresh === null || fresh.textContent === source.textContent) continue;
    source.textContent = fresh.textContent;
    source.closest('.chart').dispatchEvent(new Event('fresh'));
  }
  const news = document.querySelector('[data-live-news]');
  if (news !== null && isMoved) news.hidden = false;
}

function namesOf(page) {
  return [...page.querySelectorAll('[data-live]')].map(({ dataset }) => dataset.live);
}

/** More or fewer of them would move what is below. */
function countRows(cell) {
  return cell.querySelectorAll('tr, li').length;
}
