const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Quick ranges: id in the URL, label and length. */
export const RANGES = [
  { id: '24h', label: '24 hours', ms: DAY_MS },
  { id: '7d', label: '7 days', ms: 7 * DAY_MS },
  { id: '30d', label: '30 days', ms: 30 * DAY_MS },
] as const;

/** A range up to now, or days in UTC including the last one. Days take precedence over a range. */
export interface Period {
  readonly range: string;
  readonly from: string;
  readonly to: string;
  readonly isSet: boolean;
  /** For the API's filter, which excludes both bounds. */
  readonly bounds: { readonly after?: string; readonly before?: string };
}

/** Invalid values count as absent. */
export function periodOf(
  requested: { readonly range: string; readonly from: string; readonly to: string },
  now: Date,
): Period {
  const [from, to] = [dayOrEmpty(requested.from), dayOrEmpty(requested.to)];
  if (from || to) {
    const after = from && new Date(Date.parse(from) - 1).toISOString();
    const before = to && new Date(Date.parse(to) + DAY_MS).toISOString();
    return { range: '', from, to, isSet: true, bounds: { ...(after ? { after } : {}), ...(before ? { before } : {}) } };
  }
  const range = RANGES.find(({ id }) => id === requested.range);
  if (!range) return { range: '', from, to, isSet: false, bounds: {} };
  return {
    range: range.id,
    from,
    to,
    isSet: true,
    bounds: { after: new Date(now.getTime() - range.ms).toISOString() },
  };
}

function dayOrEmpty(text: string): string {
  return DAY.test(text) && !Number.isNaN(Date.parse(text)) ? text : '';
}
