/** Notifications, mail about them, subscriptions, stars, references between records, and feeds. */
import type { Feature } from '#core/hearth.ts'
import { conditions, gauges } from '#core/gauges.ts'
import type { Job } from '#core/jobs.ts'
import { belongings, repoLists, starCounts } from '#features/repos/index.ts'
import { createFeedToken } from './create-feed-token.ts'
import { mailDigest, planDigests } from './digest.ts'
import { followers, reactions } from './follow.ts'
import { getIssueSubscription } from './get-issue-subscription.ts'
import { getNotificationSettings } from './get-notification-settings.ts'
import { getSubscription } from './get-subscription.ts'
import { getUnsubscription } from './get-unsubscription.ts'
import { listCrossReferences } from './list-cross-references.ts'
import { listNotifications } from './list-notifications.ts'
import { listWorkspaceEvents } from './list-workspace-events.ts'
import { mailNotification } from './mail.ts'
import { markAllNotifications } from './mark-all-notifications.ts'
import { markNotification } from './mark-notification.ts'
import { removeFeedToken } from './remove-feed-token.ts'
import { setIssueSubscription } from './set-issue-subscription.ts'
import { setSubscription } from './set-subscription.ts'
import { spreadNotifications } from './spread.ts'
import { starRepo } from './star-repo.ts'
import { countVisibleStars } from './stars.ts'
import { keepStars } from './store-stars.ts'
import { condition } from './condition.ts'
import { countWork } from './store-work.ts'
import { removeOfRepo } from './store.ts'
import { removeNamedIn } from './store-references.ts'
import { sweepNotifications } from './sweep.ts'
import { unstarRepo } from './unstar-repo.ts'
import { unsubscribe } from './unsubscribe.ts'
import { updateNotificationSettings } from './update-notification-settings.ts'

export * from './schema.ts'
export { countUnread, MOST_UNREAD } from './count-unread.ts'
export { feedReader } from './feed-reader.ts'
export { standingOf } from './standing.ts'
export {
  createFeedToken,
  getIssueSubscription,
  getNotificationSettings,
  getSubscription,
  getUnsubscription,
  listCrossReferences,
  listNotifications,
  listWorkspaceEvents,
  markAllNotifications,
  markNotification,
  removeFeedToken,
  setIssueSubscription,
  setSubscription,
  starRepo,
  unstarRepo,
  unsubscribe,
  updateNotificationSettings,
}

export const feature: Feature = {
  name: 'notifications',
  operations: [
    listNotifications,
    markNotification,
    markAllNotifications,
    getSubscription,
    setSubscription,
    setIssueSubscription,
    starRepo,
    unstarRepo,
    getIssueSubscription,
    listCrossReferences,
    listWorkspaceEvents,
    getNotificationSettings,
    updateNotificationSettings,
    createFeedToken,
    removeFeedToken,
    getUnsubscription,
    unsubscribe,
  ],
  reactions,
  followers,
  jobs: [
    spreadNotifications,
    mailNotification,
    mailDigest,
    planDigests,
    sweepNotifications,
  ] as Job[],
  extensions: [
    belongings.with(removeOfRepo),
    belongings.with(removeNamedIn),
    starCounts.with(countVisibleStars),
    repoLists.with(keepStars),
    conditions.with(condition),
    gauges.with({
      name: 'notifications_waiting',
      help: 'Changes that people are still to be told of.',
      read: ({ db }) => countWork(db).waiting,
    }),
  ],
}
