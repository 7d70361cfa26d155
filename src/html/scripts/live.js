// Keeps a page that is left open up to date: asks for it again and replaces the cells whose content has changed. Nothing is asked
// for while the page is not looked at. Without scripts a reload does the same.

const region = document.querySelector('[data-live-seconds]');
if (region !== null) schedule(region);

function schedule(element) {
  setTimeout(() => void refresh(element), Number(element.dataset.liveSeconds) * 1_000);
}

async function refresh(element) {
  if (document.visibilityState === 'visible') {
    try {
      const answer = await fetch(location.href, { headers: { Accept: 'text/html' } });
      if (answer.redirected) return;
      if (answer.ok) apply(element, new DOMParser().parseFromString(await answer.text(), 'text/html'));
    } catch {
      // What is shown stays until the next time.
    }
  }
  schedule(element);
}

function apply(element, page) {
  for (const cell of element.querySelectorAll('[data-live]')) {
    const fresh = page.querySelector(`[data-live="${CSS.escape(cell.dataset.live)}"]`);
    if (fresh !== null && fresh.innerHTML !== cell.innerHTML) cell.replaceChildren(...fresh.childNodes);
  }
  const seconds = page.querySelector('[data-live-seconds]')?.dataset.liveSeconds;
  if (seconds !== undefined) element.dataset.liveSeconds = seconds;
}
