/** `1,234` */
export function grouped(value: number): string {
  return value.toLocaleString('en');
}

/** `1 user`, `1,234 users` */
export function quantity(count: number, one: string, many: string): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}
