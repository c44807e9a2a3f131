/**
 * The owners of the groups that wait or have places, and how many places the groups of each owner have together. What no
 * longer waits or runs is forgotten: the memory is as large as the work, not as what has ever been seen.
 */
export class OwnersOfGroups {
  private readonly owners = new Map<string, string>();
  private readonly places = new Map<string, number>();

  /** @param ask whose group it is, always the same answer; null: each group owns itself */
  constructor(private readonly ask: ((group: string) => Promise<string> | string) | null) {}

  /** Groups that are remembered. */
  get size(): number {
    return this.owners.size;
  }

  knows(group: string): boolean {
    return this.ask === null || this.owners.has(group);
  }

  /** Before the group has a place. */
  async learn(group: string): Promise<void> {
    if (this.ask && !this.owners.has(group)) this.owners.set(group, await this.ask(group));
  }

  /** The group neither waits nor has a place. */
  forget(group: string): void {
    this.owners.delete(group);
  }

  add(group: string, places: number): void {
    const owner = this.ownerOf(group);
    const left = (this.places.get(owner) ?? 0) + places;
    if (left > 0) this.places.set(owner, left);
    else this.places.delete(owner);
  }

  placesOf(owner: string): number {
    return this.places.get(owner) ?? 0;
  }

  /** One that has not been asked about owns itself. */
  ownerOf(group: string): string {
    return this.owners.get(group) ?? group;
  }
}
