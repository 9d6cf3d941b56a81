/** Commit statuses at the forges whose interface is known: Gitea, Forgejo, GitHub and GitLab. */
import type { Hearth } from '#core/hearth.ts'
import { outboundClient } from '#core/outbound.ts'
import {
  forgeApiUrl,
  forgeAuthorization,
  isSshAddress,
  parseRemote,
  parseSshRemote,
  type CommitContext,
  type ForgeKind,
} from '#features/repos/index.ts'
import { isObject } from '#lib/json-value.ts'
import { SECOND } from '#lib/time.ts'

const TIMEOUT_MS = 30 * SECOND
/** What a forge answers is not read. */
const MAX_ANSWER_BYTES = 1 << 20
const MAX_NAME = 255

export type KnownProvider = 'gitea' | 'forgejo' | 'github' | 'gitlab'

export type RemoteStatus = Pick<CommitContext, 'context' | 'state'> & {
  readonly sha: string
  /** Where the result is shown here. */
  readonly url: string
}

export const isKnownProvider = (provider: string): provider is KnownProvider =>
  ['gitea', 'forgejo', 'github', 'gitlab'].includes(provider)

type StatusRequest = {
  readonly url: string
  readonly authorization: string
  readonly body: unknown
}

const GITLAB_STATES = {
  pending: 'pending',
  success: 'success',
  failure: 'failed',
  error: 'failed',
} as const

/** The site of a forge that is reached over SSH has the same host, over https. */
function siteOf(url: string): URL {
  if (!isSshAddress(url)) return parseRemote(url)
  const { hostname, pathname } = parseSshRemote(url)
  return new URL(`https://${hostname}${pathname}`)
}

function splitPath(url: string): { origin: string; base: string; path: string } {
  const { origin, pathname } = siteOf(url)
  const parts = pathname
    .replace(/\.git$/, '')
    .split('/')
    .filter(Boolean)
  const path = parts.slice(-2).join('/')
  return { origin, base: [origin, ...parts.slice(0, -2)].join('/'), path }
}

const kindOf = (provider: KnownProvider): ForgeKind => (provider === 'forgejo' ? 'gitea' : provider)

/** The address of a repository in the API of its forge. */
function repositoryApi(provider: KnownProvider, remote: string): string {
  const kind = kindOf(provider)
  const { origin, base, path } = splitPath(remote)
  if (kind !== 'gitlab') return `${forgeApiUrl(kind, base)}/repos/${path}`
  const project = decodeURIComponent(
    siteOf(remote)
      .pathname.replace(/\.git$/, '')
      .slice(1),
  )
  return `${forgeApiUrl(kind, origin)}/projects/${encodeURIComponent(project)}`
}

function requestOf(
  provider: KnownProvider,
  remote: string,
  secret: string,
  { sha, context, state, url }: RemoteStatus,
): StatusRequest {
  const name = context.slice(0, MAX_NAME)
  return {
    url: `${repositoryApi(provider, remote)}/statuses/${sha}`,
    authorization: forgeAuthorization(kindOf(provider), secret),
    body:
      provider === 'gitlab'
        ? { state: GITLAB_STATES[state], name, target_url: url }
        : { state, context: name, target_url: url },
  }
}

/** GitLab refuses a state that a status has already. */
const isRepeated = (provider: KnownProvider, status: number, answer: string): boolean =>
  provider === 'gitlab' && status === 400 && answer.includes('Cannot transition')

export type StatusProblem = {
  readonly problem: string
  /** Whether the same status may be taken later. */
  readonly isTemporary: boolean
}

/** The commit may still be on its way (404, 422), or the forge is overloaded or away. */
const isTemporary = (status: number): boolean =>
  status >= 500 || [404, 408, 422, 429].includes(status)

/** Sends one status. Returns what is wrong; null when the forge took it. Throws OutboundError. */
export async function sendStatus(
  hearth: Pick<Hearth, 'settings'>,
  from: { readonly provider: KnownProvider; readonly url: string; readonly secret: string },
  status: RemoteStatus,
  signal: AbortSignal,
): Promise<StatusProblem | null> {
  const request = requestOf(from.provider, from.url, from.secret, status)
  const at = new URL(request.url)
  const answer = await outboundClient(hearth).request(at, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      'user-agent': 'hearth-mirror',
      authorization: request.authorization,
    },
    body: JSON.stringify(request.body),
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_ANSWER_BYTES,
    truncate: true,
    signal,
  })
  if (answer.status >= 200 && answer.status < 300) return null
  if (isRepeated(from.provider, answer.status, new TextDecoder().decode(answer.body))) return null
  const isDenied = answer.status === 401 || answer.status === 403
  return {
    problem: isDenied
      ? `${at.host} does not let the token set commit statuses (${answer.status})`
      : `${at.host} answered with status ${answer.status} to the result of ${status.sha.slice(0, 7)}`,
    isTemporary: isTemporary(answer.status),
  }
}

/** The API paths that list the checks of a commit. They are requested in this order. */
const LISTS: Readonly<Record<ForgeKind, readonly ((sha: string) => string)[]>> = {
  gitea: [(sha) => `/commits/${sha}/statuses?limit=50`],
  github: [
    (sha) => `/commits/${sha}/check-runs?per_page=100`,
    (sha) => `/commits/${sha}/statuses?per_page=100`,
  ],
  gitlab: [(sha) => `/repository/commits/${sha}/statuses?per_page=100`],
}

/** States of checks that have not begun. */
const WAITING_STATES = new Set([
  'queued',
  'requested',
  'waiting',
  'pending',
  'created',
  'scheduled',
])
const MAX_LIST_BYTES = 4 << 20

/** Gitea's actions have the state pending from their creation to their end, and say which in words. */
const hasBegun = (check: Readonly<Record<string, unknown>>): boolean => {
  const state = String(check.status ?? check.state ?? '')
  const says = String(check.description ?? '')
  return !WAITING_STATES.has(state) || /^has started/i.test(says)
}

/**
 * Whether a check of the remote itself has begun for a commit. Results that this service reported
 * there do not count: their address is on its own site. Null when the forge does not answer the
 * request. Throws OutboundError.
 */
export async function hasReported(
  hearth: Pick<Hearth, 'settings'>,
  from: { readonly provider: KnownProvider; readonly url: string; readonly secret: string | null },
  sha: string,
  signal: AbortSignal,
): Promise<boolean | null> {
  const kind = kindOf(from.provider)
  for (const list of LISTS[kind]) {
    const answer = await outboundClient(hearth).request(
      new URL(repositoryApi(from.provider, from.url) + list(sha)),
      {
        headers: {
          accept: 'application/json',
          'user-agent': 'hearth-mirror',
          ...(from.secret !== null && { authorization: forgeAuthorization(kind, from.secret) }),
        },
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_LIST_BYTES,
        signal,
      },
    )
    if (answer.status !== 200) return null
    const body = parseJson(Buffer.from(answer.body).toString())
    const checks = isObject(body) ? body.check_runs : body
    if (!Array.isArray(checks)) return null
    const isOurs = (check: Readonly<Record<string, unknown>>): boolean =>
      String(check.target_url ?? '').startsWith(`${hearth.settings.site_url}/`)
    if (checks.filter(isObject).some((check) => hasBegun(check) && !isOurs(check))) return true
  }
  return false
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
