/** How many deliveries of each user of an app are in progress in this process. */
export class PlacesOfUsers {
  private readonly byApp = new Map<string, Map<string, number>>();

  of(appId: string): ReadonlyMap<string, number> {
    return this.byApp.get(appId) ?? new Map();
  }

  /** Has a place while `work` runs. */
  async during<T>(appId: string, userId: string, work: () => Promise<T>): Promise<T> {
    this.add(appId, userId, 1);
    try {
      return await work();
    } finally {
      this.add(appId, userId, -1);
    }
  }

  private add(appId: string, userId: string, places: number): void {
    const users = this.byApp.get(appId) ?? new Map<string, number>();
    const left = (users.get(userId) ?? 0) + places;
    if (left > 0) users.set(userId, left);
    else users.delete(userId);
    if (users.size > 0) this.byApp.set(appId, users);
    else this.byApp.delete(appId);
  }
}
