/** Tells GitHub, Gitea, Forgejo and GitLab what becomes of their issues. */
import { textOf } from '#lib/json-value.ts'
import {
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
}): Receiver => ({
  base: (config) => textOf(config.base_url),
  headers: (_, secret) => options.headers(secret),
  lacks: lacksSecret('an access token that may write issues'),
  send: async (ask, update, { fingerprint }) => {
    const path = options.issue(readKey(fingerprint))
    if (update.kind === 'status') await ask({ path, ...options.status(update) })
    else await ask({ method: 'POST', path: path + options.comments, body: { body: update.text } })
  },
})

const encoded = (repo: string): string => repo.split('/').map(encodeURIComponent).join('/')
const stateOf = (open: boolean): string => (open ? 'open' : 'closed')

export const github = forge({
  headers: (secret) => ({
    authorization: `Bearer ${secret}`,
    'x-github-api-version': '2022-11-28',
  }),
  issue: ({ repo, number }) => `/repos/${encoded(repo)}/issues/${number}`,
  status: ({ open, reason }) => ({
    method: 'PATCH',
    body: { state: stateOf(open), state_reason: open ? 'reopened' : (reason ?? 'completed') },
  }),
  comments: '/comments',
})

export const gitea = forge({
  headers: (secret) => ({ authorization: `token ${secret}` }),
  issue: ({ repo, number }) => `/api/v1/repos/${encoded(repo)}/issues/${number}`,
  status: ({ open }) => ({ method: 'PATCH', body: { state: stateOf(open) } }),
  comments: '/comments',
})

export const gitlab = forge({
  headers: (secret) => ({ 'private-token': secret }),
  issue: ({ repo, number }) => `/api/v4/projects/${encodeURIComponent(repo)}/issues/${number}`,
  status: ({ open }) => ({ method: 'PUT', body: { state_event: open ? 'reopen' : 'close' } }),
  comments: '/notes',
})
