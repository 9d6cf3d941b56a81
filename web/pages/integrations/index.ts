/** Pages of integrations and model routes of a workspace. */
import type { SiteSection } from '../../site.ts'
import { integrationForms, integrationPage } from './integration.tsx'
import { connectForm, integrationsPage } from './list.tsx'
import { modelsForm, modelsPage } from './models.tsx'

export const integrations: SiteSection = {
  pages: [integrationsPage, modelsPage, integrationPage],
  forms: [connectForm, modelsForm, ...integrationForms],
}
