import type { Actor } from './actor.js';

/** The caller, and where they ask from. First parameter of every use case; built once per request by the access guard. */
export interface RequestContext {
  readonly requestId: string;
  /** Socket address, or the forwarded one when TRUST_PROXY says so. Null for background work. */
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly actor: Actor;
  /** SHA-256 of the cookie that a browser is known by, if the request has it. It identifies a browser, not a user. */
  readonly browserMark?: Buffer | null;
  /** While an operator acts as a tenant or an app: then `actor` is still who they are, with that one's authority. */
  readonly actingAs?: ActingAs;
}

/** As whom a user acts in the console, for the audit log. */
export interface ActingAs {
  readonly type: 'tenant' | 'app';
  readonly id: string;
  readonly name: string;
  readonly reason: string;
}

/** Context of work outside of an HTTP request: start-up, background jobs, the command line. */
export function systemContext(name: string): RequestContext {
  return { requestId: `system:${name}`, ip: null, userAgent: null, actor: { type: 'system', name } };
}
