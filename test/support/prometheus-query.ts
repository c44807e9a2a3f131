/** What a query in Prometheus' language names. */
export interface QueryNames {
  readonly metrics: readonly string[];
  readonly matched: readonly { readonly metric: string; readonly label: string }[];
  /** Labels after `by`. */
  readonly grouped: readonly string[];
}

const GROUPS = /\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g;
const SELECTOR = /([a-z_][a-z0-9_]*)\s*\{([^}]*)\}/gi;
const MATCHER = /([a-z_][a-z0-9_]*)\s*(?:=~|!~|!=|=)\s*"[^"]*"/gi;
const RANGE = /\[[^\]]*\]/g;
const NAME = /(?<![\w.])[a-z_][a-z0-9_]*(?!\w|\s*\()/gi;
const WORDS = new Set(['and', 'or', 'unless', 'offset', 'bool']);

/** Knows as much of the language as the files in deploy/ use. */
export function namesIn(query: string): QueryNames {
  const grouped = [...query.matchAll(GROUPS)].flatMap(([, labels]) => labels!.split(',').map((each) => each.trim()));
  const ungrouped = query.replace(GROUPS, ' ').replace(RANGE, ' ');
  const matched = [...ungrouped.matchAll(SELECTOR)].flatMap(([, metric, matchers]) =>
    [...matchers!.matchAll(MATCHER)].map(([, label]) => ({ metric: metric!, label: label! })),
  );
  const bare = ungrouped.replace(/\{[^}]*\}/g, ' ');
  const metrics = [...bare.matchAll(NAME)].map(([name]) => name).filter((name) => !WORDS.has(name));
  return { metrics: [...new Set(metrics)], matched, grouped: [...new Set(grouped)] };
}
