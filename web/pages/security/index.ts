/** Pages of security findings. */
import type { SiteSection } from '../../site.ts'
import { codeAlertPage, dismissCodeAlertForm, reopenCodeAlertForm } from './code-alert.tsx'
import { codeAlertsPage } from './code-alerts.tsx'
import { bypassForm, bypassPage } from './bypass.tsx'
import { reopenSecretForm, resolveSecretForm, secretAlertPage } from './secret-alert.tsx'
import { scanHistoryForm, secretAlertsPage, secretSettingsForm } from './secret-alerts.tsx'
import { securityPage } from './overview.tsx'

export const security: SiteSection = {
  pages: [
    securityPage,
    codeAlertsPage,
    codeAlertPage,
    secretAlertsPage,
    bypassPage,
    secretAlertPage,
  ],
  forms: [
    dismissCodeAlertForm,
    reopenCodeAlertForm,
    scanHistoryForm,
    secretSettingsForm,
    bypassForm,
    resolveSecretForm,
    reopenSecretForm,
  ],
}
