/** Alerts of Alertmanager (webhook version 4) and Grafana, which extends the same form. */
import { sha256 } from '#lib/hash.ts'
import { arrayOf, objectOf, textOf, type JsonObject } from '#lib/json-value.ts'
import { factLines, wordOf, type IncomingEvent, type IncomingItem, type Sender } from './sender.ts'

/** Old versions of Alertmanager send no fingerprint. */
const fingerprintOf = (alert: JsonObject): string =>
  textOf(alert.fingerprint) ??
  sha256(
    JSON.stringify(Object.entries(objectOf(alert.labels)).toSorted(([a], [b]) => (a < b ? -1 : 1))),
  )

function itemOf(value: unknown, common: JsonObject): IncomingItem {
  const alert = objectOf(value)
  const labels = objectOf(alert.labels)
  const notes = objectOf(alert.annotations)
  const { summary, description, ...other } = notes
  const name = wordOf(labels.alertname) || wordOf(objectOf(common.commonLabels).alertname)
  return {
    fingerprint: fingerprintOf(alert),
    open: alert.status !== 'resolved',
    title: [name, wordOf(summary)].filter((part) => part !== '').join(': '),
    text: [
      wordOf(description),
      factLines(other),
      factLines({ Since: alert.startsAt, Value: alert.valueString }),
      factLines(labels),
    ]
      .filter((part) => part !== '')
      .join('\n\n'),
    url:
      textOf(alert.panelURL) ||
      textOf(alert.dashboardURL) ||
      textOf(alert.generatorURL) ||
      textOf(common.externalURL),
    occurrence: wordOf(alert.startsAt),
  }
}

function readAlerts({ body }: { readonly body: JsonObject }): IncomingEvent | null {
  const items = arrayOf(body.alerts).map((alert) => itemOf(alert, body))
  return items.length === 0 ? null : { name: wordOf(body.status) || 'alerts', items }
}

export const alertmanager: Sender = {
  signature: null,
  idHeaders: [],
  hasUniqueBodies: true,
  sendsAlerts: true,
  read: readAlerts,
}

export const grafana: Sender = {
  ...alertmanager,
  signature: {
    kind: 'hmac',
    header: 'x-grafana-alerting-signature',
    prefix: '',
    required: false,
  },
}
