/**
 * The owners of groups that wait or have slots, and how many slots the groups of each owner use together. Groups that
 * no longer wait or run are forgotten, so the memory depends on the current work only.
 */
export class GroupOwners {
  private readonly owners = new Map<string, string>();
  private readonly slots = new Map<string, number>();

  /** @param ask returns the owner of a group, always the same; null: each group is its own owner */
  constructor(private readonly ask: ((group: string) => Promise<string> | string) | null) {}

  /** Number of groups that are remembered. */
  get size(): number {
    return this.owners.size;
  }

  knows(group: string): boolean {
    return this.ask === null || this.owners.has(group);
  }

  /** Must be called before the group gets a slot. */
  async learn(group: string): Promise<void> {
    if (this.ask && !this.owners.has(group)) this.owners.set(group, await this.ask(group));
  }

  /** Called when the group neither waits nor has a slot. */
  forget(group: string): void {
    this.owners.delete(group);
  }

  add(group: string, slots: number): void {
    const owner = this.ownerOf(group);
    const left = (this.slots.get(owner) ?? 0) + slots;
    if (left > 0) this.slots.set(owner, left);
    else this.slots.delete(owner);
  }

  slotsUsedBy(owner: string): number {
    return this.slots.get(owner) ?? 0;
  }

  /** A group that was not learned is its own owner. */
  ownerOf(group: string): string {
    return this.owners.get(group) ?? group;
  }
}
