/**
 * The owners of groups that wait or have places, and how many places the groups of each owner use together. Groups that
 * no longer wait or run are forgotten, so the memory depends on the current work only.
 */
export class OwnersOfGroups {
  private readonly owners = new Map<string, string>();
  private readonly places = new Map<string, number>();

  /** @param ask returns the owner of a group, always the same; null: each group is its own owner */
  constructor(private readonly ask: ((group: string) => Promise<string> | string) | null) {}

  /** Number of groups that are remembered. */
  get size(): number {
    return this.owners.size;
  }

  knows(group: string): boolean {
    return this.ask === null || this.owners.has(group);
  }

  /** Must be called before the group gets a place. */
  async learn(group: string): Promise<void> {
    if (this.ask && !this.owners.has(group)) this.owners.set(group, await this.ask(group));
  }

  /** Called when the group neither waits nor has a place. */
  forget(group: string): void {
    this.owners.delete(group);
  }

  add(group: string, places: number): void {
    const owner = this.ownerOf(group);
    const left = (this.places.get(owner) ?? 0) + places;
    if (left > 0) this.places.set(owner, left);
    else this.places.delete(owner);
  }

  slotsUsedBy(owner: string): number {
    return this.places.get(owner) ?? 0;
  }

  /** A group that was not learned is its own owner. */
  ownerOf(group: string): string {
    return this.owners.get(group) ?? group;
  }
}
