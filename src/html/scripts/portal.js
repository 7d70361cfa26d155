// Copies an id: the one thing on these pages that a form cannot do. Without scripts the button is not shown, and one click
// on the id selects it. A form that was sent is not sent again by the second half of a double click, whose answer would take
// the place of the first, with the secret that is shown once.

const SHOWN_MS = 2_000;
const DOUBLE_CLICK_MS = 1_000;

document.addEventListener('click', async (event) => {
  const button = event.target instanceof Element ? event.target.closest('[data-copy]') : null;
  if (button === null) return;
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
  } catch {
    // Browsers give the clipboard to secure pages alone; the id is selected instead.
    getSelection().selectAllChildren(button.previousElementSibling);
    return;
  }
  const label = button.getAttribute('aria-label');
  button.dataset.copied = '';
  button.setAttribute('aria-label', 'Copied');
  setTimeout(() => {
    delete button.dataset.copied;
    button.setAttribute('aria-label', label);
  }, SHOWN_MS);
});

document.addEventListener('submit', (event) => {
  const form = event.target;
  if (form.method !== 'post' || event.defaultPrevented) return;
  if ('sent' in form.dataset) {
    event.preventDefault();
    return;
  }
  form.dataset.sent = '';
  // A form that downloads a file leaves its page where it is.
  setTimeout(() => delete form.dataset.sent, DOUBLE_CLICK_MS);
});
