import MarkdownIt from 'markdown-it';

/** Links lead to http(s) addresses, to paths of this server, or within the page. */
const LINK_PATTERN = /^(?:https?:\/\/|\/(?![/\\])|#)/;

/** CommonMark with tables. HTML in the text is shown as text, and no address that could run a script becomes a link. */
const parser = createParser();

/**
 * Markdown as HTML. A heading of the first level becomes `h2`, or the heading of the given level; tables scroll by
 * themselves, and no element has a style, which the pages' Content-Security-Policy would refuse.
 */
export function renderMarkdown(text: string, topHeading = 2): string {
  return parser.render(text, { topHeading }).trimEnd();
}

/** One paragraph of Markdown as HTML, without the element around it. */
export function renderInlineMarkdown(text: string): string {
  return parser.renderInline(text);
}

function createParser() {
  const markdown = new MarkdownIt({ html: false }).disable('image');
  markdown.validateLink = (address) => LINK_PATTERN.test(address);
  const { rules } = markdown.renderer;
  rules['heading_open'] = (tokens, index, _options, env) => `<${headingTag(tokens[index]?.tag, env)}>`;
  rules['heading_close'] = (tokens, index, _options, env) => `</${headingTag(tokens[index]?.tag, env)}>\n`;
  rules['fence'] = rules['code_block'] = (tokens, index) => {
    const code = tokens[index]?.content.replace(/\n$/, '') ?? '';
    return `<pre tabindex="0"><code>${markdown.utils.escapeHtml(code)}</code></pre>\n`;
  };
  rules['table_open'] = () => '<div class="scroll" tabindex="0" role="region" aria-label="Table"><table>\n';
  rules['table_close'] = () => '</table></div>\n';
  rules['th_open'] = () => '<th scope="col">';
  rules['td_open'] = () => '<td>';
  return markdown;
}

function headingTag(tag: string | undefined, env: unknown): string {
  const { topHeading = 2 } = env as { readonly topHeading?: number };
  return `h${Math.min(6, topHeading + Number(tag?.slice(1) ?? 1) - 1)}`;
}
