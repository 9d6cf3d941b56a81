/** Notifications, mail about them, subscriptions, stars, references between records, and feeds. */
import type { Feature } from '#core/hearth.ts'
import { conditions, gauges } from '#core/gauges.ts'
import type { Job } from '#core/jobs.ts'
import { repoDataRemovers, repoRecordPreloads, starCounts } from '#features/repos/index.ts'
import { mailDigest, planDigests } from './mail/digest.ts'
import { handlers, reactions } from './delivery/reactions.ts'
import { mailNotification } from './mail/mail-notification.ts'
import { deliverNotifications } from './delivery/deliver-notifications.ts'
import { countVisibleStars } from './stars/count-stars.ts'
import { preloadStars } from './stars/store-stars.ts'
import { condition } from './condition.ts'
import { countWork } from './delivery/store-work.ts'
import { removeOfRepo } from './store.ts'
import { endFeeds } from './feeds/end-feeds.ts'
import { removeNamedIn } from './references/store-references.ts'
import { sweepNotifications } from './sweep.ts'
import * as operations from './operations.ts'

export * from './operations.ts'
export * from './schema.ts'
export { countUnread } from './count-unread.ts'
export { feedReader } from './feeds/feed-reader.ts'
export { repoStandingOf } from './subscriptions/repo-standing.ts'

export const feature: Feature = {
  name: 'notifications',
  operations: Object.values(operations),
  reactions,
  handlers: [...handlers, endFeeds],
  jobs: [
    deliverNotifications,
    mailNotification,
    mailDigest,
    planDigests,
    sweepNotifications,
  ] as Job[],
  extensions: [
    repoDataRemovers.with(removeOfRepo),
    repoDataRemovers.with(removeNamedIn),
    starCounts.with(countVisibleStars),
    repoRecordPreloads.with(preloadStars),
    conditions.with(condition),
    gauges.with({
      name: 'notifications_waiting',
      help: 'Changes that people are still to be told of.',
      read: ({ db }) => countWork(db).waiting,
    }),
  ],
}
