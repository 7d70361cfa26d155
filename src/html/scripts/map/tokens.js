/** A custom property of the page as it stands now. */
export function readToken(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** Calls back whenever the browser changes between light and dark. */
export function whenThemeChanges(callback) {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', callback);
}
