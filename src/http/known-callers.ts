import type { Response } from 'express';

/** The caller has proven which partner it belongs to. */
export function markAsOfPartner(response: Response): void {
  response.locals['isOfPartner'] = true;
}

/** Whether that has been said of the request that this answers. */
export function isOfPartner(response: Response): boolean {
  return response.locals['isOfPartner'] === true;
}
