// What is measured in a page, as text that the browser runs.

/** Font sizes of all text, and distances that are no multiples of 4 px, each with an element that has it. */
export const SIZES = `(() => {
  const sizes = new Set();
  const odd = [];
  const distances = ['marginTop', 'marginRight', 'marginBottom', 'marginLeft', 'paddingTop', 'paddingRight',
    'paddingBottom', 'paddingLeft', 'rowGap', 'columnGap'];
  for (const element of document.body.querySelectorAll('*')) {
    if (element.closest('svg') !== null && element.tagName !== 'svg') continue;
    if (!element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    if ([...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '')) sizes.add(style.fontSize);
    for (const name of distances) {
      const value = parseFloat(style[name]) || 0;
      if (value % 4 !== 0) odd.push([element.outerHTML.slice(0, 80), name, style[name]]);
    }
  }
  return { sizes: [...sizes], odd };
})()`;

/** Colours that are none of the tokens, each with an element that has it. */
export const COLOURS = `(() => {
  const probe = document.body.appendChild(document.createElement('i'));
  const tokens = new Set(['rgba(0, 0, 0, 0)', 'none']);
  for (const sheet of document.styleSheets) {
    for (const rule of sheet.cssRules) {
      if (rule.selectorText !== ':root') continue;
      for (const name of rule.style) {
        if (!name.startsWith('--')) continue;
        probe.style.color = '';
        probe.style.color = 'var(' + name + ')';
        tokens.add(getComputedStyle(probe).color);
      }
    }
  }
  probe.remove();
  const others = [];
  for (const element of document.body.querySelectorAll('*')) {
    if (!element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    const isDrawn = element.closest('svg') !== null && element.tagName !== 'svg';
    const names = ['color', 'backgroundColor', ...(isDrawn ? ['fill', 'stroke'] : [])];
    for (const side of ['Top', 'Right', 'Bottom', 'Left'])
      if (parseFloat(style['border' + side + 'Width']) > 0) names.push('border' + side + 'Color');
    for (const name of names)
      if (!tokens.has(style[name])) others.push([element.outerHTML.slice(0, 80), name, style[name]]);
  }
  return others;
})()`;

/** By how much the page is wider than the screen. */
export const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

/** Tables that are wider than what they stand in, over what is beside it, and do not scroll there. */
export const TOO_WIDE = `[...document.querySelectorAll('.rows')]
  .filter((table) => table.checkVisibility() && getComputedStyle(table.parentElement).overflowX === 'visible')
  .filter((table) => table.getBoundingClientRect().right > table.parentElement.getBoundingClientRect().right + 1
    - parseFloat(getComputedStyle(table.parentElement).paddingRight))
  .map((table) => ['too wide', table.getAttribute('aria-label')])`;

/** Texts of tables and facts that reach below their cell, over what is there. */
export const SPILLED = `[...document.querySelectorAll('.rows td, .facts dd')].flatMap((cell) => {
  const end = cell.getBoundingClientRect().bottom + 1;
  const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  while (texts.nextNode() !== null) {
    const { currentNode: text } = texts;
    range.selectNodeContents(text);
    if (text.parentElement.checkVisibility() && range.getBoundingClientRect().bottom > end)
      return [['spilled', text.textContent]];
  }
  return [];
})`;

/** Cells of tables that are narrow towers of text. */
export const TOWERS = `[...document.querySelectorAll('.rows td')]
  .filter(({ clientWidth, clientHeight }) => clientHeight > Math.max(120, clientWidth))
  .map((cell) => ['tower', cell.textContent.trim().slice(0, 80)])`;

/** The sum of all layout shifts so far (web.dev: cumulative layout shift). */
export const LAYOUT_SHIFT = `new Promise((resolve) => {
  let sum = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) sum += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)));
})`;

/** Ends what is on its way to another colour. */
export const END_TRANSITIONS = `document.getAnimations().forEach((animation) => {
  if (animation instanceof CSSTransition) animation.finish();
})`;

const WCAG = `{ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'], resultTypes: ['violations'] }`;
/** The rules of WCAG A and AA. */
export const AXE_RUN = `axe.run(${WCAG})`;
/** Those of them to which colours matter. */
export const AXE_COLOURS = `axe.run({ runOnly: ['color-contrast', 'link-in-text-block'], resultTypes: ['violations'] })`;
/** The same of what is around Swagger UI, which others have made. */
export const AXE_AROUND = `axe.run({ exclude: ['.swagger-ui'] }, ${WCAG})`;
