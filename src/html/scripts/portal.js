// Copies an id: the one thing on these pages that a form cannot do. Without scripts the button is not shown, and one click
// on the id selects it.

const SHOWN_MS = 2_000;

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
