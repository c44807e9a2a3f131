/** Maximum number of groups whose owner is remembered without a place. */
const MOST_REMEMBERED = 10_000;

/** The owners of the groups of a queue, and how many places the groups of each owner have together. */
export class OwnersOfGroups {
  private readonly owners = new Map<string, string>();
  private readonly places = new Map<string, number>();

  /** @param ask is asked once for each group, because a group never changes its owner */
  constructor(private readonly ask: (group: string) => Promise<string> | string) {}

  /** Before the group has a place for the first time. */
  async learn(group: string): Promise<void> {
    if (this.owners.has(group)) return;
    if (this.owners.size >= MOST_REMEMBERED && this.places.size === 0) this.owners.clear();
    this.owners.set(group, await this.ask(group));
  }

  add(group: string, places: number): void {
    const owner = this.ownerOf(group);
    const left = (this.places.get(owner) ?? 0) + places;
    if (left > 0) this.places.set(owner, left);
    else this.places.delete(owner);
  }

  placesOf(group: string): number {
    return this.places.get(this.ownerOf(group)) ?? 0;
  }

  /** One that has not been asked about owns itself. */
  private ownerOf(group: string): string {
    return this.owners.get(group) ?? group;
  }
}
