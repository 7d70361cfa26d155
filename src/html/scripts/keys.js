// Keys of the pages behind the login: two letters lead to a page, one opens the search or the list of keys. Those without Ctrl
// can be switched off, for people who dictate (WCAG 2.1.4).

const SECOND_KEY_MS = 1_500;
const SWITCH_NAME = 'single-keys';

const keyList = document.getElementById('keys');
if (keyList !== null) startKeys(keyList);

function startKeys(dialog) {
  const choice = dialog.querySelector(`#${SWITCH_NAME}`);
  choice.checked = localStorage.getItem(SWITCH_NAME) !== 'off';
  choice.addEventListener('change', () => localStorage.setItem(SWITCH_NAME, choice.checked ? 'on' : 'off'));
  const open = () => {
    for (const other of document.querySelectorAll('dialog[open]')) other.close();
    dialog.showModal();
  };
  document.querySelector('[data-opens="keys"]').addEventListener('click', open);

  let before = '';
  let forget;
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !choice.checked || isTyping(event.target)) return;
    if (document.querySelector('dialog[open]') !== null) return;
    const { key } = event;
    const link = document.querySelector(`[data-keys="${CSS.escape(`${before} ${key}`)}"]`);
    before = link === null && key === 'g' ? key : '';
    clearTimeout(forget);
    forget = setTimeout(() => (before = ''), SECOND_KEY_MS);
    const act = { '?': open, '/': () => document.querySelector('[data-palette]').click() }[key];
    if (link === null && act === undefined) return;
    event.preventDefault();
    if (link === null) act();
    else link.click();
  });
}

/** A field of a dialog that was just closed still gets keys for a moment. */
function isTyping(element) {
  const field = element.closest('input:not([type="range"]), textarea, select, [contenteditable]');
  return field?.checkVisibility() === true;
}
