// Asks for the preview as the form is filled in and when its button is pressed, and puts what has changed in place of what is shown. A request
// that is overtaken by another is given up. While the service has no room, the last preview stays and is asked for again.

const TYPING_MS = 400;
const MOST_WAIT_SECONDS = 30;
const BUSY = [429, 503];
/** What of the page that the button would open is taken over. */
const PARTS = ['preview', 'json', 'call'];

/** Keeps the preview up to date; `onShown` is called with the page's preview when there is one, at first and whenever it is new. */
export function startLivePreview(form, onShown) {
  const status = document.querySelector('[data-preview-status]');
  const state = { timer: undefined, request: undefined };
  const schedule = (delayMs) => {
    clearTimeout(state.timer);
    state.timer = setTimeout(() => void refresh(), delayMs);
  };
  const refresh = async () => {
    state.request?.abort();
    const request = new AbortController();
    state.request = request;
    try {
      const answer = await ask(form, request.signal);
      if (answer.waitMs === undefined) {
        status.textContent = apply(form, answer.page, onShown);
      } else {
        status.textContent = 'The service is busy; the preview follows.';
        schedule(answer.waitMs);
      }
    } catch (error) {
      if (request.signal.aborted) return;
      status.textContent = 'The service cannot be reached; the preview follows with the next change.';
    }
  };
  form.addEventListener('input', () => schedule(TYPING_MS));
  form.addEventListener('change', () => schedule(TYPING_MS));
  form.addEventListener('submit', (event) => {
    const { value: action } = event.submitter ?? {};
    // What is asked for already holds the partner's turn, so that another page would wait for it, and be refused where it takes long.
    if (action === 'preview') {
      event.preventDefault();
      schedule(0);
    } else if (action !== 'download') {
      clearTimeout(state.timer);
      state.request?.abort();
    }
  });
  if (document.querySelector('[data-part="preview"] .chart') === null) schedule(0);
  else onShown(document);
}

/** The page with the preview, or how long the service wants to be left alone (429, 503). */
async function ask(form, signal) {
  const body = new URLSearchParams(new FormData(form));
  body.set('do', 'refresh');
  const answer = await fetch(form.action, { method: 'POST', body, signal, headers: { Accept: 'text/html' } });
  if (BUSY.includes(answer.status)) {
    const seconds = Number(answer.headers.get('Retry-After')) || 2;
    return { waitMs: 1_000 * Math.min(seconds, MOST_WAIT_SECONDS) };
  }
  return { page: new DOMParser().parseFromString(await answer.text(), 'text/html') };
}

/** Takes over what the page says; returns what is to be said besides. */
function apply(form, page, onShown) {
  // Another page says why there is no preview: the session has ended, or the fleet is there already.
  if (page.querySelector('[data-part="preview"]') === null)
    return page.querySelector('main p')?.textContent ?? 'There is no preview.';
  const faults = showErrors(form, page);
  // It is another one where a fleet of other values was created by it before.
  form.elements.namedItem('request_id').value = page.querySelector('[name="request_id"]').value;
  const hasPreview = page.querySelector('[data-part="preview"] .chart') !== null;
  for (const part of PARTS) {
    // The last preview stays while a field is to be mended.
    if (part === 'preview' && !hasPreview) continue;
    const [shown, fresh] = [document, page].map((each) => each.querySelector(`[data-part="${part}"]`));
    if (shown.innerHTML === fresh.innerHTML) continue;
    keepState(shown, fresh);
    shown.replaceChildren(...fresh.childNodes);
  }
  document.dispatchEvent(new CustomEvent('parts-replaced'));
  if (hasPreview) {
    onShown(document);
    return '';
  }
  if (faults === 0) return page.querySelector('main > .note.error p')?.textContent ?? 'There is no preview.';
  return `${faults === 1 ? 'One field needs another value' : `${faults} fields need other values`}; the preview is the last one.`;
}

/** What is folded out stays so, and what was announced is not announced again. */
function keepState(shown, fresh) {
  const before = shown.querySelectorAll('details');
  for (const [index, each] of fresh.querySelectorAll('details').entries())
    each.open = before[index]?.open ?? false;
  const known = new Set([...shown.querySelectorAll('.note')].map((note) => note.textContent));
  for (const note of fresh.querySelectorAll('.note'))
    if (known.has(note.textContent)) note.removeAttribute('role');
}

/** What is wrong at each field, as the page says it; returns how many fields are to be mended. */
function showErrors(form, page) {
  let count = 0;
  for (const control of form.querySelectorAll('.field :is(input, select, textarea)')) {
    const field = control.closest('.field');
    const fresh = page.getElementById(control.id)?.closest('.field');
    const [shownError, freshError] = [field, fresh].map((each) => each?.querySelector('.error-text') ?? null);
    if (freshError !== null) count += 1;
    if (shownError?.textContent === freshError?.textContent) continue;
    shownError?.remove();
    if (freshError !== null) field.append(freshError);
    copyAttributes(control, page.getElementById(control.id), ['aria-invalid', 'aria-describedby']);
  }
  return count;
}

function copyAttributes(to, from, names) {
  for (const name of names) {
    const value = from?.getAttribute(name) ?? null;
    if (value === null) to.removeAttribute(name);
    else to.setAttribute(name, value);
  }
}
