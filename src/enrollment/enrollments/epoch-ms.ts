/**
 * A time in Unix milliseconds, rounded up, so that anything that is not certainly later counts as earlier. `-infinity`
 * is 0.
 */
export function epochMs(column: string): string {
  return `CASE WHEN isfinite(${column}) THEN ceil(extract(epoch FROM ${column}) * 1000)::float8 ELSE 0 END`;
}
