const TABLE = `
  CREATE TABLE IF NOT EXISTS oidc_models (
    model text NOT NULL, id text NOT NULL, payload jsonb NOT NULL, grant_id text, uid text,
    expires_at timestamptz, consumed_at timestamptz, PRIMARY KEY (model, id));
  CREATE INDEX IF NOT EXISTS ix_oidc_models_grant ON oidc_models (grant_id);
  CREATE INDEX IF NOT EXISTS ix_oidc_models_uid ON oidc_models (uid)`;

const FOUND = `SELECT payload || CASE WHEN consumed_at IS NULL THEN '{}'::jsonb
    ELSE jsonb_build_object('consumed', extract(epoch FROM consumed_at)::int) END AS payload
  FROM oidc_models WHERE model = $1 AND`;

const STATEMENTS = {
  upsert: `INSERT INTO oidc_models (model, id, payload, grant_id, uid, expires_at)
    VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))
    ON CONFLICT (model, id) DO UPDATE SET payload = $3, grant_id = $4, uid = $5, expires_at = excluded.expires_at`,
  find: `${FOUND} id = $2 AND (expires_at IS NULL OR expires_at > now())`,
  findByUid: `${FOUND} uid = $2`,
  consume: 'UPDATE oidc_models SET consumed_at = now() WHERE model = $1 AND id = $2',
  destroy: 'DELETE FROM oidc_models WHERE model = $1 AND id = $2',
  revoke: 'DELETE FROM oidc_models WHERE grant_id = $1',
};

/** An adapter class for oidc-provider that keeps everything in one table; prepared statements, autocommit. */
export async function postgresAdapter(pool) {
  await pool.query(TABLE);
  const run = async (name, ...values) => (await pool.query({ name, text: STATEMENTS[name], values })).rows;
  return class PostgresAdapter {
    constructor(model) {
      this.model = model;
    }

    async upsert(id, payload, expiresIn) {
      const seconds = expiresIn ?? null;
      await run(
        'upsert',
        this.model,
        id,
        JSON.stringify(payload),
        payload.grantId ?? null,
        payload.uid ?? null,
        seconds,
      );
    }

    async find(id) {
      return (await run('find', this.model, id))[0]?.payload;
    }

    async findByUid(uid) {
      return (await run('findByUid', this.model, uid))[0]?.payload;
    }

    async consume(id) {
      await run('consume', this.model, id);
    }

    async destroy(id) {
      await run('destroy', this.model, id);
    }

    async revokeByGrantId(grantId) {
      await run('revoke', grantId);
    }
  };
}
