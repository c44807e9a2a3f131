/** How an app authenticates: with its secret, with its key, or not at all (a public client). */
export type ClientMethod = 'secret' | 'key' | 'none';

/** Values of the app in a snippet. */
export interface SnippetValues {
  /** The service's issuer. */
  readonly issuer: string;
  readonly appId: string;
  readonly appName: string;
  /** The first registered one; null: none. */
  readonly redirectUri: string | null;
  readonly method: ClientMethod;
}

/** As a string literal, which is the same in JavaScript, Python and Go. */
export function quoted(text: string): string {
  return JSON.stringify(text);
}

/** The app's callback, and the paths and port of a small server for it. */
export interface Callback {
  /** The registered redirect URI, or a placeholder. */
  readonly uri: string;
  readonly path: string;
  /** Path that begins a sign-in; differs from that of the callback. */
  readonly startPath: string;
  /** Port of a redirect URI on this machine; otherwise one for a server behind a proxy. */
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
