import { peakMemory, residentMemory } from '../../test/support/resident-memory.js';
import { unique } from '../../test/support/world.js';
import { median, type Result } from '../comparison.js';
import type { Options, Section } from '../report.js';
import type { Stage } from '../stage.js';

const USERS = 10_000;

/** POST /admin/tenants/import with ten thousand users, and their export: time, and what the process grows by. */
export async function transfer(stage: Stage, { rounds }: Options): Promise<Section> {
  const figures = {
    import: [] as number[],
    export: [] as number[],
    imported: [] as number[],
    exported: [] as number[],
  };
  const pid = stage.service.pid!;
  await stage.world.asAdmin('POST', '/admin/tenants/import', document(10)); // the first one also compiles
  for (let round = 0; round < rounds; round++) {
    const body = document(USERS);
    const [id, growth] = await measure(figures.import, pid, async () => {
      const made = await stage.world.asAdmin<{ id: string }>('POST', '/admin/tenants/import', body);
      return made.id;
    });
    figures.imported.push(growth);
    const [size, more] = await measure(figures.export, pid, async () => {
      const answer = await fetch(`${stage.baseUrl}/admin/tenants/${id}/export?include_users=true`, {
        headers: { Authorization: `Bearer ${stage.world.admin.token}` },
        signal: AbortSignal.timeout(120_000),
      });
      return (await answer.text()).length;
    });
    if (size < USERS * 100) throw new Error('The export is too short');
    figures.exported.push(more);
  }
  const result = (name: string, times: readonly number[]): Result => ({
    name,
    rate: USERS / (median(times) / 1000),
    p50: median(times),
    p99: Math.max(...times),
    cpu: {},
    wrong: 0,
  });
  return {
    title: `export and import, ${USERS} users (rates: users a second; p99 column: the slowest)`,
    results: [result('import', figures.import), result('export', figures.export)],
    goals: [
      { what: 'import, seconds', value: median(figures.import) / 1000, floor: 10, headline: 5, kind: 'most' },
      { what: 'import, MB more', value: Math.max(...figures.imported), floor: 300, headline: 150, kind: 'most' },
      { what: 'export, seconds', value: median(figures.export) / 1000, floor: 1.5, headline: 1, kind: 'most' },
      { what: 'export, MB more', value: Math.max(...figures.exported), floor: 120, headline: 60, kind: 'most' },
    ],
  };
}

/** @returns what the work answered, and by how many MB the process was larger at its largest */
async function measure<T>(times: number[], pid: number, work: () => Promise<T>): Promise<[T, number]> {
  const before = residentMemory(pid);
  const begun = performance.now();
  const { result, peak } = await peakMemory(pid, work);
  times.push(performance.now() - begun);
  return [result, peak - before];
}

function document(count: number): object {
  const tag = unique();
  const users = Array.from({ length: count }, (_, n) => ({
    email: `person-${n}-${tag}@example.com`,
    display_name: `Person number ${n}`,
    email_verified: true,
    roles: ['user', 'manager'],
  }));
  return { tenant: { name: 'Bench', slug: `b-${tag}` }, apps: [{ name: 'Shop', bundle_id: `com.${tag}`, users }] };
}
