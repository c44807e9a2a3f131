import type { RequestContext } from '../../common/request-context.js';
import { NotWhileActingAs } from '../enrollments/enrollment.errors.js';

export function isThemselves({ actor }: RequestContext, userId: string): boolean {
  return actor.type === 'user' && actor.userId === userId;
}

/** @throws NotWhileActingAs */
export function checkNotOwnWhileActing(ctx: RequestContext, userId: string): void {
  if (ctx.actingAs && isThemselves(ctx, userId)) throw new NotWhileActingAs();
}
