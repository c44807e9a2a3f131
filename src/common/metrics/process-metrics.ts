import { Counter, Gauge, Histogram, register } from 'prom-client';

/*
 * The metrics of a process. A metric is made once, however often the class that fills it is constructed. Values of
 * labels must be few and known: a route, a queue, an outcome; never what comes from outside.
 */

interface Described<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly Label[];
}

/** Only rises; its name ends in `_total`. */
export function counter<Label extends string = never>(metric: Described<Label>): Counter<Label> {
  return (register.getSingleMetric(metric.name) as Counter<Label> | undefined) ?? new Counter(metric);
}

/**
 * Of several processes of one host (WEB_CONCURRENCY) the greatest value counts.
 * @param read called at each scrape, to set the value; of several callers the last one is asked
 */
export function gauge<Label extends string = never>(
  metric: Described<Label> & { readonly aggregator?: 'sum' | 'max' },
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
