/** What a snippet names of the app that it is shown for. */
export interface SnippetValues {
  /** The service's issuer. */
  readonly issuer: string;
  readonly appId: string;
  readonly appName: string;
  /** The first one that is registered; null: there is none yet. */
  readonly redirectUri: string | null;
}

/** As a string of JavaScript, Python and Go alike. */
export function quoted(text: string): string {
  return JSON.stringify(text);
}

/** The registered redirect URI, or one to replace. */
export function callbackOf({ redirectUri }: SnippetValues): { readonly uri: string; readonly path: string } {
  const uri = redirectUri ?? 'https://your-app.example/callback';
  return { uri, path: new URL(uri).pathname };
}
