import type { MemberCursor } from '../../auth/entry/entrants.repository.js';

/** Progress of a walk over the members of apps: the last evaluated member. */
export interface WalkCursor {
  readonly appId: string;
  readonly after: MemberCursor;
}

/**
 * @param read members of the app, in their order
 * @returns null: none were read
 */
export function walkCursorOf(appId: string, read: readonly MemberCursor[]): WalkCursor | null {
  const last = read.at(-1);
  return last ? { appId, after: { userCreatedAt: last.userCreatedAt, userId: last.userId } } : null;
}

interface Client {
  readonly before: { readonly app: { readonly id: string } };
}

export function isAmong(clients: readonly Client[], { appId }: WalkCursor): boolean {
  return clients.some(({ before }) => before.app.id === appId);
}

/** The clients without those before the cursor; all if its app is not among them. */
export function restOf<Change extends Client>(clients: readonly Change[], from: WalkCursor | null): readonly Change[] {
  return clients.slice(Math.max(0, from ? clients.findIndex(({ before }) => before.app.id === from.appId) : 0));
}
