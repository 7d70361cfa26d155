import type { Response } from 'express';
import type { OperationId } from '../../generated/routes.ts';

/** Whose request it is, once that is proven, and what it asks for. */
export interface RequestOwner {
  readonly orgId: string;
  /** Null for requests for a token. */
  readonly userId: string | null;
  readonly applicationId: string | null;
  readonly operation: OperationId;
}

export function setOwner(response: Response, owner: RequestOwner): void {
  response.locals['owner'] = owner;
}

/** Undefined for requests of callers who have proven nothing, and for pages. */
export function findOwner(response: Response): RequestOwner | undefined {
  return response.locals['owner'] as RequestOwner | undefined;
}

/** The caller has proven which partner it belongs to. */
export function markAsOfPartner(response: Response): void {
  response.locals['isOfPartner'] = true;
}

/** Whether that has been said of the request that this answers. */
export function isOfPartner(response: Response): boolean {
  return response.locals['isOfPartner'] === true;
}
