/** oidc-provider's storage in plain Maps: less work than the adapter it ships, and nothing survives the process. */
export class MapAdapter {
  #rows = new Map();

  async upsert(id, payload) {
    this.#rows.set(id, payload);
  }

  async find(id) {
    return this.#rows.get(id);
  }

  async findByUid(uid) {
    return [...this.#rows.values()].find((row) => row.uid === uid);
  }

  async consume(id) {
    this.#rows.get(id).consumed = Math.floor(Date.now() / 1000);
  }

  async destroy(id) {
    this.#rows.delete(id);
  }

  async revokeByGrantId(grantId) {
    for (const [id, row] of this.#rows) if (row.grantId === grantId) this.#rows.delete(id);
  }
}
