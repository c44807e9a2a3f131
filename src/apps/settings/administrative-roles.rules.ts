const ADMINISTRATIVE: ReadonlySet<string> = new Set(['admin', 'manager']);

/** Whether the service itself gives members with this role authority over the app. */
export function isAdministrative(role: string): boolean {
  return ADMINISTRATIVE.has(role);
}

/** Whether the new roles contain one with authority over the app that the old ones do not. */
export function addsAuthority(before: readonly string[], after: readonly string[]): boolean {
  return after.some((role) => isAdministrative(role) && !before.includes(role));
}
