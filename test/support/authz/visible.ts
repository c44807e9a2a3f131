import type { ActorName } from '../authz-matrix.js';
import type { AuthzFixture } from '../authz-fixture.js';
import type { Answer } from '../world.js';
import type { Body } from './exercise.js';

export async function ids(stage: AuthzFixture, text: string, values: unknown[] = []): Promise<string[]> {
  return (await stage.world.sql<{ id: string }>(text, values)).map(({ id }) => id).sort();
}

export function idsIn(answer: Answer<Body>): string[] {
  return (answer.body as { id: string }[]).map(({ id }) => id).sort();
}

export function visibleUsers(stage: AuthzFixture, actor: ActorName): Promise<string[]> {
  const reach = stage.reach(actor);
  if (!reach) return ids(stage, 'SELECT id FROM users');
  return ids(
    stage,
    `SELECT DISTINCT u.id FROM users u JOIN enrollments e ON e.user_id = u.id JOIN apps a ON a.id = e.app_id
     WHERE a.tenant_id = ANY($1) OR a.id = ANY($2)`,
    [reach.tenants, reach.apps],
  );
}
