/** Events about issues of GitHub, Gitea, Forgejo and GitLab. */
import { objectOf, textOf } from '#lib/json-value.ts'
import { wordOf, type IncomingEvent, type IncomingRequest, type Sender } from './sender.ts'

const REOPENED = new Set(['reopened', 'reopen'])

/** The form that GitHub, Gitea and Forgejo share. */
function readIssue(event: string | null, { body }: IncomingRequest): IncomingEvent | null {
  const issue = objectOf(body.issue)
  const repository = textOf(objectOf(body.repository).full_name)
  const number = wordOf(issue.number)
  if (event !== 'issues' || repository === null || number === '') return null
  // An issue that is a pull request has this member.
  if (issue.pull_request) return null
  const action = wordOf(body.action)
  const isGone = action === 'deleted' || action === 'transferred'
  return {
    name: `issues ${action}`,
    items: [
      {
        fingerprint: `${repository}#${number}`,
        open: !isGone && issue.state !== 'closed',
        title: wordOf(issue.title),
        text: wordOf(issue.body),
        url: textOf(issue.html_url),
        occurrence: REOPENED.has(action) ? wordOf(issue.updated_at) : null,
      },
    ],
  }
}

export const github: Sender = {
  signature: { kind: 'hmac', header: 'x-hub-signature-256', prefix: 'sha256=', required: true },
  idHeaders: ['x-github-delivery'],
  hasUniqueBodies: true,
  sendsAlerts: false,
  read: (request) => readIssue(request.headers.get('x-github-event'), request),
}

export const gitea: Sender = {
  signature: { kind: 'hmac', header: 'x-gitea-signature', prefix: '', required: true },
  idHeaders: ['x-gitea-delivery'],
  hasUniqueBodies: true,
  sendsAlerts: false,
  read: (request) => readIssue(request.headers.get('x-gitea-event'), request),
}

export const gitlab: Sender = {
  signature: { kind: 'token', header: 'x-gitlab-token', prefix: '', required: true },
  // A delivery that GitLab repeats has the same idempotency key.
  idHeaders: ['idempotency-key', 'x-gitlab-event-uuid'],
  hasUniqueBodies: true,
  sendsAlerts: false,
  read: ({ body }) => {
    const issue = objectOf(body.object_attributes)
    const project = textOf(objectOf(body.project).path_with_namespace)
    const number = wordOf(issue.iid)
    if (body.object_kind !== 'issue' || project === null || number === '') return null
    const action = wordOf(issue.action)
    return {
      name: `issue ${action}`,
      items: [
        {
          fingerprint: `${project}#${number}`,
          open: issue.state !== 'closed',
          title: wordOf(issue.title),
          text: wordOf(issue.description),
          url: textOf(issue.url),
          occurrence: REOPENED.has(action) ? wordOf(issue.updated_at) : null,
        },
      ],
    }
  },
}
