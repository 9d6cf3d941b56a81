/**
 * The providers that can be connected. The form, the validation of `config` and the published
 * catalogue are made from these schemas.
 */
import type { TObject } from 'typebox'
import { mustBe, OneOf, type Static, Type } from '#core/schema.ts'
import type { IntegrationKind } from './schema.ts'

const MAX_TOKENS = 100_000_000
const MAX_PRICE_USD = 100_000

const Address = (title: string, example: string) =>
  Type.String({
    title,
    format: 'uri',
    minLength: 1,
    maxLength: 1000,
    pattern: '^https?://[^\\s]+$',
    ...mustBe('an address that begins with https:// or http://'),
    examples: [example],
  })

/** Also a socket of this machine, such as that of a model server without a network. */
const LocalAddress = Type.String({
  ...Address('Address', 'http://127.0.0.1:11434/v1'),
  pattern: '^(https?://[^\\s]+|unix:/[^\\s]+)$',
  ...mustBe('an address that begins with https://, http:// or unix:/'),
  examples: ['http://127.0.0.1:11434/v1', 'unix:/run/models.sock'],
})

const Price = (title: string) =>
  Type.Optional(
    Type.Number({
      title,
      minimum: 0,
      maximum: MAX_PRICE_USD,
      description: 'US dollars for a million tokens; 0 unless given.',
    }),
  )

const Tokens = (title: string) =>
  Type.Optional(Type.Integer({ title, minimum: 1, maximum: MAX_TOKENS }))

/** A model of a provider, with its limits and prices. */
export const ProviderModel = Type.Object(
  {
    id: Type.String({ title: 'Model', minLength: 1, maxLength: 200 }),
    context_tokens: Tokens('Context'),
    max_output_tokens: Tokens('Longest answer'),
    usd_per_million_input: Price('Price of input'),
    usd_per_million_cached_input: Price('Price of cached input'),
    usd_per_million_output: Price('Price of output'),
  },
  { additionalProperties: false },
)
export type ProviderModel = Static<typeof ProviderModel>

/** The configuration of every model provider. */
const modelProvider = (base_url: ReturnType<typeof Address>) =>
  Type.Object(
    {
      base_url,
      models: Type.Optional(
        Type.Array(ProviderModel, {
          title: 'Models',
          maxItems: 200,
          description: 'Models that routes may name; any model when there is none.',
        }),
      ),
      timeout_seconds: Type.Optional(
        Type.Integer({
          title: 'Time limit in seconds',
          minimum: 1,
          maximum: 3600,
          description: 'For one answer; 600 unless given.',
        }),
      ),
      concurrency: Type.Optional(
        Type.Integer({
          title: 'Calls at once',
          minimum: 1,
          maximum: 100,
          description: 'Further calls wait; 8 unless given, 2 for local.',
        }),
      ),
      wire: Type.Optional(
        OneOf(['chat_completions', 'messages'], {
          description: 'What a local server speaks; chat_completions unless given.',
        }),
      ),
    },
    { additionalProperties: false },
  )
export type ModelProviderConfig = Static<ReturnType<typeof modelProvider>>

const tracker = (example: string) =>
  Type.Object({ base_url: Address('Address', example) }, { additionalProperties: false })

