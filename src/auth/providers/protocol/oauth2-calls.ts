import type { ProviderHttp } from './provider-http.js';

type Callback = (error: unknown, data?: string, response?: unknown) => void;

/**
 * Lets an OAuth 2.0 strategy call its provider through our HTTP client: the one of node-oauth has no time limit and no
 * size limit. `_request` is the one method of node-oauth that calls out, and passport-oauth2 offers `_oauth2` to its
 * subclasses.
 */
export function callThrough(http: ProviderHttp, oauth2: object): void {
  const { _customHeaders: customHeaders } = oauth2 as { _customHeaders?: Record<string, string> };
  const request = async (
    method: string,
    url: string,
    headers: Record<string, string>,
    body: string,
    _accessToken: string | null,
    callback: Callback,
  ): Promise<void> => {
    const sent = { method, headers: { ...customHeaders, ...headers }, ...(body ? { body } : {}) };
    const response = await http.fetch(url, sent);
    const data = await response.text();
    if (response.ok) callback(null, data, { statusCode: response.status });
    else callback({ statusCode: response.status, data });
  };
  // Also for a callback that throws, as it does for the body `null`: the error ends the request, not the process.
  Object.assign(oauth2, {
    _request: (...call: Parameters<typeof request>) => void request(...call).catch((error: unknown) => call[5](error)),
  });
}
