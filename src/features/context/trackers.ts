/** How each ticket tracker is asked, and what its answers mean. */
import { encodePath } from '#lib/percent-encoding.ts'
import { isValid, Type, type Static, type TSchema } from '#core/schema.ts'
import {
  errorAddress,
  jiraAuthorization,
  LINEAR_URL,
  SENTRY_URL,
} from '#features/integrations/index.ts'
import { trimTrailingSlashes } from '#lib/trim-slashes.ts'
import { pathBelow, type Reference } from './references.ts'
import type { Ticket } from './schema.ts'

type Config = Readonly<Record<string, unknown>>
type Found = Pick<Ticket, 'key' | 'title' | 'url' | 'status' | 'body'>

export type TicketRequest = {
  readonly base: string
  readonly path: string
  readonly search?: string
  readonly headers: Record<string, string>
  readonly body?: string
  /** The number of an error, whose stack trace can be asked for. */
  readonly error?: string
  /** Null when the answer says that there is no such ticket. Throws a TypeError for other shapes. */
  read(answer: unknown): Found | null
}

type Tracker = {
  /** The ticket that a reference means here; null when it is of another service. */
  keyOf(reference: Reference, config: Config): string | null
  /** Null when the settings lack what it needs. */
  request(key: string, config: Config, secret: string): TicketRequest | null
}

const baseOf = (config: Config, fallback = ''): string =>
  typeof config.base_url === 'string' ? config.base_url : fallback

/** Reads a value of a shape. Throws a TypeError for another one. */
function read<T extends TSchema>(schema: T, answer: unknown): Static<T> {
  if (!isValid(schema, answer)) throw new TypeError('the answer has another shape')
  return answer
}

const Text = Type.Optional(Type.Union([Type.String(), Type.Null()]))

/** The key at the end of `prefix` in an address, such as `browse/ABC-12`. */
function keyBelow(prefix: string) {
  return (reference: Reference, config: Config): string | null => {
    if (reference.kind === 'key') return reference.key
    if (reference.kind !== 'address') return null
    const path = pathBelow(reference.url, baseOf(config))
    if (!path?.startsWith(prefix)) return null
    const key = path.slice(prefix.length).split('/')[0] ?? ''
    return /^[A-Za-z]\w{0,30}-[1-9]\d{0,9}$/.test(key) ? key.toUpperCase() : null
  }
}

const jira: Tracker = {
  keyOf: keyBelow('browse/'),
  request: (key, config, secret) => ({
    base: baseOf(config),
    path: `/rest/api/2/issue/${key}`,
    search: '?fields=summary,status,description',
    headers: { authorization: jiraAuthorization(config, secret) },
    read: (answer) => {
      const Shape = Type.Object({
        key: Type.String(),
        fields: Type.Object({
          summary: Type.String(),
          status: Type.Object({ name: Type.String() }),
          description: Text,
        }),
      })
      const { key: own, fields } = read(Shape, answer)
      return {
        key: own,
        title: fields.summary,
        url: `${trimTrailingSlashes(baseOf(config))}/browse/${own}`,
        status: fields.status.name,
        body: fields.description ?? '',
      }
    },
  }),
}

const linear: Tracker = {
  keyOf: (reference) => {
    if (reference.kind === 'key') return reference.key
    if (reference.kind !== 'address' || reference.url.hostname !== 'linear.app') return null
    const [, key] =
      /^\/[^/]+\/issue\/([A-Za-z]\w{0,30}-\d{1,10})/.exec(reference.url.pathname) ?? []
    return key?.toUpperCase() ?? null
  },
  request: (key, config, secret) => ({
    base: baseOf(config, LINEAR_URL),
    path: '/graphql',
    headers: { authorization: secret },
    body: JSON.stringify({
      query:
        'query($id: String!) { issue(id: $id) { identifier title url state { name } description } }',
      variables: { id: key },
    }),
    read: (answer) => {
      const Issue = Type.Object({
        identifier: Type.String(),
        title: Type.String(),
        url: Type.String(),
        state: Type.Object({ name: Type.String() }),
        description: Text,
      })
      const Shape = Type.Object({
        data: Type.Optional(
          Type.Union([
            Type.Object({ issue: Type.Optional(Type.Union([Issue, Type.Null()])) }),
            Type.Null(),
          ]),
        ),
      })
      const issue = read(Shape, answer).data?.issue
      return issue
        ? {
            key: issue.identifier,
            title: issue.title,
            url: issue.url,
            status: issue.state.name,
            body: issue.description ?? '',
          }
        : null
    },
  }),
}

const youtrack: Tracker = {
  keyOf: keyBelow('issue/'),
  request: (key, config, secret) => ({
    base: baseOf(config),
    path: `/api/issues/${key}`,
    search: '?fields=idReadable,summary,description,customFields(name,value(name))',
    headers: { authorization: `Bearer ${secret}` },
    read: (answer) => {
      const Shape = Type.Object({
        idReadable: Type.String(),
        summary: Type.String(),
        description: Text,
        customFields: Type.Array(Type.Object({ name: Type.String(), value: Type.Unknown() })),
      })
      const issue = read(Shape, answer)
      const state = issue.customFields.find(({ name }) => name === 'State')?.value
      const Named = Type.Object({ name: Type.String() })
      return {
        key: issue.idReadable,
        title: issue.summary,
        url: `${trimTrailingSlashes(baseOf(config))}/issue/${issue.idReadable}`,
        status: isValid(Named, state) ? state.name : '',
        body: issue.description ?? '',
      }
    },
  }),
}

