/** Tells GitHub, Gitea, Forgejo and GitLab what becomes of their issues. */
import { encodePath } from '#lib/percent-encoding.ts'
import { objectOf, textOf } from '#lib/json-value.ts'
import { HOUR, timestamp, type Timestamp } from '#lib/time.ts'
import {
  hasComment,
  lacksSecret,
  NothingToTell,
  type Receiver,
  type TrackerRequest,
  type Update,
} from './receiver.ts'

/** The repository and number in `owner/repository#12`. A segment of dots would lead elsewhere. */
function readKey(fingerprint: string): { repo: string; number: string } {
  const [, repo = '', number = ''] =
    /^([\w.-]+(?:\/[\w.-]+)+)#([1-9]\d{0,9})$/.exec(fingerprint) ?? []
  if (number === '' || repo.split('/').some((part) => /^\.+$/.test(part)))
    throw new NothingToTell('the service gave this issue no number')
  return { repo, number }
}

type Key = ReturnType<typeof readKey>

const forge = (options: {
  readonly headers: (secret: string) => Record<string, string>
  readonly issue: (key: Key) => string
  readonly status: (update: Update & { kind: 'status' }) => Pick<TrackerRequest, 'method' | 'body'>
  readonly comments: string
  /** The query of a page of comments, from 1; null where there are no further pages. */
  readonly listed: (since: Timestamp, page: number, perPage: number) => string | null
}): Receiver => ({
  base: (config) => textOf(config.base_url),
  headers: (_, secret) => options.headers(secret),
  lacks: lacksSecret('an access token that may write issues'),
  send: async (ask, update, { fingerprint, mayBeThereSince }) => {
    const path = options.issue(readKey(fingerprint))
    if (update.kind === 'status') return void (await ask({ path, ...options.status(update) }))
    const since = mayBeThereSince && hourBefore(mayBeThereSince)
    const isThere =
      since !== null &&
      (await hasComment(ask, update.marker, {
        request: (page, perPage) => {
          const search = options.listed(since, page + 1, perPage)
          return search === null ? null : { path: path + options.comments, search }
        },
        textsOf: (answer) =>
          Array.isArray(answer) ? answer.map((comment) => objectOf(comment).body) : null,
      }))
    if (!isThere)
      await ask({ method: 'POST', path: path + options.comments, body: { body: update.text } })
  },
})

/** The clock of the service may be slow. */
const hourBefore = (time: Timestamp): Timestamp => timestamp(Date.parse(time) - HOUR)

const stateOf = (open: boolean): string => (open ? 'open' : 'closed')

export const github = forge({
  headers: (secret) => ({
    authorization: `Bearer ${secret}`,
    'x-github-api-version': '2022-11-28',
  }),
  issue: ({ repo, number }) => `/repos/${encodePath(repo)}/issues/${number}`,
  status: ({ open, reason }) => ({
    method: 'PATCH',
    body: { state: stateOf(open), state_reason: open ? 'reopened' : (reason ?? 'completed') },
  }),
  comments: '/comments',
  listed: (since, page, perPage) => `?since=${since}&per_page=${perPage}&page=${page}`,
})

export const gitea = forge({
  headers: (secret) => ({ authorization: `token ${secret}` }),
  issue: ({ repo, number }) => `/api/v1/repos/${encodePath(repo)}/issues/${number}`,
  status: ({ open }) => ({ method: 'PATCH', body: { state: stateOf(open) } }),
  comments: '/comments',
  // All of them come at once.
  listed: (since, page) => (page === 1 ? `?since=${since}` : null),
})

export const gitlab = forge({
  headers: (secret) => ({ 'private-token': secret }),
  issue: ({ repo, number }) => `/api/v4/projects/${encodeURIComponent(repo)}/issues/${number}`,
  status: ({ open }) => ({ method: 'PUT', body: { state_event: open ? 'reopen' : 'close' } }),
  comments: '/notes',
  listed: (_, page, perPage) => `?order_by=created_at&sort=desc&per_page=${perPage}&page=${page}`,
})
