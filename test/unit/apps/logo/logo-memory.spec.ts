import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { valuesOfChart } from '../../../support/helm-chart.js';

const MIB: Readonly<Record<string, number>> = { Mi: 1, Gi: 1_024 };

interface Values {
  readonly resources: { readonly limits: { readonly memory: string } };
}

describe('Decoders of logos', () => {
  const numberIn = (path: string, pattern: RegExp) => Number(pattern.exec(readFileSync(path, 'utf8'))![1]);
  const decoders =
    numberIn('src/apps/logo/logo-images.ts', /AT_ONCE = (\d+);/) *
    numberIn('src/apps/logo/logo-process.js', /MAX_MEMORY_BYTES = (\d+) \* 1024 \* 1024;/);

  // Docs "Sizing" has the memory of the processes themselves.
  it.each([
    ['web', 240],
    ['worker', 200],
  ])('fit beside the %s process into the memory limit of the Helm chart', (part, ownMib) => {
    const { memory } = (valuesOfChart()[part] as Values).resources.limits;
    const [, number, unit] = /^(\d+)(Mi|Gi)$/.exec(memory)!;
    expect(Number(number) * MIB[unit!]!).toBeGreaterThanOrEqual(ownMib + decoders);
  });
});
