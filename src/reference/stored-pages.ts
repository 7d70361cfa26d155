import type { Response } from 'express';
import { renderView } from '../html/render.ts';
import type { Navigation } from './navigation.ts';
import { readReferenceFile } from './page-list.ts';
import type { PageEntry } from './page-list.ts';

/** Answers with bytes that are the same for everybody: compressed, with an entity tag, or 304. */
export type SendBytes = (response: Response) => Promise<void>;
/** How bytes of a media type will be sent; caches ask each time whether they are still the same, unless it is said otherwise. */
export type CreateSender = (type: string, bytes: Buffer, cacheControl?: string) => SendBytes;

/** The server address in the generated files; answers show the real one. */
const DOCUMENT_URL = 'http://localhost:8080';

/**
 * The answers by address: a page, its Markdown at its address with `.md` behind it, and `/llms.txt`. Each is made when it is
 * first asked for, and kept: there are no more of them than there are pages.
 */
export class StoredPages {
  readonly #makers: ReadonlyMap<string, () => SendBytes>;
  readonly #made = new Map<string, SendBytes>();

  constructor(
    entries: readonly PageEntry[],
    navigation: Navigation,
    { baseUrl, createSender }: { readonly baseUrl: string; readonly createSender: CreateSender },
  ) {
    const read = (file: string): string => readReferenceFile(file).replaceAll(DOCUMENT_URL, baseUrl);
    const toSender = (type: string, text: string): SendBytes =>
      createSender(`${type}; charset=utf-8`, Buffer.from(text));
    this.#makers = new Map([
      ['/llms.txt', () => toSender('text/plain', read('llms.txt'))],
      ...entries.flatMap((page): [string, () => SendBytes][] => [
        [`${page.path}.md`, () => toSender('text/markdown', read(`${page.file}.md`))],
        [
          page.path,
          () => {
            const reference = navigation.forPage(page.path);
            const content = read(`${page.file}.html`);
            return toSender('text/html', renderView('reference', { page, reference, content, wide: true }));
          },
        ],
      ]),
    ]);
  }

  /** What answers at an address; undefined where there is no page. */
  find(path: string): SendBytes | undefined {
    const made = this.#made.get(path);
    if (made !== undefined) return made;
    const send = this.#makers.get(path)?.();
    if (send !== undefined) this.#made.set(path, send);
    return send;
  }
}
