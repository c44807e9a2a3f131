import { callbackOf, quoted, type SnippetValues } from './snippet.js';

/** Next.js with Auth.js, which has its own callback path. */
export function nextSnippet(values: SnippetValues): string {
  const { origin } = new URL(callbackOf(values).uri);
  const host = origin === 'null' ? 'https://your-app.example' : origin;
  const isPublic = values.method === 'none';
  return `// npm install next-auth@beta
// Set ${isPublic ? '' : 'OIDC_CLIENT_SECRET, and '}AUTH_SECRET to a random text.
// Redirect URI to register: ${host}/api/auth/callback/broker

// auth.ts
import NextAuth from "next-auth";

export const { handlers, auth, signIn, signOut } = NextAuth({
  providers: [
    {
      id: "broker",
      name: ${quoted(values.appName)},
      type: "oidc",
      issuer: ${quoted(values.issuer)},
      clientId: ${quoted(values.appId)},
      ${isPublic ? 'client: { token_endpoint_auth_method: "none" }' : 'clientSecret: process.env.OIDC_CLIENT_SECRET'},
    },
  ],
});

// app/api/auth/[...nextauth]/route.ts
import { handlers } from "@/auth";

export const { GET, POST } = handlers;

// In a page: const session = await auth();
// In a form's action: await signIn("broker");`;
}
