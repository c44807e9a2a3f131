import { Counter, Gauge, Histogram, register } from 'prom-client';

/*
 * The metrics of a process. A metric is created once, however many instances of its class exist. Label values must be
 * few and known in advance, such as a route, a queue or an outcome, and must never come from a request.
 */

interface Described<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly Label[];
}

/** A value that only increases; its name ends in `_total`. */
export function counter<Label extends string = never>(metric: Described<Label>): Counter<Label> {
  return (register.getSingleMetric(metric.name) as Counter<Label> | undefined) ?? new Counter(metric);
}

/**
 * With several processes on a host (WEB_CONCURRENCY), the maximum counts.
 * @param read called at each scrape to set the value; if there are several, the last one counts
 */
export function gauge<Label extends string = never>(
  metric: Described<Label> & { readonly aggregator?: 'sum' | 'max' | 'average' },
  read?: (gauge: Gauge<Label>) => void | Promise<void>,
): Gauge<Label> {
  const known = register.getSingleMetric(metric.name) as Gauge<Label> | undefined;
  const made = known ?? new Gauge({ aggregator: 'max', ...metric });
  if (read) Object.assign(made, { collect: () => read(made) });
  return made;
}

/** @param metric its name ends in the unit; `buckets` are upper bounds in that unit */
export function histogram<Label extends string = never>(
  metric: Described<Label> & { readonly buckets: number[] },
): Histogram<Label> {
  return (register.getSingleMetric(metric.name) as Histogram<Label> | undefined) ?? new Histogram(metric);
}
