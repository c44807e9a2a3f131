/** A map that keeps the entries that were set last, and drops the oldest beyond its maximum size. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  constructor(private readonly maxSize: number) {
    super();
  }

  override set(key: Key, value: Value): this {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.maxSize) this.delete(this.keys().next().value!);
    return this;
  }
}
