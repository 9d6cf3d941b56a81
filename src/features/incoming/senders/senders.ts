/** The services whose events are understood, by the provider of their integration. */
import { alertmanager, grafana } from './alerts.ts'
import { anySender } from './any-sender.ts'
import { glitchtip, sentry } from './errors.ts'
import { gitea, github, gitlab } from './forges.ts'
import type { Sender } from './sender.ts'
import { jira, linear } from './trackers.ts'

const SENDERS: Readonly<Record<string, Sender>> = {
  github,
  gitea,
  gitlab,
  jira,
  linear,
  sentry,
  glitchtip,
  alertmanager,
  grafana,
  webhook: anySender,
}

/** Null for services that send nothing that could become an issue. */
export const findSender = (provider: string): Sender | null =>
  Object.hasOwn(SENDERS, provider) ? (SENDERS[provider] ?? null) : null
