import type { INestApplication } from '@nestjs/common';

interface Layer {
  readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
}

/** Every route that the router really has, as `GET /admin/users/(star)/detail`: parameters are stars. */
export function routesOf(app: INestApplication): string[] {
  const { stack } = (app.getHttpAdapter().getInstance() as { router: { stack: Layer[] } }).router;
  const routes = stack.flatMap(({ route }) =>
    route ? Object.keys(route.methods).map((method) => `${method.toUpperCase()} ${withStars(route.path)}`) : [],
  );
  return [...new Set(routes)].sort();
}

/** `/a/:b_id/` and `/a/{b}` alike become `/a/*`. */
export function withStars(path: string): string {
  const starred = path.replace(/:[A-Za-z_]+|\{[^}]+\}/g, '*');
  return starred.length > 1 ? starred.replace(/\/$/, '') : starred;
}
