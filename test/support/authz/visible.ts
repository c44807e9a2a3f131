import type { ActorName } from '../authz-matrix.js';
import type { AuthzFixture } from '../authz-fixture.js';
import type { Answer } from '../world.js';
import type { Body } from './exercise.js';

export async function ids(fixture: AuthzFixture, text: string, values: unknown[] = []): Promise<string[]> {
  return (await fixture.world.sql<{ id: string }>(text, values)).map(({ id }) => id).sort();
}

export function idsIn(answer: Answer<Body>): string[] {
  return (answer.body as { id: string }[]).map(({ id }) => id).sort();
}

export function visibleUsers(fixture: AuthzFixture, actor: ActorName): Promise<string[]> {
  const reach = fixture.reach(actor);
  if (!reach) return ids(fixture, 'SELECT id FROM users');
  return ids(
    fixture,
    `SELECT DISTINCT u.id FROM users u JOIN enrollments e ON e.user_id = u.id JOIN apps a ON a.id = e.app_id
     WHERE a.tenant_id = ANY($1) OR a.id = ANY($2)`,
    [reach.tenants, reach.apps],
  );
}
