import type { ProviderHttp } from './provider-http.js';

type Callback = (error: unknown, data?: string, response?: unknown) => void;

/**
 * Makes an OAuth 2.0 strategy call its provider with our HTTP client, because the one of node-oauth limits neither time
 * nor size. All calls of node-oauth go through `_request`, and passport-oauth2 exposes `_oauth2` to its subclasses.
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
  // Also catches an error of the callback itself, which throws for the body `null`: the request fails, not the process.
  Object.assign(oauth2, {
    _request: (...call: Parameters<typeof request>) => void request(...call).catch((error: unknown) => call[5](error)),
  });
}
