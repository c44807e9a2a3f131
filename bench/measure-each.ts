import { markdownOf, type Section } from './report.js';
import { within } from './within.js';

/**
 * Measures and prints one operation after the other. One that fails or takes longer than `limitMs` is reported, and the
 * next one runs.
 * @returns what was measured, and the names of those that failed
 */
export async function measureEach(
  names: readonly string[],
  measure: (name: string) => Promise<Section>,
  limitMs: number,
  write: (text: string) => void = console.log,
): Promise<{ sections: Section[]; failed: string[] }> {
  const sections: Section[] = [];
  const failed: string[] = [];
  for (const name of names) {
    try {
      const section = await within(limitMs, name, measure(name));
      sections.push(section);
      write(markdownOf(section));
    } catch (error) {
      failed.push(name);
      write(`\n### ${name}\n\nFailed: ${String(error)}`);
    }
  }
  return { sections, failed };
}
