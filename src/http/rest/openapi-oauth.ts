/** The OAuth routes in the OpenAPI document. They have bodies of their own, unlike operations. */
import type { OpenApiOperation } from './openapi.ts'

const text = { type: 'string' } as const
const texts = { type: 'array', items: text } as const

const ERROR = {
  description: 'A refusal in the words of OAuth.',
  content: {
    'application/json': {
      schema: {
        type: 'object',
        required: ['error'],
        properties: { error: text, error_description: text },
      },
    },
  },
}

type Body = {
  readonly required: readonly string[]
  readonly properties: Readonly<Record<string, object>>
}

const post = (
  operationId: string,
  summary: string,
  body: Body,
  answer: { status: 200 | 201; properties: Readonly<Record<string, object>> | null },
): OpenApiOperation => {
  const schema = { type: 'object', required: [...body.required], properties: body.properties }
  return {
    operationId,
    summary,
    tags: ['Accounts'],
    security: [],
    requestBody: {
      required: true,
      content: { 'application/json': { schema }, 'application/x-www-form-urlencoded': { schema } },
    } as OpenApiOperation['requestBody'],
    responses: {
      [answer.status]: {
        description: 'It was done.',
        ...(answer.properties === null
          ? {}
          : {
              content: {
                'application/json': {
                  schema: {
                    type: 'object',
                    required: Object.keys(answer.properties),
                    properties: answer.properties,
                  },
                },
              },
            }),
      },
      400: ERROR,
      413: ERROR,
      429: { $ref: '#/components/responses/rate_limited' },
    },
  }
}

const get = (operationId: string, summary: string): OpenApiOperation => ({
  operationId,
  summary,
  tags: ['Accounts'],
  security: [],
  responses: {
    200: {
      description: 'The document.',
      content: { 'application/json': { schema: { type: 'object', additionalProperties: true } } },
    },
    429: { $ref: '#/components/responses/rate_limited' },
  },
})

/** By path, below the address of the REST API. */
export const OAUTH_PATHS: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>> = {
  '/.well-known/oauth-authorization-server': {
    get: get('get_oauth_metadata', 'What the authorization server can do and where (RFC 8414).'),
  },
  '/.well-known/oauth-protected-resource': {
    get: get(
      'get_protected_resource',
      'What the REST API takes as a token and who gives it (RFC 9728).',
    ),
  },
  '/oauth/register': {
    post: post(
      'register_client',
      'Register an application that asks people for access (RFC 7591). Anyone may.',
      {
        required: ['redirect_uris'],
        properties: {
          client_name: { type: 'string', maxLength: 64 },
          redirect_uris: { ...texts, minItems: 1, maxItems: 10 },
        },
      },
      {
        status: 201,
        properties: {
          client_id: text,
          client_id_issued_at: { type: 'integer' },
          client_name: text,
          redirect_uris: texts,
          grant_types: texts,
          response_types: texts,
          token_endpoint_auth_method: text,
        },
      },
    ),
  },
  '/oauth/token': {
    post: post(
      'exchange_token',
      'Exchange a code or a refresh token for an access token and the next refresh token (RFC 6749). A refresh token works once; the access token before it works for at most 60 seconds more, so that requests under way can finish.',
      {
        required: ['grant_type', 'client_id'],
        properties: {
          grant_type: { type: 'string', enum: ['authorization_code', 'refresh_token'] },
          client_id: text,
          code: text,
          redirect_uri: text,
          code_verifier: text,
          refresh_token: text,
          scope: text,
          resource: text,
        },
      },
      {
        status: 200,
        properties: {
          access_token: text,
          token_type: text,
          expires_in: { type: 'integer' },
          refresh_token: text,
          scope: text,
        },
      },
    ),
  },
  '/oauth/revoke': {
    post: post(
      'revoke_oauth_token',
      'Revoke an access or refresh token that an application holds (RFC 7009).',
      { required: ['token'], properties: { token: text, token_type_hint: text } },
      { status: 200, properties: null },
    ),
  },
}
