const MAX_REASON_CHARACTERS = 500;

/** One line for `last_error`, without the stack. */
export function failureReason(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  // eslint-disable-next-line no-control-regex -- control characters are what is being removed (NUL is refused by PostgreSQL)
  return text.replace(/[\u0000-\u001f\u007f]+/g, ' ').slice(0, MAX_REASON_CHARACTERS);
}
