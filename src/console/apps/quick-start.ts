/** @param scopes what the app may ask for */
export function serviceTokenCall(baseUrl: string, appId: string, scopes: readonly string[]): string {
  return `curl -X POST ${baseUrl}/auth/token \\
  -d grant_type=client_credentials \\
  -d client_id=${appId} \\
  -d client_secret=<client secret> \\
  --data-urlencode 'scope=${scopes.join(' ') || '<scope>'}'`;
}

/** The real page, as people see it; null where no redirect URI is registered. */
export function hostedPageUrl(baseUrl: string, appId: string, redirectUris: readonly string[]): string | null {
  const [first] = redirectUris;
  if (first === undefined) return null;
  return `${baseUrl}/login?${new URLSearchParams({ app_id: appId, redirect_uri: first, prompt: 'login' }).toString()}`;
}
