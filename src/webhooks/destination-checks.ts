import { LRUCache } from 'lru-cache';
import { validateEndpointUrl, type EndpointUrlResult } from '../domain/notifications/endpoint.ts';
import { checkDestinationAddress, type AddressDecision } from '../domain/security/addresses.ts';

/** What is remembered: endpoints and addresses that were called last. */
const MAX_ENDPOINTS = 1_000;
const MAX_ADDRESSES = 10_000;

/**
 * Whether endpoints and addresses may be called. The settings of a process do not change, so that an answer depends on the text
 * alone and is remembered: made anew for every delivery, these checks took an eighth of its processor time.
 */
export class DestinationChecks {
  readonly #allowedNetworks: readonly string[];
  readonly #endpoints = new LRUCache<string, EndpointUrlResult>({ max: MAX_ENDPOINTS });
  readonly #addresses = new LRUCache<string, AddressDecision>({ max: MAX_ADDRESSES });

  constructor(allowedNetworks: readonly string[]) {
    this.#allowedNetworks = allowedNetworks;
  }

  /** The URL of the answer is shared: it must not be changed. */
  checkEndpoint(url: string): EndpointUrlResult {
    let result = this.#endpoints.get(url);
    if (result === undefined) {
      result = validateEndpointUrl(url, this.#allowedNetworks);
      this.#endpoints.set(url, result);
    }
    return result;
  }

  checkAddress(address: string): AddressDecision {
    let decision = this.#addresses.get(address);
    if (decision === undefined) {
      decision = checkDestinationAddress(address, this.#allowedNetworks);
      this.#addresses.set(address, decision);
    }
    return decision;
  }
}
