/** What an app proves who it is with: its secret, its key, or nothing (a public client). */
export type ClientMethod = 'secret' | 'key' | 'none';

/** What a snippet names of the app that it is shown for. */
export interface SnippetValues {
  /** The service's issuer. */
  readonly issuer: string;
  readonly appId: string;
  readonly appName: string;
  /** The first one that is registered; null: there is none yet. */
  readonly redirectUri: string | null;
  readonly method: ClientMethod;
}

/** As a string of JavaScript, Python and Go alike. */
export function quoted(text: string): string {
  return JSON.stringify(text);
}

/** Where the app is called back, and what follows from it for a small server. */
export interface Callback {
  /** The registered redirect URI, or one to replace. */
  readonly uri: string;
  readonly path: string;
  /** Where the snippet begins a sign-in: a path that is not the callback's. */
  readonly startPath: string;
  /** That of a redirect URI on this machine; else one to put a proxy before. */
  readonly port: string;
}

export function callbackOf({ redirectUri }: SnippetValues): Callback {
  const uri = redirectUri ?? 'https://your-app.example/callback';
  const { protocol, pathname, port } = new URL(uri);
  const isLocal = protocol === 'http:';
  return {
    uri,
    path: pathname,
    startPath: pathname === '/login' ? '/start' : '/login',
    port: isLocal ? port || '80' : '4000',
  };
}
