import type { Actor } from './actor.js';

/**
 * The caller and the origin of the request. First parameter of every use case; built once per request by the access
 * guard.
 */
export interface RequestContext {
  readonly requestId: string;
  /** Address of the socket, or the forwarded one as configured by TRUST_PROXY. Null for background work. */
  readonly ip: string | null;
  /** Without the rest of a long header. It has no NUL, which PostgreSQL does not accept: Node refuses such a request. */
  readonly userAgent: string | null;
  readonly actor: Actor;
  /** SHA-256 of the cookie that identifies a browser, if the request has it. It identifies a browser, not a user. */
  readonly browserMark?: Buffer | null;
  /**
   * While an operator impersonates a tenant or an app: `actor` is still the operator, with the authority of that tenant
   * or app.
   */
  readonly actingAs?: ActingAs;
  /**
   * Whether the user's last sign-in is recent enough to confirm a critical change, see `requireRecentSignIn`. Absent on
   * routes whose access mark does not ask for it.
   */
  readonly signedInRecently?: boolean;
}

/** The tenant or app that a user impersonates in the console, for the audit log. */
export interface ActingAs {
  readonly type: 'tenant' | 'app';
  readonly id: string;
  readonly name: string;
  readonly reason: string;
}

/** Context of work outside of an HTTP request: start-up, background jobs, command line. */
export function systemContext(name: string): RequestContext {
  return { requestId: `system:${name}`, ip: null, userAgent: null, actor: { type: 'system', name } };
}
