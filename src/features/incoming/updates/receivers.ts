/** The services that can be told what becomes of their issues, by provider. */
import { anyReceiver } from './any-receiver.ts'
import { glitchtip, sentry } from './errors.ts'
import { gitea, github, gitlab } from './forges.ts'
import type { Receiver } from './receiver.ts'
import { jira, linear } from './trackers.ts'

const RECEIVERS: Readonly<Record<string, Receiver>> = {
  github,
  gitea,
  gitlab,
  jira,
  linear,
  sentry,
  glitchtip,
  webhook: anyReceiver,
}

/**
 * Null for services that cannot be told anything. An alert of Alertmanager or Grafana ends when its
 * rule finds nothing any more, whoever says that it is done.
 */
export const findReceiver = (provider: string): Receiver | null =>
  Object.hasOwn(RECEIVERS, provider) ? (RECEIVERS[provider] ?? null) : null

/** Whether a service can be told what becomes of its issues. */
export const canBeTold = (provider: string): boolean => findReceiver(provider) !== null
