/** Milliseconds of each answer, kept whole: percentiles are exact. */
export class Latencies {
  #values = [];

  add(milliseconds) {
    this.#values.push(milliseconds);
  }

  /** @param {Latencies} other */
  addAll(other) {
    for (const value of other.#values) this.#values.push(value);
  }

  summary() {
    const sorted = Float64Array.from(this.#values).sort();
    const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
    return { count: sorted.length, p50: at(0.5), p99: at(0.99) };
  }
}
