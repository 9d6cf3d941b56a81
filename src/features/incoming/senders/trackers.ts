/** Events about tickets of Jira and Linear. */
import { objectOf, textOf } from '#lib/json-value.ts'
import { wordOf, type Sender } from './sender.ts'

/** The page of a ticket, from the address of its record in the REST interface. */
function jiraPage(self: unknown, key: string): string | null {
  const address = URL.parse(wordOf(self))
  const base = address?.pathname.split('/rest/api/')[0]
  // Half a surrogate pair cannot be encoded.
  const page = encodeURIComponent(key.toWellFormed())
  return address === null ? null : `${address.origin}${base}/browse/${page}`
}

export const jira: Sender = {
  signature: { kind: 'hmac', header: 'x-hub-signature', prefix: 'sha256=', required: true },
  idHeaders: ['x-atlassian-webhook-identifier'],
  hasUniqueBodies: true,
  sendsAlerts: false,
  read: ({ body }) => {
    const event = wordOf(body.webhookEvent)
    const issue = objectOf(body.issue)
    const key = wordOf(issue.key)
    if (!/^jira:issue_(created|updated|deleted)$/.test(event) || key === '') return null
    const fields = objectOf(issue.fields)
    const category = objectOf(objectOf(fields.status).statusCategory)
    return {
      name: event,
      items: [
        {
          fingerprint: key,
          open: event !== 'jira:issue_deleted' && category.key !== 'done',
          title: `${key} ${wordOf(fields.summary)}`,
          text: wordOf(fields.description),
          url: jiraPage(issue.self, key),
          occurrence: null,
        },
      ],
    }
  },
}

const LINEAR_ENDS = new Set(['completed', 'canceled', 'duplicate'])

export const linear: Sender = {
  signature: { kind: 'hmac', header: 'linear-signature', prefix: '', required: true },
  idHeaders: ['linear-delivery'],
  hasUniqueBodies: true,
  sendsAlerts: false,
  read: ({ body }) => {
    const issue = objectOf(body.data)
    const id = wordOf(issue.id)
    if (body.type !== 'Issue' || id === '') return null
    const action = wordOf(body.action)
    const isEnded = LINEAR_ENDS.has(wordOf(objectOf(issue.state).type))
    return {
      name: `Issue ${action}`,
      items: [
        {
          fingerprint: id,
          open: action !== 'remove' && !isEnded,
          title: `${wordOf(issue.identifier)} ${wordOf(issue.title)}`,
          text: wordOf(issue.description),
          url: textOf(body.url) ?? textOf(issue.url),
          occurrence: null,
        },
      ],
    }
  },
}
