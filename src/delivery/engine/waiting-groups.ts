/**
 * Groups that may have due rows, by owner. Owners take turns, and so do the groups of each owner: neither an owner with
 * many groups nor a group with many rows makes another wait for more than one round.
 */
export class WaitingGroups {
  private readonly byOwner = new Map<string, Set<string>>();
  /** The owner under which each group is stored. */
  private readonly owners = new Map<string, string>();

  has(group: string): boolean {
    return this.owners.has(group);
  }

  /**
   * Adds the group as the last of its owner. A group that already waits keeps its turn, even if its owner has become
   * known in the meantime.
   */
  add(group: string, owner: string): void {
    const before = this.owners.get(group);
    if (before === owner) return;
    if (before !== undefined) this.remove(group);
    const groups = this.byOwner.get(owner) ?? new Set();
    this.byOwner.set(owner, groups.add(group));
    this.owners.set(group, owner);
  }

  /** Takes the group out. The next turn of its owner comes after those of the other owners. */
  take(group: string): void {
    const owner = this.owners.get(group);
    if (owner === undefined) return;
    const groups = this.byOwner.get(owner)!;
    this.remove(group);
    if (this.byOwner.delete(owner)) this.byOwner.set(owner, groups);
  }

  clear(): void {
    this.byOwner.clear();
    this.owners.clear();
  }

  /**
   * The first group that may have a slot. For an owner without room this is one check, however many of its groups
   * wait. For an owner with room, only groups that already have slots can be refused: no more than there are slots.
   */
  next(hasRoom: (owner: string) => boolean, mayHavePlace: (group: string) => boolean): string | null {
    for (const [owner, groups] of this.byOwner) {
      if (!hasRoom(owner)) continue;
      for (const group of groups) if (mayHavePlace(group)) return group;
    }
    return null;
  }

  private remove(group: string): void {
    const owner = this.owners.get(group)!;
    const groups = this.byOwner.get(owner)!;
    groups.delete(group);
    if (groups.size === 0) this.byOwner.delete(owner);
    this.owners.delete(group);
  }
}
