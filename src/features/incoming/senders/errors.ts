/** Events of error trackers: Sentry and GlitchTip. */
import { readStackTrace } from '#features/integrations/index.ts'
import { arrayOf, objectOf, textOf, type JsonObject } from '#lib/json-value.ts'
import { factLines, wordOf, type IncomingItem, type Sender } from './sender.ts'

/** The number of an error at its service, by which it is asked for; null when it has none. */
export function errorIdOf(provider: string, fingerprint: string): string | null {
  const pattern =
    provider === 'sentry'
      ? /^issue (\d{1,20})$/
      : provider === 'glitchtip'
        ? /\/issues\/(\d{1,20})(?:[/?#]|$)/
        : null
  return pattern?.exec(fingerprint)?.[1] ?? null
}

const SENTRY_ENDS = new Set(['resolved', 'ignored', 'archived'])

function ofIssue(issue: JsonObject, action: string): IncomingItem {
  return {
    fingerprint: `issue ${wordOf(issue.id)}`,
    open: !SENTRY_ENDS.has(wordOf(issue.status)) && !SENTRY_ENDS.has(action),
    title: wordOf(issue.title),
    text: factLines({
      Project: objectOf(issue.project).slug,
      Culprit: issue.culprit,
      Level: issue.level,
      Id: issue.shortId,
      'First seen': issue.firstSeen,
      Events: issue.count,
    }),
    url: textOf(issue.web_url) ?? textOf(issue.permalink),
    occurrence: action === 'unresolved' ? wordOf(issue.lastSeen) : null,
  }
}

function ofEvent(data: JsonObject, event: JsonObject): IncomingItem {
  const trace = readStackTrace(event)
  return {
    fingerprint: `issue ${wordOf(event.issue_id)}`,
    open: true,
    title: wordOf(event.title),
    text: factLines({
      Rule: data.triggered_rule,
      Culprit: event.culprit,
      Level: event.level,
      Platform: event.platform,
      Message: event.message,
    }),
    url: textOf(event.web_url),
    occurrence: wordOf(event.event_id),
    ...(trace === null ? {} : { trace }),
  }
}

function ofMetric(data: JsonObject, action: string): IncomingItem {
  const alert = objectOf(data.metric_alert)
  return {
    fingerprint: `metric ${wordOf(alert.id)}`,
    open: action !== 'resolved',
    title: wordOf(data.description_title) || wordOf(alert.title),
    text: wordOf(data.description_text),
    url: textOf(data.web_url),
    occurrence: wordOf(alert.date_started),
  }
}

export const sentry: Sender = {
  signature: { kind: 'hmac', header: 'sentry-hook-signature', prefix: '', required: true },
  idHeaders: ['request-id'],
  hasUniqueBodies: true,
  sendsAlerts: true,
  read: ({ headers, body }) => {
    const resource = headers.get('sentry-hook-resource') ?? ''
    const action = wordOf(body.action)
    const data = objectOf(body.data)
    const item =
      resource === 'issue'
        ? ofIssue(objectOf(data.issue), action)
        : resource === 'event_alert'
          ? ofEvent(data, objectOf(data.event))
          : resource === 'error'
            ? ofEvent(data, objectOf(data.error))
            : resource === 'metric_alert'
              ? ofMetric(data, action)
              : null
    if (item === null || / $/.test(item.fingerprint)) return null
    // Who is responsible says nothing about the state of the error.
    return action === 'assigned' ? null : { name: `${resource} ${action}`, items: [item] }
  },
}

/** GlitchTip sends its alerts in the form of Slack messages, one attachment for each error. */
export const glitchtip: Sender = {
  signature: null,
  idHeaders: [],
  hasUniqueBodies: false,
  sendsAlerts: true,
  read: ({ body }) => {
    const items = arrayOf(body.attachments).flatMap((value): IncomingItem[] => {
      const error = objectOf(value)
      const url = textOf(error.title_link)
      if (url === null) return []
      const facts = arrayOf(error.fields).map((field) => {
        const { title, value: fact } = objectOf(field)
        return `${wordOf(title)}: ${wordOf(fact)}`
      })
      return [
        {
          fingerprint: url,
          open: true,
          title: wordOf(error.title),
          text: [wordOf(error.text), ...facts].join('\n'),
          url,
          occurrence: null,
        },
      ]
    })
    return items.length === 0 ? null : { name: 'alert', items }
  },
}
