// The palette: the search of the portal above any page. Without scripts its link leads to the page of the search.

const TYPING_PAUSE_MS = 120;

const palette = document.getElementById('palette');
if (palette !== null) startPalette(palette);

function startPalette(dialog) {
  const input = dialog.querySelector('[role="combobox"]');
  const list = dialog.querySelector('[role="listbox"]');
  const status = dialog.querySelector('[role="status"]');
  let asking = new AbortController();
  let pause;

  const options = () => [...list.children];
  const findActive = () => list.querySelector('[aria-selected="true"]');
  const activate = (option) => {
    findActive()?.setAttribute('aria-selected', 'false');
    option?.setAttribute('aria-selected', 'true');
    option?.scrollIntoView({ block: 'nearest' });
    input.setAttribute('aria-activedescendant', option?.id ?? '');
  };
  const show = (places) => {
    // What an arrow has chosen since the last letter stays chosen, and no other place is chosen in its stead.
    const chosen = findActive()?.dataset.href;
    list.replaceChildren(...places.map(createOption));
    list.hidden = places.length === 0;
    input.setAttribute('aria-expanded', String(places.length > 0));
    activate(
      chosen === undefined
        ? list.firstElementChild
        : options().find(({ dataset }) => dataset.href === chosen),
    );
    status.textContent = places.length === 1 ? '1 place' : `${places.length} places`;
  };
  const ask = async () => {
    asking.abort();
    asking = new AbortController();
    const query = new URLSearchParams(new FormData(input.form));
    try {
      const answer = await fetch(`/portal/search.json?${query}`, { signal: asking.signal });
      if (answer.redirected) location.reload();
      else if (answer.ok) show((await answer.json()).places);
      else status.textContent = 'Not found out just now. Enter searches again.';
    } catch (error) {
      if (error.name !== 'AbortError') status.textContent = 'Not reached. Enter searches again.';
    }
  };

  input.addEventListener('input', () => {
    // What is shown belongs to what was typed before: Enter leads to the page of the search until this is answered, or an arrow chooses.
    asking.abort();
    activate(null);
    clearTimeout(pause);
    pause = setTimeout(ask, TYPING_PAUSE_MS);
  });
  input.addEventListener('keydown', (event) => {
    const [all, active] = [options(), findActive()];
    const steps = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key in steps && all.length > 0) {
      event.preventDefault();
      const at = active === null ? Math.min(0, steps[event.key]) : all.indexOf(active) + steps[event.key];
      activate(all.at(at % all.length));
    } else if (event.key === 'Enter' && active !== null) {
      event.preventDefault();
      location.assign(active.dataset.href);
    }
  });
  list.addEventListener('click', ({ target }) => {
    const option = target.closest('[role="option"]');
    if (option !== null) location.assign(option.dataset.href);
  });
  dialog.addEventListener('close', () => {
    asking.abort();
    clearTimeout(pause);
  });

  const toggle = () => {
    if (dialog.open) return dialog.close();
    for (const other of document.querySelectorAll('dialog[open]')) other.close();
    input.value = '';
    show([]);
    dialog.showModal();
    void ask();
  };
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('[data-palette]') : null;
    if (link === null || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    toggle();
  });
  document.addEventListener('keydown', (event) => {
    const isAsked = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
    if (!isAsked || event.key.toLowerCase() !== 'k') return;
    event.preventDefault();
    toggle();
  });
}

function createOption({ label, detail, href }, index) {
  const option = document.createElement('li');
  option.id = `palette-place-${index}`;
  option.role = 'option';
  option.dataset.href = href;
  option.setAttribute('aria-selected', 'false');
  const kind = document.createElement('small');
  kind.textContent = detail;
  option.append(label, kind);
  return option;
}
