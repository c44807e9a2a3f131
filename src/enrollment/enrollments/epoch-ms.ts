/** A time as Unix milliseconds, rounded up: what is not surely younger counts as older. `-infinity` is 0. */
export function epochMs(column: string): string {
  return `CASE WHEN isfinite(${column}) THEN ceil(extract(epoch FROM ${column}) * 1000)::float8 ELSE 0 END`;
}
