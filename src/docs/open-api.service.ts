import { Injectable, type INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';

export const API_VERSION = '3.9.0';

const DESCRIPTION = `The HTTP API of the identity broker: hosted sign-in, tokens, and administration of tenants, apps and
users.

Send access tokens in the \`Authorization\` header only: as \`Bearer\`, or as \`DPoP\` if they are bound to a key. Users
get an access token by signing in (\`GET /login\`, then \`POST /auth/token\`). Servers use client credentials at
\`POST /auth/token\`. The help in the console (\`/console/help\`) has examples.

Errors are \`{"detail": …}\`. An invalid request gets 422 with \`{"detail": [{"loc", "msg", "type"}]}\`. OAuth endpoints
add \`error\` and \`error_description\`, and answer an invalid form with 400. A 500 has a \`request_id\`. Every response has
\`X-Request-Id\`: quote it when you report a problem.`;

/** The OpenAPI document, generated from the routes on first use. */
@Injectable()
export class OpenApiService {
  private app: INestApplication | null = null;
  private document: OpenAPIObject | null = null;

  /** Sets the application whose routes are described. */
  attach(app: INestApplication): void {
    this.app = app;
  }

  read(): OpenAPIObject {
    if (!this.app) throw new Error('OpenApiService is attached to no application');
    this.document ??= complete(
      SwaggerModule.createDocument(
        this.app,
        new DocumentBuilder()
          .setTitle('Identity Broker')
          .setVersion(API_VERSION)
          .setDescription(DESCRIPTION)
          .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' })
          .build(),
        { operationIdFactory: (controller, method) => `${controller.replace(/Controller$/, '')}.${method}` },
      ),
    );
    return this.document;
  }
}

const VALIDATION_ERROR = {
  type: 'object',
  required: ['detail'],
  properties: {
    detail: {
      type: 'array',
      items: {
        type: 'object',
        required: ['loc', 'msg', 'type'],
        properties: {
          loc: { type: 'array', items: { oneOf: [{ type: 'string' }, { type: 'integer' }] } },
          msg: { type: 'string' },
          type: { type: 'string' },
        },
      },
    },
  },
};

const ERROR = {
  type: 'object',
  required: ['detail'],
  properties: { detail: { oneOf: [{ type: 'string' }, { type: 'object' }] } },
};

/** Adds what applies to all routes of a kind: error bodies, 401 and 403 with a bearer token, 422 with input. */
function complete(document: OpenAPIObject): OpenAPIObject {
  const schemas = ((document.components ??= {}).schemas ??= {});
  Object.assign(schemas, { HTTPValidationError: VALIDATION_ERROR, Error: ERROR });
  for (const path of Object.values(document.paths)) {
    for (const operation of Object.values(
      path as Record<
        string,
        { responses?: Record<string, object>; security?: unknown[]; requestBody?: unknown; parameters?: unknown[] }
      >,
    )) {
      if (!operation.responses) continue;
      if (operation.security?.length) {
        operation.responses['401'] ??= { description: '`Not authenticated`' };
        operation.responses['403'] ??= {
          description: '`Insufficient permissions`, or `Missing required scope` for a service token',
        };
      }
      if (operation.requestBody || operation.parameters?.length) {
        operation.responses['422'] ??= {
          description: 'Validation error',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/HTTPValidationError' } } },
        };
      }
      for (const [status, response] of Object.entries(operation.responses)) {
        if (Number(status) >= 400 && !('content' in response))
          Object.assign(response, {
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
          });
      }
    }
  }
  return document;
}
