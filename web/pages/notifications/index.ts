// The pages, forms and feeds of notifications.
import { workspaceActivityPage } from '../workspaces/activity.tsx'
import { followForms, starForm, watchForm } from './follow-forms.ts'
import {
  markAllForm,
  markNotificationForm,
  notificationsPage,
  openNotificationForm,
} from './inbox.tsx'
import {
  feedTokenForm,
  notificationSettingsForm,
  notificationSettingsPage,
  removeFeedTokenForm,
} from './settings.tsx'
import { unsubscribeForm, unsubscribePage } from './unsubscribe.tsx'

export { feeds } from './feeds.ts'

export const notificationPages = [
  notificationsPage,
  notificationSettingsPage,
  unsubscribePage,
  workspaceActivityPage,
]
export const notificationForms = [
  openNotificationForm,
  markNotificationForm,
  markAllForm,
  notificationSettingsForm,
  feedTokenForm,
  removeFeedTokenForm,
  unsubscribeForm,
  watchForm,
  starForm,
  ...followForms,
]
