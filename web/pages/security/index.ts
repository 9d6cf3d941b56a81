/** Pages of security findings. */
import type { SiteSection } from '../../site.ts'
import { codeAlertPage, dismissCodeAlertForm, reopenCodeAlertForm } from './code-alert.tsx'
import { codeAlertsPage } from './code-alerts.tsx'
import { securityPage } from './overview.tsx'

export const security: SiteSection = {
  pages: [securityPage, codeAlertsPage, codeAlertPage],
  forms: [dismissCodeAlertForm, reopenCodeAlertForm],
}
