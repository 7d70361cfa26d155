import { expect, test } from 'vitest';
import { renderMarkdown } from '../../../tools/generate/reference/markdown.ts';

test('blocks: headings, paragraphs, lists, tables, code', () => {
  const text = [
    '## Title',
    'One',
    'two',
    '',
    '1. first',
    '   goes on',
    '2. second',
    '',
    '- a',
    '- b',
    '',
    '| A | B |',
    '|---|:-:|',
    '| `x` | y\\|z |',
    '```sh',
    'a < b',
    '```',
  ].join('\n');
  expect(renderMarkdown(text)).toBe(
    [
      '<h2 id="title">Title</h2>',
      '<p>One\ntwo</p>',
      '<ol>',
      '<li>first\ngoes on</li>',
      '<li>second</li>',
      '</ol>',
      '<ul>',
      '<li>a</li>',
      '<li>b</li>',
      '</ul>',
      '<div class="scroll" tabindex="0" role="region" aria-label="Table"><table>',
      '<thead>',
      '<tr>',
      '<th scope="col">A</th>',
      '<th scope="col">B</th>',
      '</tr>',
      '</thead>',
      '<tbody>',
      '<tr>',
      '<td><code>x</code></td>',
      '<td>y|z</td>',
      '</tr>',
      '</tbody>',
      '</table></div>',
      '<pre><code><span class="t-name">a </span><span class="t-word">&lt; </span><span class="t-text">b</span></code></pre>',
    ].join('\n'),
  );
});

test('a wrapped line that begins with a number and a dot stays in its paragraph', () => {
  expect(renderMarkdown('it may get\n409. No fleet')).toBe('<p>it may get\n409. No fleet</p>');
});

test('an unclosed fence ends with the text', () => {
  expect(renderMarkdown('```\nx')).toBe('<pre><code>x</code></pre>');
});

test('inline: code is literal, emphasis and safe links are read, all else is escaped', () => {
  expect(renderMarkdown('`**<b>**` **bold** *soft* [here](/docs/) [there](https://e.example/?a=1&b=2)')).toBe(
    '<p><code>**&lt;b&gt;**</code> <strong>bold</strong> <em>soft</em> <a href="/docs/">here</a> ' +
      '<a href="https://e.example/?a=1&amp;b=2">there</a></p>',
  );
  for (const hostile of ['[x](javascript:alert(1))', '[x](//evil.example)', '[x](data:text/html,y)'])
    expect(renderMarkdown(hostile)).not.toContain('<a ');
  expect(renderMarkdown('<img src=x onerror="a">')).toBe('<p>&lt;img src=x onerror=&quot;a&quot;&gt;</p>');
  expect(renderMarkdown('[x](https://e.example/"onclick="a)')).not.toContain('"onclick');
});

test('headings have ids, a second one of the same words another', () => {
  expect(renderMarkdown('## A, b `c`\n\n## A b c')).toBe(
    '<h2 id="a-b-c">A, b <code>c</code></h2>\n<h2 id="a-b-c-2">A b c</h2>',
  );
});

test('code has classes and no styles; the same in several languages is one of which a reader opens one', () => {
  const html = renderMarkdown(
    '```sh curl\necho "$A <b>"\n```\n\n```ts TypeScript\nconst a = 1; // <b>\n```\n\ntext\n\n```json One case\n{"a": null}\n```',
  );
  expect(html).toMatch(/^<details name="code-1" open><summary>curl<\/summary><pre>/);
  expect(html).toContain('<details name="code-1"><summary>TypeScript</summary><pre>');
  expect(html).toContain('<p class="caption">One case</p>\n<pre>');
  expect(html).toContain('<span class="t-word">const</span>');
  expect(html).not.toMatch(/style=|<b>/);
  expect(
    html
      .replaceAll(/<[^>]+>/g, '')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"'),
  ).toContain('const a = 1; // <b>');
});
