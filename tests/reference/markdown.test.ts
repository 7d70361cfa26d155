import { expect, test } from 'vitest';
import { renderMarkdown } from '../../src/reference/markdown.ts';

test('blocks: headings, paragraphs, lists, tables, code', () => {
  const text = [
    '# Title',
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
      '<h2>Title</h2>',
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
      '<pre tabindex="0"><code>a &lt; b</code></pre>',
    ].join('\n'),
  );
});

test('a wrapped line that begins with a number and a dot stays in its paragraph', () => {
  expect(renderMarkdown('it may get\n409. No fleet')).toBe('<p>it may get\n409. No fleet</p>');
});

test('an unclosed fence ends with the text', () => {
  expect(renderMarkdown('```\nx')).toBe('<pre tabindex="0"><code>x</code></pre>');
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
