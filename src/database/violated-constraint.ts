interface DriverError {
  readonly code?: string;
  readonly constraint?: string;
}

/** The PostgreSQL error inside the errors of TypeORM. */
export function driverError(error: unknown): DriverError | null {
  if (typeof error !== 'object' || error === null) return null;
  const wrapped = 'driverError' in error ? error.driverError : error;
  return typeof wrapped === 'object' && wrapped !== null ? (wrapped as DriverError) : null;
}

/** Serialization failure and deadlock: PostgreSQL rolled everything back, so the same work can run again. */
const UNDONE = new Set(['40001', '40P01']);

export function isUndone(error: unknown): boolean {
  return UNDONE.has(driverError(error)?.code ?? '');
}

/** Name of the constraint that refused a write (unique, foreign key, check or exclusion), or null. */
function violatedConstraint(error: unknown): string | null {
  const found = driverError(error);
  return found?.code?.startsWith('23') ? (found.constraint ?? null) : null;
}

/** Throws the refusal for the violated constraint; rethrows any other error. */
export function translateViolation(error: unknown, refusals: Readonly<Record<string, () => Error>>): never {
  const refusal = refusals[violatedConstraint(error) ?? ''];
  throw refusal ? refusal() : error;
}