/** Issues of a forge: `owner/repository#12`, and addresses in which `marker` is before the number. */
function forgeTracker(options: {
  web(config: Config): string
  marker: string
  path(repo: string, number: string): string
  headers(secret: string): Record<string, string>
  fields: { url: 'html_url' | 'web_url'; body: 'body' | 'description' }
}): Tracker {
  return {
    keyOf: (reference, config) => {
      if (reference.kind === 'issue')
        return reference.repo === null ? null : `${reference.repo}#${reference.number}`
      if (reference.kind !== 'address') return null
      const path = pathBelow(reference.url, options.web(config))
      const at = path?.indexOf(options.marker) ?? -1
      if (!path || at < 1) return null
      const repo = path.slice(0, at)
      const number = /^[1-9]\d{0,9}(?=\/|$)/.exec(path.slice(at + options.marker.length))?.[0]
      return number === undefined || !/^[\w.-]+(\/[\w.-]+)+$/.test(repo)
        ? null
        : `${repo}#${number}`
    },
    request: (key, config, secret) => {
      const [repo = '', number = ''] = key.split('#')
      return {
        base: baseOf(config),
        path: options.path(repo, number),
        headers: options.headers(secret),
        read: (answer) => {
          const Shape = Type.Object({
            title: Type.String(),
            state: Type.String(),
            [options.fields.url]: Type.String(),
            [options.fields.body]: Text,
          })
          const issue = read(Shape, answer) as { title: string; state: string } & Config
          return {
            key,
            title: issue.title,
            url: String(issue[options.fields.url]),
            status: issue.state,
            body: String(issue[options.fields.body] ?? ''),
          }
        },
      }
    },
  }
}

const withToken =
  (prefix: string) =>
  (secret: string): Record<string, string> =>
    secret === '' ? {} : { authorization: `${prefix}${secret}` }

/** The website of an interface of GitHub, whose interface may have an address of its own. */
const githubWeb = (config: Config): string => {
  const base = new URL(baseOf(config))
  return base.hostname === 'api.github.com' ? 'https://github.com' : base.origin
}

/** An error of Sentry or GlitchTip, whose interfaces are alike. */
const errorRequest =
  (provider: string): Tracker['request'] =>
  (id, config, secret) => {
    const address = errorAddress(provider, config, id)
    return (
      address && {
        ...address,
        headers: withToken('Bearer ')(secret),
        error: id,
        read: (answer) => {
          const Shape = Type.Object({
            title: Type.String(),
            status: Type.String(),
            permalink: Text,
            shortId: Text,
            culprit: Text,
            level: Text,
            firstSeen: Text,
            lastSeen: Text,
            count: Type.Optional(Type.Union([Type.String(), Type.Number(), Type.Null()])),
          })
          const error = read(Shape, answer)
          const facts = {
            Culprit: error.culprit,
            Level: error.level,
            'First seen': error.firstSeen,
            'Last seen': error.lastSeen,
            Events: error.count,
          }
          return {
            key: error.shortId ?? id,
            title: error.title,
            url: error.permalink ?? '',
            status: error.status,
            body: Object.entries(facts)
              .filter(([, fact]) => fact !== null && fact !== undefined && fact !== '')
              .map(([name, fact]) => `${name}: ${fact}`)
              .join('\n'),
          }
        },
      }
    )
  }

const sentry: Tracker = {
  keyOf: (reference, config) => {
    if (reference.kind !== 'address') return null
    const { url } = reference
    const [, named, id] =
      /^\/(?:organizations\/([\w-]{1,100})\/)?issues\/(\d{1,20})(?:\/|$)/.exec(url.pathname) ?? []
    const base = new URL(baseOf(config, SENTRY_URL))
    const [, subdomain] = /^([\w-]+)\.sentry\.io$/.exec(url.hostname) ?? []
    const isHere = url.origin === base.origin || (base.origin === SENTRY_URL && subdomain)
    const organization = named ?? subdomain ?? config.organization
    return isHere && organization === config.organization ? (id ?? null) : null
  },
  request: errorRequest('sentry'),
}

const glitchtip: Tracker = {
  keyOf: (reference, config) => {
    if (reference.kind !== 'address' || typeof config.base_url !== 'string') return null
    const path = pathBelow(reference.url, config.base_url)
    return /^[^/]+\/issues\/(\d{1,20})(?:\/|$)/.exec(path ?? '')?.[1] ?? null
  },
  request: errorRequest('glitchtip'),
}

export const TRACKERS: Readonly<Record<string, Tracker>> = {
  jira,
  linear,
  youtrack,
  sentry,
  glitchtip,
  github: forgeTracker({
    web: githubWeb,
    marker: '/issues/',
    path: (repo, number) => `/repos/${encodePath(repo)}/issues/${number}`,
    headers: withToken('Bearer '),
    fields: { url: 'html_url', body: 'body' },
  }),
  gitea: forgeTracker({
    web: (config) => baseOf(config),
    marker: '/issues/',
    path: (repo, number) => `/api/v1/repos/${encodePath(repo)}/issues/${number}`,
    headers: withToken('token '),
    fields: { url: 'html_url', body: 'body' },
  }),
  gitlab: forgeTracker({
    web: (config) => baseOf(config),
    marker: '/-/issues/',
    path: (repo, number) => `/api/v4/projects/${encodeURIComponent(repo)}/issues/${number}`,
    headers: (secret) => ({ 'private-token': secret }),
    fields: { url: 'web_url', body: 'description' },
  }),
}
