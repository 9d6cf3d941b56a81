/** Pages of integrations and model routes of a workspace. */
import type { SiteSection } from '../../site.ts'
import { integrationForms, integrationPage } from './integration.tsx'
import { connectForm, integrationsPage } from './list.tsx'
import { gatewayForm, modelsForm, modelsPage } from './models.tsx'
import { usagePage } from './usage.tsx'

export const integrations: SiteSection = {
  pages: [integrationsPage, modelsPage, usagePage, integrationPage],
  forms: [connectForm, modelsForm, gatewayForm, ...integrationForms],
}
