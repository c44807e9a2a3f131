interface DriverError {
  readonly code?: string;
  readonly constraint?: string;
}

/** The PostgreSQL error beneath whatever TypeORM wrapped around it. */
export function driverError(error: unknown): DriverError | null {
  if (typeof error !== 'object' || error === null) return null;
  const wrapped = 'driverError' in error ? error.driverError : error;
  return typeof wrapped === 'object' && wrapped !== null ? (wrapped as DriverError) : null;
}

/** Serialization failure and deadlock: PostgreSQL undid everything, so it may run again as it is. */
const UNDONE = new Set(['40001', '40P01']);

export function isUndone(error: unknown): boolean {
  return UNDONE.has(driverError(error)?.code ?? '');
}

/** Name of the constraint that refused a write (unique, foreign key, check or exclusion), or null. */
function violatedConstraint(error: unknown): string | null {
  const found = driverError(error);
  return found?.code?.startsWith('23') ? (found.constraint ?? null) : null;
}

/** Rethrows a write's error as the refusal that belongs to the violated constraint, else as it came. */
export function translateViolation(error: unknown, refusals: Readonly<Record<string, () => Error>>): never {
  const refusal = refusals[violatedConstraint(error) ?? ''];
  throw refusal ? refusal() : error;
}