/** How a connection is tested: a GET, or a POST with this body. */
export type ConnectionProbe = {
  /** Where the service is when its address is not given. */
  readonly base?: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export type Provider = {
  readonly slug: string
  readonly title: string
  readonly description: string
  readonly kind: IntegrationKind
  readonly config: TObject
  readonly secret: { readonly title: string; readonly required: boolean } | null
  /** Null when there is nothing to connect to. Model providers are tested by their own rules. */
  readonly probe:
    | ((config: Readonly<Record<string, unknown>>, secret: string) => ConnectionProbe | null)
    | null
}

/** A header with the secret; none without a secret. */
const optional = (name: string, prefix: string, secret: string): Record<string, string> =>
  secret === '' ? {} : { [name]: `${prefix}${secret}` }

const bearer = (secret: string): Record<string, string> => ({ authorization: `Bearer ${secret}` })

/** The credentials of Jira: an address and a token (Cloud), or a token alone (Data Center). */
export const jiraAuthorization = (
  config: Readonly<Record<string, unknown>>,
  secret: string,
): string =>
  typeof config.email === 'string' && config.email !== ''
    ? `Basic ${Buffer.from(`${config.email}:${secret}`).toString('base64')}`
    : `Bearer ${secret}`

const MODEL_PROVIDERS: readonly Provider[] = [
  {
    slug: 'chat_completions',
    title: 'OpenAI and compatible services',
    description: 'Any service with the chat completions interface of OpenAI.',
    kind: 'model_provider',
    config: modelProvider(Address('Address', 'https://api.openai.com/v1')),
    secret: { title: 'API key', required: true },
    probe: null,
  },
  {
    slug: 'messages',
    title: 'Anthropic and compatible services',
    description: 'Any service with the messages interface of Anthropic.',
    kind: 'model_provider',
    config: modelProvider(Address('Address', 'https://api.anthropic.com')),
    secret: { title: 'API key', required: true },
    probe: null,
  },
  {
    slug: 'generate_content',
    title: 'Google Gemini and compatible services',
    description: 'Any service with the generateContent interface of Google.',
    kind: 'model_provider',
    config: modelProvider(Address('Address', 'https://generativelanguage.googleapis.com')),
    secret: { title: 'API key', required: true },
    probe: null,
  },
  {
    slug: 'local',
    title: 'Models on your own machines',
    description:
      'vLLM, llama.cpp, Ollama and others. Private addresses and sockets need an entry such as http://127.0.0.1 or unix:/run/models.sock in the setting integrations.allow.',
    kind: 'model_provider',
    config: modelProvider(LocalAddress),
    secret: { title: 'API key', required: false },
    probe: null,
  },
]

/** Where Linear is, unless its address is given. */
export const LINEAR_URL = 'https://api.linear.app'

const TICKET_TRACKERS: readonly Provider[] = [
  {
    slug: 'jira',
    title: 'Jira',
    description: 'Tickets such as ABC-12 of Jira Cloud or Data Center.',
    kind: 'ticket_tracker',
    config: Type.Object(
      {
        base_url: Address('Address', 'https://example.atlassian.net'),
        email: Type.Optional(
          Type.String({
            title: 'Email',
            maxLength: 254,
            description: 'Of the account that made the token; for Jira Cloud.',
          }),
        ),
      },
      { additionalProperties: false },
    ),
    secret: { title: 'API token', required: true },
    probe: (config, secret) => ({
      path: '/rest/api/2/myself',
      headers: { authorization: jiraAuthorization(config, secret) },
    }),
  },
  {
    slug: 'linear',
    title: 'Linear',
    description: 'Tickets such as ENG-12 of Linear.',
    kind: 'ticket_tracker',
    config: Type.Object(
      { base_url: Type.Optional(Address('Address', 'https://api.linear.app')) },
      { additionalProperties: false },
    ),
    secret: { title: 'API key', required: true },
    probe: (_, secret) => ({
      base: LINEAR_URL,
      path: '/graphql',
      headers: { authorization: secret, 'content-type': 'application/json' },
      body: '{"query":"{ viewer { id } }"}',
    }),
  },
  {
    slug: 'github',
    title: 'GitHub issues',
    description: 'Issues such as owner/repository#12 of GitHub.',
    kind: 'ticket_tracker',
    config: tracker('https://api.github.com'),
    secret: { title: 'Access token', required: false },
    probe: (_, secret) => ({
      path: '/rate_limit',
      headers: optional('authorization', 'Bearer ', secret),
    }),
  },
  {
    slug: 'gitea',
    title: 'Gitea and Forgejo issues',
    description: 'Issues such as owner/repository#12 of Gitea or Forgejo.',
    kind: 'ticket_tracker',
    config: tracker('https://gitea.example.com'),
    secret: { title: 'Access token', required: false },
    probe: (_, secret) => ({
      path: '/api/v1/version',
      headers: optional('authorization', 'token ', secret),
    }),
  },
  {
    slug: 'gitlab',
    title: 'GitLab issues',
    description: 'Issues such as group/project#12 of GitLab.',
    kind: 'ticket_tracker',
    config: tracker('https://gitlab.com'),
    secret: { title: 'Access token', required: true },
    probe: (_, secret) => ({ path: '/api/v4/version', headers: { 'private-token': secret } }),
  },
  {
    slug: 'youtrack',
    title: 'YouTrack',
    description: 'Tickets such as ABC-12 of YouTrack.',
    kind: 'ticket_tracker',
    config: tracker('https://example.youtrack.cloud'),
    secret: { title: 'Permanent token', required: true },
    probe: (_, secret) => ({ path: '/api/users/me', headers: bearer(secret) }),
  },
]

const nothing = Type.Object({}, { additionalProperties: false })

/** Services that only send: nothing connects to them. */
const sends = (
  kind: IntegrationKind,
  slug: string,
  title: string,
  description: string,
  config: TObject = nothing,
): Provider => ({ slug, title, description, kind, config, secret: null, probe: null })

const Pointer = (title: string, usual: string) =>
  Type.Optional(
    Type.String({
      title,
      maxLength: 200,
      pattern: '^(/[^/]*)*$',
      ...mustBe('a JSON pointer, such as /issue/id'),
      examples: [usual],
      description: `A JSON pointer; ${usual} unless given.`,
    }),
  )

/** Where Sentry is, unless its address is given. */
export const SENTRY_URL = 'https://sentry.io'

const ERROR_TRACKERS: readonly Provider[] = [
  {
    slug: 'sentry',
    title: 'Sentry',
    description:
      'Errors of Sentry become issues, which close when they are resolved there. With a token, errors are resolved when their issues close.',
    kind: 'error_tracker',
    config: Type.Object(
      {
        base_url: Type.Optional(Address('Address', SENTRY_URL)),
        organization: Type.Optional(
          Type.String({
            title: 'Organization',
            maxLength: 100,
            pattern: '^[a-z0-9][a-z0-9_-]*$',
            ...mustBe('lowercase letters, digits, hyphens and underscores'),
            description: 'Its short name in addresses.',
          }),
        ),
      },
      { additionalProperties: false },
    ),
    secret: { title: 'Access token', required: false },
    probe: ({ organization }, secret) =>
      secret === '' || typeof organization !== 'string'
        ? null
        : {
            base: SENTRY_URL,
            path: `/api/0/organizations/${organization}/`,
            headers: bearer(secret),
          },
  },
  {
    slug: 'glitchtip',
    title: 'GlitchTip',
    description:
      'Errors of GlitchTip become issues. With a token, errors are resolved when their issues close.',
    kind: 'error_tracker',
    config: Type.Object(
      { base_url: Type.Optional(Address('Address', 'https://app.glitchtip.com')) },
      { additionalProperties: false },
    ),
    secret: { title: 'Access token', required: false },
    probe: ({ base_url }, secret) =>
      secret === '' || typeof base_url !== 'string'
        ? null
        : { path: '/api/0/organizations/', headers: bearer(secret) },
  },
]

const SENDING_SERVICES: readonly Provider[] = [
  sends(
    'monitoring',
    'alertmanager',
    'Prometheus Alertmanager',
    'Alerts of Alertmanager become issues, one each, which close when they are resolved.',
  ),
  sends(
    'monitoring',
    'grafana',
    'Grafana',
    'Alerts of Grafana become issues, one each, which close when they are resolved.',
  ),
  sends(
    'webhook',
    'webhook',
    'Any service',
    'Events of any program that sends JSON become issues.',
    Type.Object(
      {
        id_pointer: Pointer('Where its id is', '/id'),
        title_pointer: Pointer('Where its title is', '/title'),
        text_pointer: Pointer('Where its text is', '/text'),
        url_pointer: Pointer('Where its address is', '/url'),
        state_pointer: Pointer('Where its state is', '/state'),
        closed_values: Type.Optional(
          Type.String({
            title: 'States that close',
            maxLength: 200,
            examples: ['closed, resolved, ok'],
            description: 'With commas; closed, resolved, ok unless given.',
          }),
        ),
        update_url: Type.Optional({
          ...Address('Where changes are sent', 'https://example.com/hearth'),
          description: 'What becomes of its issues is sent there as JSON.',
        }),
      },
      { additionalProperties: false },
    ),
  ),
]

export const PROVIDERS: readonly Provider[] = [
  ...MODEL_PROVIDERS,
  ...TICKET_TRACKERS,
  ...ERROR_TRACKERS,
  ...SENDING_SERVICES,
]

export const findProvider = (slug: string): Provider | null =>
  PROVIDERS.find((provider) => provider.slug === slug) ?? null
