import { markdownOf, type Section } from './report.js';
import { within } from './within.js';

/**
 * Measures and prints one operation after the other. One that fails or takes longer than `limitMs` is reported, and the
 * next one runs.
 * @returns the names of those that failed
 */
export async function measureEach(
  names: readonly string[],
  measure: (name: string) => Promise<Section>,
  limitMs: number,
  write: (text: string) => void = console.log,
): Promise<string[]> {
  const failed: string[] = [];
  for (const name of names) {
    try {
      write(markdownOf(await within(limitMs, name, measure(name))));
    } catch (error) {
      failed.push(name);
      write(`\n### ${name}\n\nFailed: ${String(error)}`);
    }
  }
  return failed;
}
