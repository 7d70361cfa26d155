/** Where the service is: the client of orval imports it. */
export let BASE_URL = '';

export function useBaseUrl(baseUrl: string): void {
  BASE_URL = baseUrl;
}
