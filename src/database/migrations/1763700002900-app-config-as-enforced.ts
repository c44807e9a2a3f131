import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What an app's settings said and never had an effect: refresh tokens that hold longer than the 90 days of a sign-in,
 * and sign-in methods that do not exist. Both are refused from now on; left as they are, the next save would fail.
 */
export class AppConfigAsEnforced1763700002900 implements MigrationInterface {
  name = 'AppConfigAsEnforced1763700002900';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      UPDATE apps SET config = jsonb_set(config, '{refresh_lifetime_days}', '90')
      WHERE (config ->> 'refresh_lifetime_days')::int > 90;

      UPDATE apps SET config = jsonb_set(config, '{allowed_providers}', (
        SELECT coalesce(jsonb_agg(name ORDER BY place), '[]'::jsonb)
        FROM jsonb_array_elements_text(config -> 'allowed_providers') WITH ORDINALITY AS each (name, place)
        WHERE name IN ('password', 'magic_link', 'google', 'microsoft', 'github', 'apple')
      ))
      WHERE NOT config -> 'allowed_providers' <@ '["password", "magic_link", "google", "microsoft", "github", "apple"]';
    `);
  }

  /** What it took away did nothing. */
  down(): Promise<void> {
    return Promise.resolve();
  }
}
