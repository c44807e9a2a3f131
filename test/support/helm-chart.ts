import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** As much of a Kubernetes object as tests look at. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly spec?: unknown;
  readonly data?: Readonly<Record<string, string>>;
}

export const CHART = 'deploy/helm';
const RELEASE = 'broker';
/** The only kinds of expression in the chart: what Helm makes of them needs no knowledge of Helm. */
const EXPRESSION = /\{\{ \.(?:(Release\.Name)|Values\.([A-Za-z.]+) \| toJson( \| sha256sum)?) \}\}/g;

export function chartFile(name: string): string {
  return readFileSync(join(CHART, name), 'utf8');
}

export function valuesOfChart(): Record<string, unknown> {
  return parse(chartFile('values.yaml')) as Record<string, unknown>;
}

/** Templates by name, with the default values in place of their expressions. What else is in braces stays, and is no YAML. */
export function filledTemplates(): Map<string, string> {
  const values = valuesOfChart();
  const names = readdirSync(join(CHART, 'templates'));
  return new Map(names.map((name) => [name, fill(chartFile(`templates/${name}`), values)]));
}

export function manifests(): Manifest[] {
  return [...filledTemplates().values()].map((text) => parse(text) as Manifest);
}

function fill(template: string, values: unknown): string {
  return template.replace(EXPRESSION, (_all, release?: string, path?: string, hashed?: string) => {
    if (release) return RELEASE;
    const value = path!.split('.').reduce((from, key) => (from as Record<string, unknown> | undefined)?.[key], values);
    if (value === undefined) throw new Error(`values.yaml has no ${path}`);
    const json = JSON.stringify(value);
    return hashed ? createHash('sha256').update(json).digest('hex') : json;
  });
}
