import MarkdownIt from 'markdown-it';
import { highlightCode } from './highlight.ts';

/** Links lead to http(s) addresses, to paths of this server, or within the page. */
const LINK_PATTERN = /^(?:https?:\/\/|\/(?![/\\])|#)/;
/** Code in these languages under one heading is the same in each; a reader opens one of them. */
const CHOICES = new Set(['curl', 'TypeScript', 'Python', 'Shell']);

interface Environment {
  /** How often each id was given. */
  readonly ids: Map<string, number>;
  /** How many groups of code in several languages there are so far. */
  choices: number;
  /** Where the page of a name is; undefined for names without one. */
  readonly addressOf: (name: string) => string | undefined;
}

/** CommonMark with tables. HTML in the text is shown as text, and no address that could run a script becomes a link. */
const parser = createParser();

/**
 * Markdown as HTML. Headings have ids, tables scroll by themselves, and no element has a style, which the pages'
 * Content-Security-Policy would refuse. Names in the text, written as code, become links where they have a page.
 */
export function renderMarkdown(text: string, addressOf: Environment['addressOf'] = () => undefined): string {
  const environment: Environment = { ids: new Map(), choices: 0, addressOf };
  return parser.render(text, { ...environment }).trimEnd();
}

function createParser() {
  const markdown = new MarkdownIt({ html: false }).disable('image');
  markdown.validateLink = (address) => LINK_PATTERN.test(address);
  const { rules } = markdown.renderer;
  rules['heading_open'] = (tokens, index, _options, env) => {
    const tag = tokens[index]?.tag ?? 'h2';
    return `<${tag} id="${takeId(tokens[index + 1]?.content ?? '', toEnvironment(env))}">`;
  };
  rules['code_inline'] = (tokens, index, _options, env) => {
    const name = tokens[index]?.content ?? '';
    const code = `<code>${markdown.utils.escapeHtml(name)}</code>`;
    const address = toEnvironment(env).addressOf(name);
    const isLinked = tokens[index - 1]?.type === 'link_open';
    return address === undefined || isLinked ? code : `<a href="${address}">${code}</a>`;
  };
  rules['fence'] = rules['code_block'] = (tokens, index, _options, env) => {
    const [language = '', ...title] = (tokens[index]?.info ?? '').trim().split(/\s+/);
    const code = tokens[index]?.content.replace(/\n$/, '') ?? '';
    const html = `<pre><code>${highlightCode(code, language, markdown.utils.escapeHtml)}</code></pre>`;
    const text = title.join(' ');
    if (text === '') return `${html}\n`;
    if (!CHOICES.has(text)) return `<p class="caption">${markdown.utils.escapeHtml(text)}</p>\n${html}\n`;
    const isFirst = tokens[index - 1]?.type !== 'fence';
    const environment = toEnvironment(env);
    if (isFirst) environment.choices += 1;
    return `<details name="code-${environment.choices}"${isFirst ? ' open' : ''}><summary>${text}</summary>${html}</details>\n`;
  };
  rules['table_open'] = () => '<div class="scroll" tabindex="0" role="region" aria-label="Table"><table>\n';
  rules['table_close'] = () => '</table></div>\n';
  rules['th_open'] = () => '<th scope="col">';
  rules['td_open'] = () => '<td>';
  return markdown;
}

/** What `renderMarkdown` gives along. */
function toEnvironment(env: unknown): Environment {
  return env as Environment;
}

function takeId(heading: string, { ids }: Environment): string {
  const id = heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  const count = ids.get(id) ?? 0;
  ids.set(id, count + 1);
  return count === 0 ? id : `${id}-${count + 1}`;
}
