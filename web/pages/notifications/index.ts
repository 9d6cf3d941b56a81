/** The inbox of notifications, their settings, and feeds. */
import type { SiteSection } from '../../site.ts'
import { feeds } from './feeds.ts'
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

export const notifications: SiteSection = {
  pages: [notificationsPage, notificationSettingsPage, unsubscribePage],
  forms: [
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
  ],
  resources: [...feeds],
}
