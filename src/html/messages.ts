import type { Response } from 'express';
import { sendView } from './render.ts';

interface Message {
  readonly heading: string;
  readonly text: string;
  /** Where the link below the text leads; the start page by default. */
  readonly back?: string;
  readonly backLabel?: string;
  /** By which support finds the request in the log. */
  readonly requestId?: string | undefined;
}

/** Answers with a page that is a heading, a sentence and a link. */
export function sendMessage(response: Response, status: number, message: Message): void {
  sendView(response, status, 'message', { ...message });
}

/** Answers 405 with a page and the header `Allow` (RFC 9110, 15.5.6); `allowed` is a comma list of methods. */
export function sendMethodNotAllowed(response: Response, allowed: string): void {
  response.set('Allow', allowed);
  sendMessage(response, 405, { heading: 'Not this way', text: `This page answers ${allowed} only.` });
}
