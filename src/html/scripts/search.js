// The search of the reference. It looks through a list of all pages in the browser, so that nothing that is typed is sent.
// Without it the form leads to the page that shows the whole list.

const MOST_RESULTS = 30;

const form = document.querySelector('form[role="search"]');
const input = form.querySelector('input');
const panel = document.getElementById('search-results');
const status = panel.querySelector('[role="status"]');
const list = panel.querySelector('ol');
/** On the page of the search the results stay; everywhere else they lie above the page. */
const isPageOfSearch = !form.contains(panel);

/** The index, loaded when somebody begins to search; a failed attempt is forgotten. */
let loading;
function loadIndex() {
  loading ??= readIndex().catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function readIndex() {
  const [{ default: MiniSearch }, answer] = await Promise.all([
    import(form.dataset.library),
    fetch(form.dataset.index),
  ]);
  if (!answer.ok) throw new Error(`The list of pages is answered with ${answer.status}.`);
  const index = new MiniSearch({
    idField: 'path',
    fields: ['title', 'terms', 'group', 'summary', 'words'],
    storeFields: ['title', 'group', 'summary'],
    searchOptions: { prefix: true, fuzzy: 0.15, combineWith: 'AND', boost: { title: 4, terms: 2 } },
  });
  index.addAll(await answer.json());
  return index;
}

async function search() {
  const text = input.value.trim();
  if (text === '') {
    panel.hidden = true;
    return;
  }
  let results;
  try {
    results = (await loadIndex()).search(text);
  } catch {
    show('The search does not work just now; the list of all pages does.', []);
    return;
  }
  // While the list came something else may have been typed.
  if (text !== input.value.trim()) return;
  const count = results.length === 1 ? '1 page' : `${results.length} pages`;
  show(results.length === 0 ? 'No page has all of these words.' : count, results.slice(0, MOST_RESULTS));
}

function show(message, results) {
  status.textContent = message;
  list.replaceChildren(
    ...results.map(({ id, title, group, summary }) => {
      const link = document.createElement('a');
      link.href = id;
      link.textContent = title;
      const hint = document.createElement('span');
      hint.className = 'hint';
      hint.textContent = `${group}: ${summary}`;
      const item = document.createElement('li');
      item.append(link, hint);
      return item;
    }),
  );
  panel.hidden = false;
}

input.addEventListener('input', search);
form.addEventListener('submit', (event) => {
  if (!isPageOfSearch) return;
  event.preventDefault();
  history.replaceState(null, '', `?q=${encodeURIComponent(input.value)}`);
  search();
});
if (isPageOfSearch) {
  input.value = new URLSearchParams(location.search).get('q') ?? '';
  search();
} else {
  input.addEventListener('focus', search);
  form.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || panel.hidden) return;
    input.focus();
    panel.hidden = true;
  });
  form.addEventListener('focusout', (event) => {
    if (!form.contains(event.relatedTarget)) panel.hidden = true;
  });
}
